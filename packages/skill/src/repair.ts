import type { Limits } from "@skillhold/protocol/limits";
import { type MendedEntry, mendEntries } from "./repair-block.ts";
import { costOf, Trial } from "./repair-trial.ts";
import { isMap } from "./value.ts";
import { readYaml, type YamlReading } from "./yaml.ts";

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
