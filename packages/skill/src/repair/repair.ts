import type { Limits } from "@skillhold/protocol/limits";
import { isMap } from "../yaml/value.ts";
import { readYaml, type YamlReading } from "../yaml/yaml.ts";
import { type BlockEntry, cutEntries } from "./entry.ts";
import { dedent, expandTabs, indent, isBlank, readKeyLine } from "./line.ts";
import { trimLines } from "./text-value.ts";
import { costOf, Trial } from "./trial.ts";
import { type Fault, type RepairBlock, type RepairedLines, valueRepairs } from "./value-repair.ts";

/** One edit: `count` lines from `line` (zero-based, in the frontmatter) become `lines`. */
export interface RepairEdit {
  readonly line: number;
  readonly count: number;
  readonly lines: readonly string[];
  /** The problem and its interpretation, for a person. */
  readonly message: string;
}

export interface Repair {
  /** The frontmatter with all edits applied. Contract: parses as a YAML mapping. */
  readonly text: string;
  /** Sorted by line, without overlaps. */
  readonly edits: readonly RepairEdit[];
  /** The parsed result of the repaired text. */
  readonly reading: YamlReading;
}

/** Repairs frontmatter that is not valid YAML; undefined if it cannot. Never changes text that parses. */
export function repairFrontmatter(
  text: string,
  limits: Limits,
  broken: YamlReading = readYaml(text, limits),
): Repair | undefined {
  const lines = text.split("\n");
  if (!isRepairable(broken, lines.length, limits)) return undefined;
  const trial = new Trial(limits);
  const entries = repairEntries(lines, trial);
  if (trial.isSpent || entries.every(({ entry }) => entry.kind !== "field")) return undefined;
  const edits = entries.filter(({ messages }) => messages.length > 0).map((each) => toEdit(each, lines));
  const repaired = applyEdits(lines, edits).join("\n");
  const reading = readYaml(repaired, limits);
  return isMap(reading.value) ? { text: repaired, edits, reading } : undefined;
}

function isRepairable(reading: YamlReading, lines: number, limits: Limits): boolean {
  if (reading.value !== undefined || costOf(reading, lines) > limits.repairTokens) return false;
  return reading.faults.every(({ code }) => code !== "FRONTMATTER_TOO_COMPLEX" && code !== "ALIAS_BOMB");
}

/** The smallest edit that makes the change. */
function toEdit({ entry, lines, messages }: RepairedEntry, source: readonly string[]): RepairEdit {
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

/** An entry after repair. Without messages, the entry is unchanged. */
export interface RepairedEntry extends RepairedLines {
  readonly entry: BlockEntry;
}

/**
 * Repairs each broken entry of a block and drops entries that a later one overrides. `path` is the position of the
 * block; undefined for the frontmatter itself.
 */
export function repairEntries(
  lines: readonly string[],
  trial: Trial,
  path?: string,
): readonly RepairedEntry[] {
  const entries = cutEntries(lines, path === undefined ? "top" : "nested");
  const repaired: RepairedEntry[] = [];
  for (const entry of entries) {
    if (trial.isSpent) break;
    repaired.push(repairEntry(entry, trial, path));
  }
  return dropDuplicates(repaired);
}

function repairEntry(entry: BlockEntry, trial: Trial, path: string | undefined): RepairedEntry {
  const { keyLine, kind } = entry;
  const textKey = path === undefined && keyLine?.key === "description" ? keyLine.key : undefined;
  const isWhole = !entry.isMoved && keyLine?.isOdd !== true && !entry.lines.every((line) => isBlank(line));
  if (isWhole && trial.isSound(entry.lines, kind === "item" ? "item" : "field", textKey)) {
    return { entry, lines: entry.lines, messages: [] };
  }
  if (kind === "stray") return { entry, ...commentOut(entry) };
  const repairBlock: RepairBlock = (block, blockPath) =>
    joinEntries(block, repairEntries(block, trial, blockPath));
  const item = kind === "item" ? repairItem(entry, repairBlock, path ?? "") : undefined;
  if (item !== undefined && trial.isSound(item.lines, "item")) return { entry, ...item };
  return { entry, ...repairValue(toFault(entry, path), textKey, trial, repairBlock) };
}

function repairValue(
  fault: Fault,
  textKey: string | undefined,
  trial: Trial,
  repairBlock: RepairBlock,
): RepairedLines {
  let repaired: RepairedLines = { lines: [], messages: [] };
  for (const repairOne of valueRepairs) {
    const candidate = repairOne(fault, repairBlock);
    if (candidate === undefined) continue;
    repaired = candidate;
    if (trial.isSpent || trial.isSound(candidate.lines, fault.lead === "-" ? "item" : "field", textKey))
      break;
  }
  return repaired;
}

const LONGEST_NAME = 80;

function toFault(entry: BlockEntry, path: string | undefined): Fault {
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

/** Truncates a name for messages. */
function shorten(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
}

/** `- key: value` and the lines below it form a block of their own, two columns to the right. */
function repairItem(entry: BlockEntry, repairBlock: RepairBlock, path: string): RepairedLines | undefined {
  const [first = "", ...below] = entry.lines;
  const head = first.slice(1).trimStart();
  if (readKeyLine(head) === undefined) return undefined;
  const width = first.length - head.length;
  const block = repairBlock(
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

function commentOut(entry: BlockEntry): RepairedLines {
  const [line = ""] = entry.lines;
  if (isBlank(line)) return { lines: [""], messages: ["a blank line contains tabs"] };
  const lines = entry.lines.map((each) => (isBlank(each) ? "" : `# ${each}`));
  return { lines, messages: ["text outside any field is read as a comment"] };
}

/**
 * The last field with a key wins, unless it is empty and an earlier one is not. A shifted field wins only if no field
 * is at the first column.
 */
function dropDuplicates(repaired: readonly RepairedEntry[]): readonly RepairedEntry[] {
  const kept = new Map<string, RepairedEntry>();
  for (const each of repaired) {
    const key = each.entry.keyLine?.key;
    if (key === undefined) continue;
    if (overrides(each.entry, kept.get(key)?.entry)) kept.set(key, each);
  }
  return repaired.map((each) => {
    const key = each.entry.keyLine?.key;
    const winner = key === undefined ? each : (kept.get(key) ?? each);
    if (key === undefined || winner === each) return each;
    const rule =
      each.entry.isMoved && !winner.entry.isMoved
        ? "the one that is not indented is used"
        : "the last value is used";
    return {
      entry: each.entry,
      lines: [],
      messages: [`"${shorten(key)}" appears more than once and ${rule}`],
    };
  });
}

function overrides(entry: BlockEntry, before: BlockEntry | undefined): boolean {
  if (before === undefined) return true;
  return entry.isMoved === before.isMoved ? !isEmpty(entry) : before.isMoved;
}

function isEmpty({ keyLine, lines }: BlockEntry): boolean {
  return keyLine?.head === "" && trimLines(lines.slice(1)).length === 0;
}

/** The lines of a block with repaired entries; lines between entries are unchanged. */
function joinEntries(block: readonly string[], repaired: readonly RepairedEntry[]): RepairedLines {
  const lines: string[] = [];
  const messages: string[] = [];
  let at = 0;
  for (const each of repaired) {
    for (const line of block.slice(at, each.entry.line)) lines.push(line);
    for (const line of each.lines) lines.push(line);
    for (const message of each.messages) messages.push(message);
    at = each.entry.line + each.entry.lines.length;
  }
  for (const line of block.slice(at)) lines.push(line);
  return { lines, messages };
}
