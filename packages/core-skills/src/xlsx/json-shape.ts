import { clip } from "../shared/bounded.ts";
import type { JsonObject, JsonValue } from "../shared/command.ts";
import { usageError } from "../shared/script-error.ts";

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function readObject(value: JsonValue | undefined, where: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw usageError(`${where} is an object, not ${describe(value)}.`);
}

export function readList(value: JsonValue | undefined, where: string): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  throw usageError(`${where} is a list, not ${describe(value)}.`);
}

export function readString(value: JsonValue | undefined, where: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw usageError(`${where} is a text, not ${describe(value)}.`);
}

export function optionalString(value: JsonValue | undefined, where: string): string | undefined {
  return value === undefined ? undefined : readString(value, where);
}

export function optionalBoolean(value: JsonValue | undefined, where: string): boolean | undefined {
  if (value === undefined || typeof value === "boolean") return value;
  throw usageError(`${where} is true or false, not ${describe(value)}.`);
}

export function readNumber(
  value: JsonValue | undefined,
  where: string,
  range: { readonly min: number; readonly max: number },
): number {
  if (typeof value === "number" && value >= range.min && value <= range.max) return value;
  throw usageError(`${where} is a number from ${range.min} to ${range.max}, not ${describe(value)}.`);
}

/** An unknown key is most likely a typing error. */
export function rejectUnknown(object: JsonObject, known: readonly string[], where: string): void {
  const unknown = Object.keys(object).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw usageError(`${where} has no key ${clip(unknown, 40)}.`, `Its keys are ${known.join(", ")}.`);
}

function describe(value: JsonValue | undefined): string {
  return value === undefined ? "missing" : clip(JSON.stringify(value), 60);
}
