import type { Limits } from "@skillhold/protocol/limits";
import { type FrontmatterValue, isMap } from "../yaml/value.ts";
import { tryYaml, type YamlReading } from "../yaml/yaml.ts";

/** The minimum cost of one parse, in tokens. */
const READING_COST = 15;

/** Measured: a fault costs as much as two tokens, and so do four lines of one long text. */
const FAULT_COST = 2;
const LINE_COST = 0.5;

/** The budget of all parses, as a multiple of `repairTokens`. */
const READINGS = 2;

/** `key: word word` and `key: 'text'` are the most common lines and need no trial. */
const SURE_FIELD = /^[A-Za-z_][\w-]*: (?:[A-Za-z][\w ./-]*|'(?:[^'\p{C}]|'')*')$/u;

const SURE_HEADER = /^[A-Za-z_][\w-]*: [>|][+-]?$/;
const SURE_BLOCK_LINE = /^(?: {2}[^\s\p{C}][^\p{C}]*)?$/u;

/** Such a line ends the document at any position. */
const DOCUMENT_END = /^(?:\.\.\.|---)(?:\s|$)/;

/** The cost of a parse, in tokens. */
export function costOf({ tokens, faults }: YamlReading, lines: number): number {
  return tokens + faults.length * FAULT_COST + lines * LINE_COST;
}

/** Parses candidate texts within a budget, so that no text can make the repair slow. */
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

  /** The parsed value; undefined if the text does not parse or the budget is spent. */
  read(lines: readonly string[]): FrontmatterValue | undefined {
    if (this.isSpent) return undefined;
    const reading = tryYaml(`${lines.join("\n")}\n`, this.#limits);
    this.#left -= READING_COST + costOf(reading, lines.length);
    return reading.value;
  }

  /** True when the lines parse as entries of a mapping or a list, and the value of `textKey` is a scalar. */
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

/** True for lines in the format that the repairer writes, which always parse. */
function isSure([first = "", ...more]: readonly string[]): boolean {
  if (more.length === 0) return SURE_FIELD.test(first);
  return SURE_HEADER.test(first) && more[0] !== "" && more.every((line) => SURE_BLOCK_LINE.test(line));
}
