import type { ArgumentSpec, CommandModule, CommandRow, OptionSpec } from "../command.ts";
import { findRow, globalOptions, groupOf, verbOf } from "../overview.ts";

/** A word that the shell may insert. */
export interface Completion {
  readonly word: string;
  readonly summary: string;
}

/** Lists ids that only the library or the store know. */
export interface IdSource {
  skills(): Promise<readonly Completion[]>;
  agents(): Promise<readonly Completion[]>;
}

/**
 * The completions of the last word, which may be empty. An empty list means that the shell completes file names.
 * `words` has no program name.
 */
export async function complete(
  words: readonly string[],
  table: readonly CommandRow[],
  ids: IdSource,
): Promise<readonly Completion[]> {
  const partial = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  if (before.includes("--")) return [];
  const row = findRow(before, table);
  const all =
    row === undefined ? commandWords(before, table) : await wordsOf(row, before, partial, table, ids);
  return all.filter(({ word }) => word.startsWith(partial));
}

/** The first words of commands, or the verbs of a group. */
function commandWords(before: readonly string[], table: readonly CommandRow[]): readonly Completion[] {
  const group = before.filter((word) => !word.startsWith("-")).at(0);
  if (group !== undefined) return verbsOf(group, table);
  const groups = new Set(table.flatMap((row) => groupOf(row) ?? []));
  const singles = table.filter((row) => groupOf(row) === undefined && !groups.has(row.name));
  return [
    ...singles.map(({ name, summary }) => ({ word: name, summary })),
    ...[...groups].map((word) => ({ word, summary: `${verbsOf(word, table).length} commands` })),
  ];
}

function verbsOf(group: string, table: readonly CommandRow[]): readonly Completion[] {
  return table
    .filter((row) => groupOf(row) === group)
    .map((row) => ({ word: verbOf(row), summary: row.summary }));
}

async function wordsOf(
  row: CommandRow,
  before: readonly string[],
  partial: string,
  table: readonly CommandRow[],
  ids: IdSource,
): Promise<readonly Completion[]> {
  const { command } = await row.load();
  const open = command.options.find((option) => takesValue(option) && longName(option) === before.at(-1));
  if (open !== undefined) return await valuesOf(open, ids);
  if (partial.startsWith("-")) return optionWords(command, before);
  const argument = argumentAt(command, positionOf(row, command, before));
  const own = argument === undefined ? [] : await argumentWords(argument, ids);
  // A group that is also a command, such as `mcp`, has verbs beside its arguments.
  return before.at(-1) === row.name ? [...verbsOf(row.name, table), ...own] : own;
}

async function valuesOf({ choices, flags }: OptionSpec, ids: IdSource): Promise<readonly Completion[]> {
  if (choices !== undefined) return choices.map((word) => ({ word, summary: "" }));
  return flags.startsWith("--agent ") ? await ids.agents() : [];
}

function optionWords({ options }: CommandModule, before: readonly string[]): readonly Completion[] {
  const all = [...options, ...Object.values(globalOptions)];
  return all
    .filter(
      (option) => !before.includes(longName(option)) || ("repeats" in option && option.repeats === true),
    )
    .map((option) => ({ word: longName(option), summary: option.summary }));
}

function longName({ flags }: Pick<OptionSpec, "flags">): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags;
}

function takesValue({ flags }: OptionSpec): boolean {
  return flags.includes("<");
}

/** How many arguments stand before the last word. */
function positionOf(row: CommandRow, { options }: CommandModule, before: readonly string[]): number {
  const valued = new Set(["-C", "--cwd", ...options.filter(takesValue).map(longName)]);
  const plain = before.filter((word, at) => !word.startsWith("-") && !valued.has(before[at - 1] ?? ""));
  return plain.length - row.name.split(" ").length;
}

function argumentAt({ arguments: list }: CommandModule, position: number): ArgumentSpec | undefined {
  const last = list.at(-1);
  return list[position] ?? (last?.usage.includes("...") ? last : undefined);
}

async function argumentWords({ usage }: ArgumentSpec, ids: IdSource): Promise<readonly Completion[]> {
  if (/^[<[](?:id|ids|skills?)\b/.test(usage)) return await ids.skills();
  return usage === "<key>" ? await ids.agents() : [];
}
