import { SkillError } from "@skillhold/protocol/error";

/** Characters that do not belong in one line of visible text. */
const STRANGE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** A trimmed one-line text of limited length. Throws USAGE. */
export function checkText(what: string, text: string, max: number): string {
  const words = text.trim();
  if (words === "") throw refuse(`The ${what} is empty.`);
  if (words.length > max) throw refuse(`The ${what} is longer than ${max} characters.`);
  if (STRANGE.test(words)) throw refuse(`The ${what} contains a line break or an invisible character.`);
  return words;
}

/** A name used for comparison. Not trimmed: two different names must not become equal. */
export function checkExactName(what: string, text: string, max: number): string {
  if (checkText(what, text, max) !== text) throw refuse(`The ${what} starts or ends with a space.`);
  return text;
}

function refuse(message: string): SkillError {
  return new SkillError("USAGE", message, { hint: "Correct the value and try again." });
}
