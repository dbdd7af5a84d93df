import type { Limits } from "@skillhold/protocol/limits";
import { isMap } from "../yaml/value.ts";
import { readYaml, type YamlReading } from "../yaml/yaml.ts";
import { cutEntries, type Entry } from "./entry.ts";
import { dedent, expandTabs, indent, isBlank, readKeyLine } from "./line.ts";
import { trimLines } from "./text-value.ts";
import { costOf, Trial } from "./trial.ts";
import { type Fault, type MendBlock, type Mended, mends } from "./value-repair.ts";

/** One change of the repairer: `count` lines from `line` (from 0, inside the frontmatter) become `lines`. */
export interface RepairEdit {
  readonly line: number;
  readonly count: number;
  readonly lines: readonly string[];
  /** What was wrong and how it was read, for a person. */
  readonly message: string;
}

export interface Repair {
  /** The frontmatter with all edits applied; it reads as a YAML mapping. */
  readonly text: string;
  /** Ordered by line; they never overlap. */
  readonly edits: readonly RepairEdit[];
  /** What the repaired text reads as. */
  readonly reading: YamlReading;
}

/** Mends frontmatter that is not YAML, or says it cannot. Text that reads as it is is never changed. */
export function repairFrontmatter(
  text: string,
  limits: Limits,
  broken: YamlReading = readYaml(text, limits),
): Repair | undefined {
  const lines = text.split("\n");
  if (!isRepairable(broken, lines.length, limits)) return undefined;
  const trial = new Trial(limits);
  const mended = mendEntries(lines, trial);
  if (trial.isSpent || mended.every(({ entry }) => entry.kind !== "field")) return undefined;
  const edits = mended.filter(({ messages }) => messages.length > 0).map((each) => toEdit(each, lines));
  const repaired = applyEdits(lines, edits).join("\n");
  const reading = readYaml(repaired, limits);
  return isMap(reading.value) ? { text: repaired, edits, reading } : undefined;
}

function isRepairable(reading: YamlReading, lines: number, limits: Limits): boolean {
  if (reading.value !== undefined || costOf(reading, lines) > limits.repairTokens) return false;
  return reading.faults.every(({ code }) => code !== "FRONTMATTER_TOO_COMPLEX" && code !== "ALIAS_BOMB");
}

/** An edit of as few lines as the change needs. */
function toEdit({ entry, lines, messages }: MendedEntry, source: readonly string[]): RepairEdit {
  const before = source.slice(entry.line, entry.line + entry.lines.length);
  const most = Math.min(before.length, lines.length);
  let head = 0;
  while (head < most && before[head] === lines[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === lines.at(-1 - tail)) tail += 1;
  return {
    line: entry.line + head,
    count: before.length - head - tail,
    lines: lines.slice(head, lines.length - tail),
    message: joinMessages(messages),
  };
}

const MOST_MESSAGES = 3;

function joinMessages(messages: readonly string[]): string {
  const distinct = [...new Set(messages)];
  const more = distinct.length - MOST_MESSAGES;
  return [...distinct.slice(0, MOST_MESSAGES), ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

function applyEdits(lines: readonly string[], edits: readonly RepairEdit[]): readonly string[] {
  const result: string[] = [];
  let at = 0;
  for (const edit of edits) {
    for (const line of lines.slice(at, edit.line)) result.push(line);
    for (const line of edit.lines) result.push(line);
    at = edit.line + edit.count;
  }
  for (const line of lines.slice(at)) result.push(line);
  return result;
}

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
