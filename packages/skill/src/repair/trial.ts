import type { Limits } from "@skillhold/protocol/limits";
import { type FrontmatterValue, isMap } from "../yaml/value.ts";
import { readYaml, type YamlReading } from "../yaml/yaml.ts";

/** What one reading costs even if there is almost nothing to read, in tokens. */
const READING_COST = 15;

/** A fault costs as much as two tokens, and so do four lines of one long text (measured). */
const FAULT_COST = 2;
const LINE_COST = 0.5;

/** How many times the tokens of the largest text that is repaired may be read in all. */
const READINGS = 2;

/** `key: word word` and `key: 'text'`: need no trial, and are most of what there is. */
const SURE_FIELD = /^[A-Za-z_][\w-]*: (?:[A-Za-z][\w ./-]*|'(?:[^'\p{C}]|'')*')$/u;

const SURE_HEADER = /^[A-Za-z_][\w-]*: [>|][+-]?$/;
const SURE_BLOCK_LINE = /^(?: {2}[^\s\p{C}][^\p{C}]*)?$/u;

/** Such a line ends a document wherever it stands, so that nothing could follow it. */
const DOCUMENT_END = /^(?:\.\.\.|---)(?:\s|$)/;

/** What reading a text took, in tokens. */
export function costOf({ tokens, faults }: YamlReading, lines: number): number {
  return tokens + faults.length * FAULT_COST + lines * LINE_COST;
}

/** Tries out texts as YAML until its budget is spent, so that no text can make the repair slow. */
export class Trial {
  readonly #limits: Limits;
  #left: number;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#left = limits.repairTokens * READINGS;
  }

  get isSpent(): boolean {
    return this.#left < 0;
  }

  /** The value of a text, or undefined when it does not read or the budget is spent. */
  read(lines: readonly string[]): FrontmatterValue | undefined {
    if (this.isSpent) return undefined;
    const reading = readYaml(`${lines.join("\n")}\n`, this.#limits);
    this.#left -= READING_COST + costOf(reading, lines.length);
    return reading.value;
  }

  /**
   * True when lines are one or more entries of a mapping, or of a list, as YAML reads them, and the value of
   * `textKey` is not itself a mapping or a list.
   */
  isSound(lines: readonly string[], kind: "field" | "item", textKey?: string): boolean {
    if (kind === "field" && isSure(lines)) return true;
    if (lines.some((line) => DOCUMENT_END.test(line))) return false;
    const value = this.read(lines);
    if (kind === "item") return Array.isArray(value);
    if (!isMap(value)) return false;
    const text = textKey === undefined ? undefined : value[textKey];
    return !isMap(text) && !Array.isArray(text);
  }
}

/** What the repairer writes itself reads without a doubt. */
function isSure([first = "", ...more]: readonly string[]): boolean {
  if (more.length === 0) return SURE_FIELD.test(first);
  return SURE_HEADER.test(first) && more[0] !== "" && more.every((line) => SURE_BLOCK_LINE.test(line));
}
