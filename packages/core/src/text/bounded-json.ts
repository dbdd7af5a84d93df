export interface JsonBounds {
  readonly depth: number;
  readonly values: number;
}

/** Deeper than any format needs, and shallow enough for every recursive reader. Files may have many values. */
const FILE_BOUNDS: JsonBounds = { depth: 64, values: Number.POSITIVE_INFINITY };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/**
 * Parses JSON of strangers and throws for JSON that is nested too deeply: a few megabytes of brackets block the event loop
 * for seconds, also when they are not closed. Bytes must be UTF-8.
 */
export function parseBoundedJson(given: string | Uint8Array, bounds: JsonBounds = FILE_BOUNDS): unknown {
  const bytes = typeof given === "string" ? new TextEncoder().encode(given) : given;
  const excess = findJsonExcess(bytes, bounds);
  if (excess !== undefined)
    throw new RangeError(`The JSON exceeds the limit of ${bounds[excess]} (${excess}).`);
  return JSON.parse(
    typeof given === "string" ? given : new TextDecoder("utf-8", { fatal: true }).decode(given),
  );
}

/** The first bound that JSON exceeds. Text that is not JSON is left to the parser. */
export function findJsonExcess(
  bytes: Uint8Array,
  { depth: deepest, values: most }: JsonBounds,
): keyof JsonBounds | undefined {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = endOfString(bytes, at + 1);
      continue;
    }
    // "[" and "{" differ in one bit, and so do "]" and "}".
    if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      values += 1;
      if (depth > deepest) return "depth";
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
    else if (byte === COMMA) values += 1;
    if (values > most) return "values";
  }
  return undefined;
}

/** The position of the closing quote. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
