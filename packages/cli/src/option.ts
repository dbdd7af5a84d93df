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

/** A whole number inside a range, or undefined without the option. */
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
  const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new SkillError("USAGE", `${flag} takes a whole number, ${bounds}, not ${JSON.stringify(text)}.`);
}

/** The days of --older-than. */
export function readAge<Given extends object>(options: Given & { readonly olderThan?: unknown }): number {
  const text = textOption(options, "olderThan") ?? "";
  const days = /^\d{1,5}d$/.test(text) ? Number(text.slice(0, -1)) : 0;
  if (days >= 1 && days <= 36_500) return days;
  throw new SkillError(
    "USAGE",
    text === ""
      ? "--older-than is required."
      : `--older-than takes days from 1d to 36500d, not ${JSON.stringify(text)}.`,
    { hint: "Write a number of days, such as 90d." },
  );
}

/** Reads a revision number. */
export function readRevision(text: string): number {
  const value = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new SkillError("USAGE", `${JSON.stringify(text)} is not a revision number.`, {
    hint: "Run `skillhold versions <skill>` to list the revisions.",
  });
}
