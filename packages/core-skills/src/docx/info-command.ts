import type { Block, Blocks } from "../shared/block.ts";
import { boundList, clip } from "../shared/bounded.ts";
import { defineCommand, type JsonObject } from "../shared/command.ts";
import { readProperties } from "../shared/office-properties.ts";
import { childOf, descendantsOf } from "../shared/office-xml.ts";
import { commentsOf } from "./comment.ts";
import { readBlocks } from "./read-block.ts";
import { headingsOf, trackedChanges } from "./section.ts";
import { toText } from "./text-writer.ts";
import { WordFile } from "./word-file.ts";

export const infoCommand = defineCommand({
  name: "info",
  summary: "Describe a document: properties, outline, counts, comments, tracked changes, images",
  operands: { label: "<file.docx>", min: 1, max: 1 },
  options: {},
  run: async ({ operands: [path = ""] }, io) => {
    const file = await WordFile.open(path, io);
    const blocks = readBlocks(file.body, file, file.main);
    const outline = headingsOf(file).map(({ level, text }) => ({ level, text: clip(text, 200) }));
    return {
      file: path,
      properties: readProperties(file.pkg),
      counts: countBlocks(blocks, file),
      outline: boundList(outline, 200),
      headers: marginTexts(file, "header"),
      footers: marginTexts(file, "footer"),
      images: boundList(imagesOf(file), 100),
      comments: boundList(commentsOf(file), 50),
      trackedChanges: trackedChanges(file),
      isProtected: isProtected(file),
      hasMacros: file.pkg.names.some((name) => /vbaProject\.bin$/i.test(name)),
    };
  },
});

function countBlocks(blocks: Blocks, file: WordFile): JsonObject {
  const text = toText(blocks);
  const count = (type: Block["type"]) => blocks.filter((block) => block.type === type).length;
  return {
    words: text.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu)?.length ?? 0,
    characters: text.length,
    headings: count("heading"),
    paragraphs: count("paragraph"),
    lists: count("list"),
    tables: descendantsOf(file.body, "w:tbl").length,
    sections: descendantsOf(file.body, "w:sectPr").length,
    footnotes: descendantsOf(file.body, "w:footnoteReference").length,
  };
}

function marginTexts(file: WordFile, kind: "header" | "footer"): readonly string[] {
  const texts = file.parts(kind).map((part) => toText(readBlocks(file.pkg.xml(part), file, part)).trim());
  return [...new Set(texts)]
    .filter((text) => text !== "")
    .map((text) => clip(text, 300))
    .slice(0, 20);
}

export function imagesOf(file: WordFile): readonly { readonly name: string; readonly bytes: number }[] {
  return file.pkg.names
    .filter((name) => /^word\/media\//i.test(name))
    .map((name) => ({ name, bytes: file.pkg.bytes(name).length }));
}

function isProtected(file: WordFile): boolean {
  const settings = file.part("settings");
  if (settings === undefined) return false;
  return childOf(file.pkg.xml(settings), "w:documentProtection") !== undefined;
}
