import { SkillError } from "@skillhold/protocol/error";

const MAX_JSON = 1024 * 1024;
/** More than any route takes, and less than makes anything that looks at it give up. */
const MAX_DEPTH = 32;

/** The JSON of a request, undefined for an empty one. Its size is bounded as it is read, whatever it says of itself. */
export async function readJson(request: Request): Promise<unknown> {
  const text = await readText(request, MAX_JSON);
  if (text === "") return undefined;
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json(;|$)/i.test(type.trim()))
    throw new SkillError("MEDIA_TYPE_REFUSED", "The body must be JSON.", {
      hint: "Send it with `Content-Type: application/json`.",
    });
  const value = parseJson(text);
  rejectStrange(value);
  return value;
}

async function readText(request: Request, most: number): Promise<string> {
  if (request.body === null) return "";
  if (Number(request.headers.get("content-length")) > most) throw tooLarge(most);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of request.body) {
    size += part.byteLength;
    if (size > most) throw tooLarge(most);
    parts.push(part);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts));
  } catch {
    throw new SkillError("USAGE", "The body is not text in UTF-8.", { hint: "Send it as UTF-8." });
  }
}

function tooLarge(most: number): SkillError {
  return new SkillError("LIMIT_EXCEEDED", `The body is larger than ${most} bytes.`, {
    hint: "Send less, or an archive to a route that takes one.",
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SkillError("USAGE", "The body is not JSON.", {
      hint: "Check its quotes, commas and brackets.",
    });
  }
}

/** A level at a time, so that nothing is too deep to be looked at. */
function rejectStrange(value: unknown): void {
  let level: readonly object[] = objectsIn([value]);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH)
      throw new SkillError("USAGE", `The body has more than ${MAX_DEPTH} levels.`, {
        hint: "Send it flatter.",
      });
    // Whoever copies such a key would change what an object is.
    if (level.some((each) => Object.hasOwn(each, "__proto__")))
      throw new SkillError("USAGE", "The body has a key `__proto__`.", { hint: "Leave it out." });
    level = level.flatMap((each) => objectsIn(Object.values(each)));
  }
}

function objectsIn(values: readonly unknown[]): readonly object[] {
  return values.filter((value) => typeof value === "object" && value !== null);
}
