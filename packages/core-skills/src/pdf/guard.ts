import type { InputFile } from "../shared/input-file.ts";
import { lossError } from "../shared/loss-error.ts";
import { openTextLayer, type PageText, type TextLayer } from "./text-layer.ts";

/** A page of a source that a page of the output shows. */
export interface SourcePage {
  readonly file: InputFile;
  readonly password: string;
  readonly index: number;
}

export interface PdfExpectation {
  /** For each page of the output its source; undefined for a new page. */
  readonly pages: readonly (SourcePage | undefined)[];
  /** The password of the output, when it is encrypted. */
  readonly password?: string;
  /** Kinds of annotations that may go: `Widget` when a form is flattened. */
  readonly mayLose?: readonly string[];
  /** Whether attachments and form fields of the first source must all be there. */
  readonly isWhole?: boolean;
}

/** Text of long documents is compared on this many pages, spread evenly. */
const COMPARED_PAGES = 60;

/**
 * Opens the bytes that are about to be written with another library than the one that wrote them, and compares pages,
 * text, annotations, fields and attachments with the sources. Fails when something is missing.
 */
export async function guardPdf(bytes: Uint8Array, path: string, expectation: PdfExpectation): Promise<void> {
  const output: InputFile = { path, absolute: path, name: path, bytes };
  const layers = new Map<InputFile, TextLayer>();
  const open = async (file: InputFile, password: string) => {
    const layer = layers.get(file) ?? (await openTextLayer(file, password));
    layers.set(file, layer);
    return layer;
  };
  try {
    const after = await open(output, expectation.password ?? "").catch(() => undefined);
    if (after === undefined) throw lossError(path, ["the new file cannot be opened"]);
    const problems = [
      ...comparePageCount(after, expectation),
      ...(await comparePages(after, expectation, open)),
      ...(await compareFacts(after, expectation, open)),
    ];
    if (problems.length > 0) throw lossError(path, problems);
  } finally {
    for (const layer of layers.values()) await layer.close();
  }
}

type Open = (file: InputFile, password: string) => Promise<TextLayer>;

function comparePageCount(after: TextLayer, { pages }: PdfExpectation): readonly string[] {
  return after.pageCount === pages.length
    ? []
    : [`the new file has ${after.pageCount} of ${pages.length} pages`];
}

async function comparePages(
  after: TextLayer,
  expectation: PdfExpectation,
  open: Open,
): Promise<readonly string[]> {
  const { pages, mayLose = [] } = expectation;
  const step = Math.max(1, Math.ceil(pages.length / COMPARED_PAGES));
  const problems: string[] = [];
  for (let index = 0; index < pages.length && index < after.pageCount; index += step) {
    const source = pages[index];
    if (source === undefined) continue;
    // A source page that cannot be read cannot be compared.
    const before = await readPage(
      await open(source.file, source.password).catch(() => undefined),
      source.index,
    );
    if (before === undefined) continue;
    const now = await readPage(after, index);
    if (now === undefined) problems.push(`page ${index + 1} cannot be read`);
    else problems.push(...comparePage(before, now, index + 1, mayLose));
  }
  return problems;
}

async function readPage(layer: TextLayer | undefined, index: number): Promise<PageText | undefined> {
  if (layer === undefined || index >= layer.pageCount) return undefined;
  return layer.readPage(index).catch(() => undefined);
}

function comparePage(
  before: PageText,
  now: PageText,
  number: number,
  mayLose: readonly string[],
): readonly string[] {
  const lost = countLost(before, now);
  const kinds = Object.entries(before.annotations).filter(
    ([kind, count]) => !mayLose.includes(kind) && (now.annotations[kind] ?? 0) < count,
  );
  return [
    ...(lost > 0 ? [`page ${number} lost ${lost} pieces of text`] : []),
    ...kinds.map(
      ([kind, count]) => `page ${number} has ${now.annotations[kind] ?? 0} of ${count} ${kind} annotations`,
    ),
  ];
}

function countLost(before: PageText, now: PageText): number {
  const counts = new Map<string, number>();
  for (const { text } of now.runs) counts.set(text, (counts.get(text) ?? 0) + 1);
  let lost = 0;
  for (const { text } of before.runs) {
    const left = counts.get(text) ?? 0;
    if (left === 0) lost += 1;
    else counts.set(text, left - 1);
  }
  return lost;
}

async function compareFacts(
  after: TextLayer,
  expectation: PdfExpectation,
  open: Open,
): Promise<readonly string[]> {
  const first = expectation.pages.find((page) => page !== undefined);
  if (expectation.isWhole !== true || first === undefined) return [];
  const source = await open(first.file, first.password).catch(() => undefined);
  if (source === undefined) return [];
  const [before, now] = [await source.facts(), await after.facts()];
  const mayLoseFields = expectation.mayLose?.includes("Widget") === true;
  return [
    ...(now.attachments < before.attachments
      ? [`${before.attachments - now.attachments} attachments are missing`]
      : []),
    ...(now.fields < before.fields && !mayLoseFields
      ? [`${before.fields - now.fields} form fields are missing`]
      : []),
    ...(before.hasOutline && !now.hasOutline ? ["the bookmarks are missing"] : []),
  ];
}
