import type { FrontmatterValue } from "./value.ts";
import { isTypedText, type NodeReading } from "./yaml-node.ts";

/**
 * Reads the frontmatter that most skills have, lines of `key: text` and one level of the same below a key, about
 * thirty times as fast as the full reader. Anything else, and anything in doubt, is undefined: the full reader then
 * decides. What this one reads, it reads exactly as that one does, which a property test holds.
 */
export function readPlainYaml(text: string): NodeReading | undefined {
  const data: Record<string, FrontmatterValue> = Object.create(null);
  const keys = new Map<string, number>();
  const untyped: string[] = [];
  let parent: Parent | undefined;
  for (let start = 0; start < text.length; ) {
    const stop = text.indexOf("\n", start);
    const end = stop === -1 ? text.length : stop;
    const line = text.slice(start, end);
    const isNested = line.charCodeAt(0) === SPACE;
    const match = LINE.exec(line);
    if (match === null || isNested !== (match[1] === "  ")) return undefined;
    const [, , key = "", value = ""] = match;
    if (!isNested) {
      if (parent?.isEmpty || key in data) return undefined;
      parent = value === "" ? { key, map: Object.create(null), isEmpty: true } : undefined;
      const read = parent?.map ?? readText(value);
      if (read === undefined) return undefined;
      data[key] = read;
      keys.set(key, start);
    } else {
      const read = parent === undefined || key in parent.map ? undefined : readText(value);
      if (parent === undefined || read === undefined) return undefined;
      parent.map[key] = read;
      parent.isEmpty = false;
      if (parent.key === "metadata" && isTypedText(value)) untyped.push(key);
    }
    start = end + 1;
  }
  if (keys.size === 0 || parent?.isEmpty) return undefined;
  return { value: data, faults: NONE, keys, texts: NO_TEXTS, untyped, features: NO_FEATURES };
}

interface Parent {
  readonly key: string;
  readonly map: Record<string, FrontmatterValue>;
  isEmpty: boolean;
}

const SPACE = 0x20;
const NONE: readonly never[] = [];
const NO_TEXTS: NodeReading["texts"] = new Map();
const NO_FEATURES: NodeReading["features"] = new Set();

/** Indent of nothing or two blanks, a key that is a word, a colon, and the value up to trailing blanks. */
const LINE = /^( {2})?([A-Za-z_][A-Za-z0-9_-]*):(?: +(\S(?:.*\S)?))? *$/;

/** What makes a value more than plain text, or other than text, somewhere in YAML. */
const RISKY = /: |:$| #|[^\x20-\x7E\u00A1-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD]/;
const WORDS = /^(?:null|true|false|y|n|yes|no|on|off)$/i;
const QUOTED = /^"[^"\\]*"$|^'[^']*'$/;

function readText(value: string): string | undefined {
  const first = value.charCodeAt(0);
  if (first === 0x22 || first === 0x27) {
    return QUOTED.test(value) && !UNPRINTABLE.test(value) ? value.slice(1, -1) : undefined;
  }
  if (RISKY.test(value)) return undefined;
  if (isLetter(first)) return WORDS.test(value) ? undefined : value;
  return isDigit(first) && NOT_NUMBER.test(value) ? value : undefined;
}

const UNPRINTABLE = /[^\x20-\x7E\u00A1-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD]/;
/** Starts with digits and goes on as no number does: `1.0.0`, `2026-01-02`, `3 steps`. */
const NOT_NUMBER = /^\d+(?:\.\d+){2,}$|^\d{4}-\d\d-\d\d$|^\d+ [A-Za-z]/;

function isLetter(unit: number): boolean {
  return (
    (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x3041 && unit <= 0x9fff)
  );
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}
