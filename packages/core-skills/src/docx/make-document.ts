import type { Blocks } from "../shared/block.ts";
import { renameIds } from "../shared/copy-part.ts";
import { type ImageFile, readImage } from "../shared/image-file.ts";
import { OfficePackage } from "../shared/office-package.ts";
import { writeProperties } from "../shared/office-properties.ts";
import { attributeOf, descendantsOf, setAttributeOf } from "../shared/office-xml.ts";
import type { ScriptIo } from "../shared/script-io.ts";
import type { Description } from "./description.ts";
import { DocumentWriter } from "./document-writer.ts";
import { WordFile } from "./word-file.ts";

/** Makes a document. The same description gives the same bytes. */
export async function makeDocument(description: Description, io: ScriptIo): Promise<WordFile> {
  const images = await readImages(description.blocks, io);
  const docx = await import("docx");
  const document = new DocumentWriter(docx, images).write(description);
  const bytes = new Uint8Array(await docx.Packer.toArrayBuffer(document));
  const pkg = new OfficePackage({ path: "the new document", absolute: "", name: "new.docx", bytes });
  const file = new WordFile(pkg);
  for (const part of file.stories) renameRelations(pkg, part);
  renumberDrawings(file);
  renumberBookmarks(file);
  writeProperties(pkg, { created: "", modified: "", lastModifiedBy: "", author: "", ...given(description) });
  return file;
}

async function readImages(blocks: Blocks, io: ScriptIo): Promise<ReadonlyMap<string, ImageFile>> {
  const images = new Map<string, ImageFile>();
  for (const path of imagePaths(blocks)) images.set(path, await readImage(path, io));
  return images;
}

function imagePaths(blocks: Blocks): readonly string[] {
  return blocks.flatMap((block) => {
    if (block.type === "image") return [block.path];
    if (block.type === "quote") return imagePaths(block.blocks);
    return block.type === "list" ? block.items.flatMap(imagePaths) : [];
  });
}

function given({ properties }: Description) {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined));
}

/** The library counts drawings on from one document to the next. */
function renumberDrawings(file: WordFile): void {
  for (const [index, drawing] of descendantsOf(file.editBody(), "wp:docPr").entries()) {
    drawing.setAttribute("id", String(index + 1));
  }
}

/** The library counts bookmarks on, too, and names those of a table of contents by the count. */
function renumberBookmarks(file: WordFile): void {
  const body = file.editBody();
  const ids = new Map<string, string>();
  const names = new Map<string, string>();
  for (const [index, start] of descendantsOf(body, "w:bookmarkStart").entries()) {
    const number = String(index + 1);
    ids.set(attributeOf(start, "w:id") ?? "", number);
    names.set(attributeOf(start, "w:name") ?? "", `_Toc${number}`);
    setAttributeOf(start, "w:id", number);
    setAttributeOf(start, "w:name", `_Toc${number}`);
  }
  for (const end of descendantsOf(body, "w:bookmarkEnd"))
    setAttributeOf(end, "w:id", ids.get(attributeOf(end, "w:id") ?? "") ?? "0");
  for (const link of descendantsOf(body, "w:hyperlink")) {
    const name = names.get(attributeOf(link, "w:anchor") ?? "");
    if (name !== undefined) setAttributeOf(link, "w:anchor", name);
  }
  for (const code of descendantsOf(body, "w:instrText"))
    code.textContent = (code.textContent ?? "").replace(/_Toc\d+/g, (name) => names.get(name) ?? name);
}

/** The library makes ids of relationships up by chance. */
function renameRelations(pkg: OfficePackage, part: string): void {
  const byChance = pkg.relations(part).filter(({ id }) => !/^rId\d+$/.test(id));
  if (byChance.length === 0) return;
  const names = new Map<string, string>();
  for (const { id, type, target, isExternal } of byChance) {
    pkg.unrelate(part, id);
    names.set(id, pkg.relate(part, type, target, isExternal));
  }
  renameIds(pkg.edit(part), names);
}
