import { didYouMean, suggest } from "@skillhold/core/session";
import { SkillError } from "@skillhold/protocol/error";
import type { CommanderError } from "commander";
import type { CommandOutline } from "./overview.ts";

const DASH_HINT = "--help shows the options; arguments that begin with a dash go after `--`.";

/** What the parser refused, with what was meant where that can be guessed. */
export function misuseOf({ code, message }: CommanderError, table: readonly CommandOutline[]): SkillError {
  if (code === "commander.help") return new SkillError("USAGE", "a command is missing");
  const [, said = message, guess] = /^(?:error: )?(.*?)(?:\n\((.*)\))?$/s.exec(message) ?? [];
  const hint =
    guess ?? guessFrom(said, table) ?? (code === "commander.unknownOption" ? DASH_HINT : undefined);
  return new SkillError("USAGE", said, hint === undefined ? {} : { hint });
}

/** The parser guesses commands and options by itself, and not these. */
function guessFrom(message: string, table: readonly CommandOutline[]): string | undefined {
  const [, choice, choices] = /argument '(.*)' is invalid\. Allowed choices are (.*)\.$/.exec(message) ?? [];
  if (choice !== undefined) return didYouMean(suggest(choice, choices?.split(", ") ?? []));
  // A group may be a command as well, to which a misspelt member is one argument too many.
  const [, group, word] = /^too many arguments for '(.*?)'\..* but got 1: (.*)\.$/.exec(message) ?? [];
  const members = table.filter((spec) => spec.group?.name === group).map(({ name }) => name);
  return word === undefined ? undefined : didYouMean(suggest(word, members));
}
