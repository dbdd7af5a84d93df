import { parseBoundedJson } from "@skillhold/core/text";
import { SkillError } from "@skillhold/protocol/error";
import type { z } from "zod";

/** Five times the size of a lock with ten thousand skills. */
const MAX_LENGTH = 16 * 1024 * 1024;
const MAX_DEPTH = 32;

/**
 * Reads a file that other programs also write. Unknown fields and their order are kept, so that an unchanged
 * lock is written with the same bytes. An invalid file is rejected, because treating it as empty would lose
 * it at the next write.
 */
export function readLockFile<T>(name: string, text: string, schema: z.ZodType<T>): T {
  if (text.length > MAX_LENGTH) throw refuse(name, `is longer than ${MAX_LENGTH} characters`);
  const value = parseJson(name, text);
  if (!isShallow(value, MAX_DEPTH)) throw refuse(name, "is nested too deeply or has a __proto__ field");
  const checked = schema.safeParse(value);
  if (checked.error !== undefined) {
    const [issue] = checked.error.issues;
    throw refuse(name, `is invalid: ${issue?.path.map(String).join(".") ?? ""} ${issue?.message ?? ""}`);
  }
  // Lock schemas validate only; their output has another field order, so the input is returned.
  return value as T;
}

/** JSON in the format of both command lines. */
export function writeLockFile(lock: object): string {
  return `${JSON.stringify(lock, null, 2)}\n`;
}

function parseJson(name: string, text: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch (error) {
    throw refuse(name, "is not JSON", error);
  }
}

/** Limits nesting, which could overflow the stack when written, and rejects the `__proto__` key. */
function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth === 0 || Object.hasOwn(value, "__proto__")) return false;
  return Object.values(value).every((inner) => isShallow(inner, depth - 1));
}

function refuse(name: string, problem: string, cause?: unknown): SkillError {
  return new SkillError("CONFIG_INVALID", `The file ${name} ${problem.trimEnd()}.`, {
    hint: `Correct ${name}, or move it away to start a new file.`,
    details: { file: name },
    cause,
  });
}
