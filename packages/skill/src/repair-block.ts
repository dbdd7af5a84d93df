import { cutEntries, type Entry } from "./repair-entry.ts";
import { dedent, expandTabs, indent, isBlank, readKeyLine } from "./repair-line.ts";
import { type Fault, type MendBlock, type Mended, mends } from "./repair-mend.ts";
import { trimLines } from "./repair-text.ts";
import type { Trial } from "./repair-trial.ts";

/** An entry of a block after mending; without messages nothing about it was changed. */
export interface MendedEntry extends Mended {
  readonly entry: Entry;
}

/**
 * Mends each broken entry of a block for itself and drops those that a later one overrides. `path` is where the
 * block hangs, nothing for the frontmatter itself.
 */
export function mendEntries(lines: readonly string[], trial: Trial, path?: string): readonly MendedEntry[] {
  const entries = cutEntries(lines, path === undefined ? "top" : "nested");
  const mended: MendedEntry[] = [];
  for (const entry of entries) {
    if (trial.isSpent) break;
    mended.push(mendEntry(entry, trial, path));
  }
  return dropDuplicates(mended);
}

function mendEntry(entry: Entry, trial: Trial, path: string | undefined): MendedEntry {
  const { keyLine, kind } = entry;
  const textKey = path === undefined && keyLine?.key === "description" ? keyLine.key : undefined;
  const isWhole = !entry.isMoved && keyLine?.isOdd !== true && !entry.lines.every((line) => isBlank(line));
  if (isWhole && trial.isSound(entry.lines, kind === "item" ? "item" : "field", textKey)) {
    return { entry, lines: entry.lines, messages: [] };
  }
  if (kind === "stray") return { entry, ...commentOut(entry) };
  const mendBlock: MendBlock = (block, blockPath) => joinEntries(block, mendEntries(block, trial, blockPath));
  const item = kind === "item" ? mendItem(entry, mendBlock, path ?? "") : undefined;
  if (item !== undefined && trial.isSound(item.lines, "item")) return { entry, ...item };
  return { entry, ...mendValue(toFault(entry, path), textKey, trial, mendBlock) };
}

function mendValue(fault: Fault, textKey: string | undefined, trial: Trial, mendBlock: MendBlock): Mended {
  let mended: Mended = { lines: [], messages: [] };
  for (const mend of mends) {
    const candidate = mend(fault, mendBlock);
    if (candidate === undefined) continue;
    mended = candidate;
    if (trial.isSpent || trial.isSound(candidate.lines, fault.lead === "-" ? "item" : "field", textKey))
      break;
  }
  return mended;
}

const LONGEST_NAME = 80;

function toFault(entry: Entry, path: string | undefined): Fault {
  const { keyLine, lines } = entry;
  const [first = "", ...below] = lines;
  const expanded = below.map((line) => expandTabs(line));
  const hadTabs = expanded.some((line, index) => line !== below[index]);
  const layout = keyLine?.isOdd ? "colon" : entry.isMoved ? "moved" : hadTabs ? "tabs" : undefined;
  const tail = trimLines(expanded);
  if (keyLine === undefined) {
    const head = first.slice(1).trim();
    return { lead: "-", name: `an item of "${path}"`, path: path ?? "", key: "", head, tail, layout };
  }
  const { key, head, rawKey } = keyLine;
  const keys = shorten(path === undefined ? key : `${path}.${key}`);
  return { lead: `${rawKey}:`, name: `"${keys}"`, path: keys, key, head, tail, layout };
}

/** A name that fits into a message. */
function shorten(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
}

/** `- key: value` and what is below it is a block of its own, two columns to the right. */
function mendItem(entry: Entry, mendBlock: MendBlock, path: string): Mended | undefined {
  const [first = "", ...below] = entry.lines;
  const head = first.slice(1).trimStart();
  if (readKeyLine(head) === undefined) return undefined;
  const width = first.length - head.length;
  const block = mendBlock(
    [
      head,
      ...dedent(
        below.map((line) => expandTabs(line)),
        width,
      ),
    ],
    path,
  );
  const [top, ...rest] = indent(block.lines, 2);
  return top === undefined ? undefined : { lines: [`-${top.slice(1)}`, ...rest], messages: block.messages };
}

function commentOut(entry: Entry): Mended {
  const [line = ""] = entry.lines;
  if (isBlank(line)) return { lines: [""], messages: ["a blank line has tabs in it"] };
  const lines = entry.lines.map((each) => (isBlank(each) ? "" : `# ${each}`));
  return { lines, messages: ["text that belongs to no field is read as a comment"] };
}

/**
 * Of fields with the same key the last counts, unless it is empty and an earlier one is not. One that was moved
 * counts only where none stands in its place.
 */
function dropDuplicates(mended: readonly MendedEntry[]): readonly MendedEntry[] {
  const kept = new Map<string, MendedEntry>();
  for (const each of mended) {
    const key = each.entry.keyLine?.key;
    if (key === undefined) continue;
    if (overrides(each.entry, kept.get(key)?.entry)) kept.set(key, each);
  }
  return mended.map((each) => {
    const key = each.entry.keyLine?.key;
    const winner = key === undefined ? each : (kept.get(key) ?? each);
    if (key === undefined || winner === each) return each;
    const rule =
      each.entry.isMoved && !winner.entry.isMoved
        ? "the one that is not indented counts"
        : "the last value counts";
    return {
      entry: each.entry,
      lines: [],
      messages: [`"${shorten(key)}" is given more than once and ${rule}`],
    };
  });
}

function overrides(entry: Entry, before: Entry | undefined): boolean {
  if (before === undefined) return true;
  return entry.isMoved === before.isMoved ? !isEmpty(entry) : before.isMoved;
}

function isEmpty({ keyLine, lines }: Entry): boolean {
  return keyLine?.head === "" && trimLines(lines.slice(1)).length === 0;
}

/** The lines of a block with its entries mended and everything between them as it was. */
function joinEntries(block: readonly string[], mended: readonly MendedEntry[]): Mended {
  const lines: string[] = [];
  const messages: string[] = [];
  let at = 0;
  for (const each of mended) {
    for (const line of block.slice(at, each.entry.line)) lines.push(line);
    for (const line of each.lines) lines.push(line);
    for (const message of each.messages) messages.push(message);
    at = each.entry.line + each.entry.lines.length;
  }
  for (const line of block.slice(at)) lines.push(line);
  return { lines, messages };
}
