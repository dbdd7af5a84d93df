import { SkillError } from "@skillhold/protocol/error";

/** What could be taken for anything but one line of text. */
const STRANGE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** A name or a few words that people read, within bounds. Throws USAGE. */
export function checkText(what: string, text: string, max: number): string {
  const words = text.trim();
  if (words === "") throw refuse(`The ${what} is empty.`);
  if (words.length > max) throw refuse(`The ${what} is longer than ${max} characters.`);
  if (STRANGE.test(words)) throw refuse(`The ${what} has a line end or a character that cannot be seen.`);
  return words;
}

/** A name that is compared: nothing of it is trimmed away, or two would be one. */
export function checkExactName(what: string, text: string, max: number): string {
  if (checkText(what, text, max) !== text) throw refuse(`The ${what} begins or ends with a blank.`);
  return text;
}

function refuse(message: string): SkillError {
  return new SkillError("USAGE", message, { hint: "Correct what the message names." });
}
