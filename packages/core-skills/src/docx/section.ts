import { clip } from "../shared/bounded.ts";
import { attributeOf, childrenOf, descendantsOf, hasTag } from "../shared/office-xml.ts";
import { ScriptError, usageError } from "../shared/script-error.ts";
import type { XmlElement } from "../shared/xml.ts";
import { readPieces } from "./read-run.ts";
import type { WordFile } from "./word-file.ts";

export interface Heading {
  readonly element: XmlElement;
  readonly level: number;
  readonly text: string;
}

/** The headings that stand in the body itself. */
export function headingsOf(file: WordFile): readonly Heading[] {
  const { styles } = file;
  return childrenOf(file.body, "w:p").flatMap((element) => {
    const level = styles.headingLevel(element);
    const text = textOf(element, file);
    return level === undefined || text === "" ? [] : [{ element, level, text }];
  });
}

export function textOf(paragraph: XmlElement, file: WordFile): string {
  return readPieces(paragraph, file, file.main)
    .map((piece) => (piece.type === "text" ? piece.inline.text : ""))
    .join("")
    .trim();
}

/** The one heading that has this text, in any case of letters; the n-th when there are several. */
export function findHeading(file: WordFile, wanted: string, nth: number | undefined): Heading {
  const all = headingsOf(file);
  const fold = (text: string) => text.replace(/\s+/g, " ").trim().toLowerCase();
  const found = all.filter(({ text }) => fold(text) === fold(wanted));
  if (found.length > 1 && nth === undefined) {
    throw usageError(
      `${found.length} headings are ${JSON.stringify(clip(wanted, 80))}.`,
      "Say which: --nth <n>.",
    );
  }
  const heading = found[(nth ?? 1) - 1];
  if (heading !== undefined) return heading;
  const some = all.slice(0, 20).map(({ text }) => JSON.stringify(clip(text, 60)));
  throw new ScriptError("HEADING_NOT_FOUND", `No heading is ${JSON.stringify(clip(wanted, 80))}.`, {
    hint: some.length === 0 ? "The document has no headings." : `Headings: ${some.join(", ")}`,
  });
}

/** The elements of a heading's section: itself, and all until a heading of its level or above. */
export function sectionOf(file: WordFile, heading: Heading): readonly XmlElement[] {
  const others = headingsOf(file);
  const next = others
    .slice(others.findIndex(({ element }) => element === heading.element) + 1)
    .find(({ level }) => level <= heading.level);
  const all = childrenOf(file.body).filter((element) => !hasTag(element, "w:sectPr"));
  const start = all.indexOf(heading.element);
  return all.slice(start, next === undefined ? all.length : all.indexOf(next.element));
}

/** How many changes are tracked, and whose they are. */
export function trackedChanges(file: WordFile): { insertions: number; deletions: number; authors: string[] } {
  const roots = file.stories.map((part) => file.pkg.xml(part));
  const insertions = roots.flatMap((root) => [
    ...descendantsOf(root, "w:ins"),
    ...descendantsOf(root, "w:moveTo"),
  ]);
  const deletions = roots.flatMap((root) => [
    ...descendantsOf(root, "w:del"),
    ...descendantsOf(root, "w:moveFrom"),
  ]);
  const authors = [...insertions, ...deletions].map((element) => attributeOf(element, "w:author") ?? "");
  return {
    insertions: insertions.length,
    deletions: deletions.length,
    authors: [...new Set(authors)].filter((author) => author !== "").slice(0, 20),
  };
}
