import { defineCommand } from "../shared/command.ts";
import { saveOffice } from "../shared/office-save.ts";
import {
  childrenOf,
  createElement,
  descend,
  descendantsOf,
  hasTag,
  nextElement,
  removeNode,
  type Tag,
} from "../shared/office-xml.ts";
import { chooseOutput, editOptions } from "../shared/output-file.ts";
import { usageError } from "../shared/script-error.ts";
import type { XmlElement } from "../shared/xml.ts";
import { trackedChanges } from "./section.ts";
import { WordFile } from "./word-file.ts";

export const changesCommand = defineCommand({
  name: "changes",
  summary: "Accept or reject all tracked changes",
  operands: { label: "<file.docx>", min: 1, max: 1 },
  options: {
    accept: { type: "boolean", help: "Keep what was inserted, take away what was deleted" },
    reject: { type: "boolean", help: "The other way round" },
    ...editOptions,
  },
  details:
    "Changes of formatting are always kept as they look now. Without tracked changes the document stays as it is.",
  run: async ({ operands: [path = ""], options }, io) => {
    const isAccepted = options.accept === true;
    if (isAccepted === (options.reject === true)) throw usageError("Specify either --accept or --reject.");
    const file = await WordFile.open(path, io);
    const output = await chooseOutput(options, [file.pkg.file], io);
    const { insertions, deletions } = trackedChanges(file);
    for (const part of file.stories) settle(file.pkg.edit(part), isAccepted);
    const allowance = { paragraphs: "any", elements: "any" } as const;
    return { ...(await saveOffice(file, output, allowance)), insertions, deletions };
  },
});

const inserted = ["w:ins", "w:moveTo"] as const satisfies readonly Tag[];
const deleted = ["w:del", "w:moveFrom"] as const satisfies readonly Tag[];
const marks = [
  ...([
    "w:rPrChange",
    "w:pPrChange",
    "w:tblPrChange",
    "w:trPrChange",
    "w:tcPrChange",
    "w:sectPrChange",
  ] as const),
  ...(["w:tblGridChange", "w:tblPrExChange", "w:numberingChange"] as const),
  ...(["w:moveFromRangeStart", "w:moveFromRangeEnd", "w:moveToRangeStart", "w:moveToRangeEnd"] as const),
] as const satisfies readonly Tag[];

function settle(root: XmlElement, isAccepted: boolean): void {
  const [kept, gone] = isAccepted ? [inserted, deleted] : [deleted, inserted];
  settleRows(root, kept, gone);
  for (const tag of gone) joinParagraphs(root, tag);
  for (const tag of gone) for (const element of descendantsOf(root, tag)) removeNode(element);
  for (const tag of kept) for (const element of descendantsOf(root, tag)) unwrap(element);
  for (const tag of marks) for (const element of descendantsOf(root, tag)) removeNode(element);
  for (const text of descendantsOf(root, "w:delText")) rename(text, "w:t");
  for (const text of descendantsOf(root, "w:delInstrText")) rename(text, "w:instrText");
}

/** A row that came or went says so in its properties. Programs refuse a table without rows. */
function settleRows(root: XmlElement, kept: readonly Tag[], gone: readonly Tag[]): void {
  for (const row of descendantsOf(root, "w:tr")) {
    const properties = descend(row, "w:trPr");
    if (properties === undefined) continue;
    if (gone.some((tag) => descend(properties, tag) !== undefined)) removeNode(row);
    for (const tag of kept) for (const mark of childrenOf(properties, tag)) removeNode(mark);
  }
  for (const table of descendantsOf(root, "w:tbl")) {
    if (descendantsOf(table, "w:tr").length === 0) removeNode(table);
  }
}

/** Where the end of a paragraph went, the next one goes on in it. */
function joinParagraphs(root: XmlElement, tag: Tag): void {
  for (const paragraph of descendantsOf(root, "w:p").toReversed()) {
    if (descend(paragraph, "w:pPr", "w:rPr", tag) === undefined) continue;
    const next = nextElement(paragraph);
    if (next === undefined || !hasTag(next, "w:p")) continue;
    const following = childrenOf(next).filter((child) => !hasTag(child, "w:pPr"));
    for (const child of following) paragraph.appendChild(child);
    removeNode(next);
  }
}

function unwrap(element: XmlElement): void {
  for (const child of childrenOf(element)) element.parentNode?.insertBefore(child, element);
  removeNode(element);
}

function rename(element: XmlElement, tag: "w:t" | "w:instrText"): void {
  const renamed = createElement(element, tag);
  renamed.textContent = element.textContent;
  renamed.setAttribute("xml:space", "preserve");
  element.parentNode?.insertBefore(renamed, element);
  removeNode(element);
}
