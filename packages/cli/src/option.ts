import { SkillError } from "@skillhold/protocol/error";
import type { CommandInput } from "./program.ts";

type Options = CommandInput["options"];

export function textOption(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}

/** What was given to an option that may be repeated. */
export function listOption(options: Options, name: string): readonly string[] {
  const value = options[name];
  return Array.isArray(value) ? value.map(String) : [];
}

/** A whole number inside a range, or undefined when the option was left out. */
export function countOption(
  options: Options,
  name: string,
  range: { readonly min: number; readonly max?: number },
): number | undefined {
  const text = textOption(options, name);
  if (text === undefined) return undefined;
  const { min, max = Number.MAX_SAFE_INTEGER } = range;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  const bounds = range.max === undefined ? `${min} or more` : `from ${min} to ${max}`;
  throw new SkillError(
    "USAGE",
    `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} takes a whole number, ${bounds}; ${JSON.stringify(text)} is not one.`,
  );
}

/** The object without the fields that are undefined, for options whose absence has a meaning. */
export function present<Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // Only fields with a value are left, each under its own key.
  return Object.fromEntries(entries) as { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };
}
