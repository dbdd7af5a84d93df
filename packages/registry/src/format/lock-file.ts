import { SkillError } from "@skillhold/protocol/error";
import type { z } from "zod";

/** A lock of ten thousand skills is a fifth of this. */
const MAX_LENGTH = 16 * 1024 * 1024;
const MAX_DEPTH = 32;

/**
 * Reads a file that other programs write as well. What they add to it is kept, in their order, so that a lock that is
 * read and written again is the same bytes; what is not such a file is refused, because taking it for an empty one
 * would lose it at the next write.
 */
export function readLockFile<T>(name: string, text: string, schema: z.ZodType<T>): T {
  if (text.length > MAX_LENGTH) throw refuse(name, `is longer than ${MAX_LENGTH} characters`);
  const value = parseJson(name, text);
  if (!isShallow(value, MAX_DEPTH)) throw refuse(name, "is nested too deeply or has a field __proto__");
  const checked = schema.safeParse(value);
  if (checked.error !== undefined) {
    const [issue] = checked.error.issues;
    throw refuse(name, `is not one: ${issue?.path.map(String).join(".") ?? ""} ${issue?.message ?? ""}`);
  }
  // The schemas of locks check and change nothing; what they give back has its fields in another order.
  return value as T;
}

/** JSON as both command lines write it. */
export function writeLockFile(lock: object): string {
  return `${JSON.stringify(lock, null, 2)}\n`;
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refuse(name, "is not JSON", error);
  }
}

/** A bound on nesting, which writing would run out of stack for, and on the one key that is not data. */
function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth === 0 || Object.hasOwn(value, "__proto__")) return false;
  return Object.values(value).every((inner) => isShallow(inner, depth - 1));
}

function refuse(name: string, problem: string, cause?: unknown): SkillError {
  return new SkillError("CONFIG_INVALID", `The file ${name} ${problem.trimEnd()}.`, {
    hint: `Correct ${name}, or move it away to start a new one.`,
    details: { file: name },
    cause,
  });
}
