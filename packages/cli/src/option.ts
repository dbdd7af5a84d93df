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

/** Reads a revision number. */
export function readRevision(text: string): number {
  const value = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new SkillError("USAGE", `${JSON.stringify(text)} is not a revision number.`, {
    hint: "Run `skillhold versions <skill>` to list the revisions.",
  });
}
