import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import { findSwallowedBody } from "../repair/line.ts";
import { type Repair, repairFrontmatter } from "../repair/repair.ts";
import type { Finding } from "../rule/finding.ts";
import { copyPart, decodeText, type Position, positionAt, withUnixLines } from "../text/text.ts";
import { type FrontmatterMap, isMap } from "../yaml/value.ts";
import { readFullYaml, tryYaml, type YamlReading } from "../yaml/yaml.ts";
import { cutAtFences, type FencedText } from "./fence.ts";

/** A parsed SKILL.md. Any input gives one; problems are in `findings`. */
export interface ParsedSkill {
  /** False when the frontmatter is not a mapping, even after repair; `frontmatter` is then empty. */
  readonly isReadable: boolean;
  readonly frontmatter: FrontmatterMap;
  /** The instructions, exactly as they follow the closing fence. */
  readonly body: string;
  /** The whole file as text. */
  readonly text: string;
  readonly repaired: boolean;
  readonly findings: readonly Finding[];
  readonly fences: FencedText;
  readonly repair: Repair | undefined;
  readonly yaml: YamlReading | undefined;
}

/** The characters that YAML allows in a document. */
const UNPRINTABLE = /[^\t\n\r\x20-\x7E\x85\xA0-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const EMPTY: FrontmatterMap = Object.freeze(Object.create(null));
const FIRST: Position = { line: 1, column: 1 };

/** The only parser of SKILL.md. Never throws; time and memory are linear in the input. */
export function parseSkill(input: string | Uint8Array, limits: Limits = defaultLimits): ParsedSkill {
  const { text, isUtf8 } = typeof input === "string" ? { text: input, isUtf8: true } : decodeText(input);
  const fences = cutAtFences(text);
  // Callers keep values of the frontmatter, and few keep the instructions.
  const frontmatter = typeof input === "string" ? fences.frontmatter : copyPart(fences.frontmatter);
  const source = withUnixLines(frontmatter);
  const encoding = encodingFindings(text, source, isUtf8);
  const problem = fenceFinding(fences, limits);
  if (problem !== undefined) return unreadable(text, fences, [...encoding, problem]);

  const reading = tryYaml(source, limits);
  if (reading.value !== undefined) {
    const findings = [...encoding, ...faultFindings(source, reading)];
    return withMapping(text, fences, findings, reading, undefined);
  }
  const repair = repairFrontmatter(source, limits, reading);
  // Quotes make the text longer, and the repaired file must still be within the limit.
  if (repair === undefined || byteLength(repair.text, limits) > limits.frontmatterBytes)
    return unreadable(text, fences, [...encoding, ...faultFindings(source, readFullYaml(source, limits))]);
  return withMapping(text, fences, [...encoding, ...repairFindings(repair)], repair.reading, repair);
}

/** The position of a top-level field in the file; the first line when the field is absent. */
export function fieldPosition(skill: ParsedSkill, key: string): Position {
  const source = withUnixLines(skill.fences.frontmatter);
  const offset = skill.repaired ? findKey(source, key) : skill.yaml?.keys.get(key);
  return offset === undefined ? FIRST : below(positionAt(source, offset));
}

/** The line of the file where the instructions start. */
export function bodyLine(skill: ParsedSkill): number {
  const before = withUnixLines(skill.fences.head + skill.fences.frontmatter + skill.fences.tail);
  return positionAt(before, before.length).line;
}

function unreadable(text: string, fences: FencedText, findings: readonly Finding[]): ParsedSkill {
  return {
    isReadable: false,
    frontmatter: EMPTY,
    body: fences.body,
    text,
    repaired: false,
    findings,
    fences,
    repair: undefined,
    yaml: undefined,
  };
}

function withMapping(
  text: string,
  fences: FencedText,
  findings: readonly Finding[],
  yaml: YamlReading,
  repair: Repair | undefined,
): ParsedSkill {
  const { value } = yaml;
  if (!isMap(value)) {
    const message = "The frontmatter must be a YAML mapping of fields to values.";
    const finding: Finding = { code: "FRONTMATTER_NOT_MAPPING", line: 2, column: 1, message };
    return unreadable(text, fences, [...findings, finding]);
  }
  return {
    isReadable: true,
    frontmatter: value,
    body: fences.body,
    text,
    repaired: repair !== undefined,
    findings,
    fences,
    repair,
    yaml,
  };
}

function encodingFindings(text: string, source: string, isUtf8: boolean): readonly Finding[] {
  const findings: Finding[] = [];
  if (!isUtf8) {
    const at = positionAt(withUnixLines(text), withUnixLines(text).indexOf("\uFFFD"));
    findings.push({ code: "NOT_UTF8", ...at, message: "The file contains bytes that are not UTF-8." });
  }
  if (text.startsWith("\uFEFF"))
    findings.push({ code: "BOM", ...FIRST, message: "The file starts with a byte-order mark." });
  if (text.includes("\r")) {
    if (text.includes("\r\n")) findings.push({ code: "CRLF", ...FIRST, message: "Lines end in CRLF." });
    if (/\r(?!\n)/.test(text))
      findings.push({ code: "LONE_CR", ...FIRST, message: "Lines end in a bare carriage return." });
  }
  const bad = source.search(UNPRINTABLE);
  if (bad !== -1) {
    const code = source.codePointAt(bad)?.toString(16).toUpperCase().padStart(4, "0");
    const message = `The frontmatter contains the control character U+${code}.`;
    findings.push({ code: "CONTROL_CHARACTER", ...below(positionAt(source, bad)), message });
  }
  return findings;
}

function fenceFinding(fences: FencedText, limits: Limits): Finding | undefined {
  if (fences.kind === "none")
    return {
      code: "NO_FRONTMATTER",
      ...FIRST,
      message: "The file does not start with YAML frontmatter (a line of ---).",
    };
  const bytes = byteLength(fences.frontmatter, limits);
  if (bytes > limits.frontmatterBytes) {
    const message = `The frontmatter is ${bytes} bytes long; the limit is ${limits.frontmatterBytes} bytes.`;
    return { code: "FRONTMATTER_TOO_LARGE", ...FIRST, message };
  }
  if (fences.kind === "unclosed")
    return {
      code: "FRONTMATTER_UNCLOSED",
      ...FIRST,
      message: "The frontmatter is not closed with a line of ---.",
    };
  return undefined;
}

/** The UTF-8 length. A UTF-16 unit has at most three bytes, so only text near the limit is measured. */
function byteLength(text: string, limits: Limits): number {
  return text.length * 3 <= limits.frontmatterBytes ? text.length : new TextEncoder().encode(text).length;
}

function faultFindings(source: string, reading: YamlReading): readonly Finding[] {
  return reading.faults.map(({ code, offset, message }) => ({
    code,
    ...below(positionAt(source, offset)),
    message: code === "YAML_INVALID" ? `Invalid YAML: ${message}.` : sentence(message),
  }));
}

function repairFindings(repair: Repair): readonly Finding[] {
  return repair.edits.map(({ line, message }) => ({
    code: "YAML_REPAIRED",
    line: line + 2,
    column: 1,
    message: `Invalid YAML, repaired: ${message}.`,
  }));
}

function sentence(message: string): string {
  return `${message.slice(0, 1).toUpperCase()}${message.slice(1)}.`;
}

function findKey(source: string, key: string): number | undefined {
  const starts = [`${key}:`, `"${key}":`, `'${key}':`];
  let at = 0;
  for (const line of source.split("\n")) {
    if (starts.some((start) => line.startsWith(start))) return at;
    at += line.length + 1;
  }
  return undefined;
}

/** Converts a position in the frontmatter to one in the file: the opening fence is the line above. */
function below({ line, column }: Position): Position {
  return { line: line + 1, column };
}

/**
 * The line of the file from which on the repairs would turn instructions into frontmatter; undefined when they keep all
 * instructions. Contract: a caller that writes `fixText` to a file checks this first.
 */
export function findFixLoss({ repair, fences }: ParsedSkill): number | undefined {
  const start = repair && findSwallowedBody(withUnixLines(fences.frontmatter).split("\n"));
  if (start === undefined || !repair?.edits.some(({ line, count }) => line + count > start)) return undefined;
  return start + 2;
}

/** The file with its repairs applied. All other lines keep their bytes and line ends. */
export function fixText(skill: ParsedSkill): string {
  if (skill.repair === undefined) return skill.text;
  const lines = skill.fences.frontmatter.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
  const fixed: string[] = [];
  let next = 0;
  for (const { line, count, lines: replacement } of skill.repair.edits) {
    const end = /\r\n$|\r$|\n$/.exec(lines[line] ?? lines[0] ?? "")?.[0] ?? "\n";
    fixed.push(lines.slice(next, line).join(""), replacement.map((text) => `${text}${end}`).join(""));
    next = line + count;
  }
  fixed.push(lines.slice(next).join(""));
  return skill.fences.head + fixed.join("") + skill.fences.tail + skill.fences.body;
}
