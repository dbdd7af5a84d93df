import { findJsonExcess } from "@skillhold/core/text";
import { SkillError } from "@skillhold/protocol/error";

/** Deeper than any route needs. Many tiny values cost far more memory and time than their bytes suggest. */
const BOUNDS = { depth: 32, values: 100_000 };
/** A body counts as one more request for each of these. */
const BYTES_PER_REQUEST = 16 * 1024;

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

/** Throws for JSON that is nested too deeply or has too many values. */
export function rejectExcessive(bytes: Uint8Array): void {
  const excess = findJsonExcess(bytes, BOUNDS);
  if (excess === "depth") throw tooDeep();
  if (excess === "values") throw tooMany();
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
  return new SkillError("USAGE", `The body is nested more than ${BOUNDS.depth} levels deep.`, {
    hint: "Send a flatter value.",
  });
}

function tooMany(): SkillError {
  return new SkillError("LIMIT_EXCEEDED", `The body has more than ${BOUNDS.values} values.`, {
    hint: "Send the values in several requests.",
  });
}
