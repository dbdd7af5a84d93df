import { didYouMean, suggest } from "@skillhold/core/session";
import { SkillError } from "@skillhold/protocol/error";
import type { CommanderError } from "commander";
import { type CommandRow, groupOf, verbOf } from "./overview.ts";

const DASH_HINT = "Run with --help for the options. Put arguments that start with a dash after `--`.";

/** The parser's error as a coded one, with a suggestion where there is one. */
export function misuseOf({ code, message }: CommanderError, table: readonly CommandRow[]): SkillError {
  if (code === "commander.help") return new SkillError("USAGE", "No command was given.");
  const [, reason = message, guess] = /^(?:error: )?(.*?)(?:\n\((.*)\))?$/s.exec(message) ?? [];
  const hint =
    guess ?? guessFrom(reason, table) ?? (code === "commander.unknownOption" ? DASH_HINT : undefined);
  return new SkillError("USAGE", reason, hint === undefined ? {} : { hint });
}

/** The parser suggests commands and options by itself, but not these. */
function guessFrom(message: string, table: readonly CommandRow[]): string | undefined {
  const [, choice, choices] = /argument '(.*)' is invalid\. Allowed choices are (.*)\.$/.exec(message) ?? [];
  if (choice !== undefined) return didYouMean(suggest(choice, choices?.split(", ") ?? []));
  // In a group that is a command as well, a misspelled member looks like one argument too many.
  const [, group, word] = /^too many arguments for '(.*?)'\..* but got 1: (.*)\.$/.exec(message) ?? [];
  const members = table.filter((row) => groupOf(row) === group).map(verbOf);
  return word === undefined ? undefined : didYouMean(suggest(word, members));
}
