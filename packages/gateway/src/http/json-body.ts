import { SkillError } from "@skillhold/protocol/error";

/** Deeper than any route needs, and shallow enough for every recursive reader. */
const MAX_DEPTH = 32;
/** Values of one document. Many tiny values cost far more memory and time than their bytes suggest. */
const MAX_VALUES = 100_000;
/** A body counts as one more request for each of these. */
const BYTES_PER_REQUEST = 16 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** Counts requests toward a rate limit and throws RATE_LIMITED. */
export type TakeRequests = (count: number) => void;

/**
 * The bytes of a body. The size limit holds whatever content-length says, and large bodies count as several requests
 * before they are read to the end.
 */
export async function readBytes(request: Request, max: number, take?: TakeRequests): Promise<Buffer> {
  if (request.body === null) return Buffer.alloc(0);
  if (Number(request.headers.get("content-length")) > max) throw tooLarge(max);
  const parts: Uint8Array[] = [];
  let size = 0;
  let counted = 0;
  for await (const part of request.body) {
    size += part.byteLength;
    if (size > max) throw tooLarge(max);
    parts.push(part);
    const more = Math.floor(size / BYTES_PER_REQUEST) - counted;
    if (more > 0) take?.(more);
    counted += more;
  }
  return Buffer.concat(parts);
}

/** Parses JSON from a client. Depth and number of values are checked on the bytes, because parsing alone can block. */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  rejectExcessive(bytes);
  const value = parse(decode(bytes));
  rejectPrototype(value);
  return value;
}

/** Throws for JSON that is nested too deeply or has too many values. Text that is not JSON is left to the parser. */
export function rejectExcessive(bytes: Uint8Array): void {
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
      if (depth > MAX_DEPTH) throw tooDeep();
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
    else if (byte === COMMA) values += 1;
    if (values > MAX_VALUES) throw tooMany();
  }
}

/** The position of the closing quote. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new SkillError("USAGE", "The body is not valid UTF-8.", { hint: "Encode it as UTF-8." });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SkillError("USAGE", "The body is not valid JSON.", {
      hint: "Check its quotes, commas and brackets.",
    });
  }
}

/** Copying such a key would replace an object's prototype. Contract: the depth is bounded. */
function rejectPrototype(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if (Object.hasOwn(value, "__proto__"))
    throw new SkillError("USAGE", "The body has a key `__proto__`.", { hint: "Remove it." });
  for (const each of Object.values(value)) rejectPrototype(each);
}

function tooLarge(max: number): SkillError {
  return new SkillError("LIMIT_EXCEEDED", `The body is larger than ${max} bytes.`, {
    hint: "Send a smaller body, or use a route that accepts an archive.",
  });
}

function tooDeep(): SkillError {
  return new SkillError("USAGE", `The body is nested more than ${MAX_DEPTH} levels deep.`, {
    hint: "Send a flatter value.",
  });
}

function tooMany(): SkillError {
  return new SkillError("LIMIT_EXCEEDED", `The body has more than ${MAX_VALUES} values.`, {
    hint: "Send the values in several requests.",
  });
}
