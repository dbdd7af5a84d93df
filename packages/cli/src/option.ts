import { SkillError } from "@skillhold/protocol/error";

export function textOption<Given extends object>(
  options: Given,
  name: keyof Given & string,
): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}

/** The values of a repeatable option. */
export function listOption<Given extends object>(
  options: Given,
  name: keyof Given & string,
): readonly string[] {
  const value: unknown = options[name];
  return Array.isArray(value) ? value.map(String) : [];
}

/** A whole number inside a range, or undefined when the option was left out. */
export function countOption<Given extends object>(
  options: Given,
  name: keyof Given & string,
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

/** A revision as a user types it. */
export function readRevision(text: string): number {
  const value = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new SkillError("USAGE", `A revision is a number from 1; ${JSON.stringify(text)} is not one.`, {
    hint: "`skillhold versions <skill>` lists the revisions there are.",
  });
}
