import type { Argv } from "./command-line.ts";
import { type EscapeRow, escapeTable } from "./escape-table.ts";
import { type LauncherRow, launcherTable } from "./launcher-table.ts";
import { plainPrograms } from "./plain-program-table.ts";
import type { CommandPattern } from "./tool-pattern.ts";

export interface CommandPlaces {
  /** The skill's folder, absolute: the value of the placeholders. */
  readonly folder?: string | undefined;
}

export type CommandMatch =
  | { readonly isMatch: true }
  /** With `prefix`: the pattern names this program but is no limit, so a person may allow commands that start so. */
  | { readonly isMatch: false; readonly reason?: string; readonly prefix?: readonly string[] };

/**
 * Compares a command with a pattern word by word. A prefix of a program that may start others never matches, because it
 * would grant every program, and known escape options after a prefix are rejected.
 *
 * Guarantee: the program and the first words are those of the pattern, and the command line itself runs no other
 * program. Not guaranteed: that the program, its configuration or a modified script is harmless. The sandbox covers
 * that.
 */
export function matchCommand(argv: Argv, pattern: CommandPattern, places: CommandPlaces = {}): CommandMatch {
  const words = resolveWords(pattern.words, places.folder);
  if (words === undefined) return { isMatch: false };
  if (argv.length < words.length || words.some((word, index) => word !== argv[index]))
    return { isMatch: false };
  if (!pattern.isPrefix) return { isMatch: argv.length === words.length };
  const launch = findPinProblem(words);
  if (launch !== undefined)
    return { isMatch: false, reason: launch, prefix: askedPrefix(argv, words.length) };
  const refused = argv.slice(words.length).find((word) => isEscape(word, words));
  if (refused === undefined) return { isMatch: true };
  return { isMatch: false, reason: `${refused} would let ${words[0]} run or write something else` };
}

/** Why a prefix of these words would grant too much; undefined when it does not. */
export function findPinProblem(words: readonly string[]): string | undefined {
  const [program = "", ...rest] = words;
  const row = launcherOf(program);
  if (row === undefined) {
    // A path names one file, such as a script of the skill.
    if (program.includes("/") || isPlainProgram(program)) return undefined;
    return `${[program, ...rest].join(" ")} is no limit, for it may run other programs; ${ADVICE.nothing}`;
  }
  if (isPinned(row, rest)) return undefined;
  return `${[program, ...rest].join(" ")} is no limit, for it ${row.reason}; ${ADVICE[row.pin.by]}`;
}

/** The program and its subcommand, if the command is that plain; otherwise the whole command. */
function askedPrefix(argv: Argv, granted: number): readonly string[] {
  const prefix = argv.slice(0, granted + 1);
  const isPlain = /^[a-z][a-z0-9-]*$/.test(argv[granted] ?? "");
  return isPlain && !argv.slice(prefix.length).some((word) => isEscape(word, prefix)) ? prefix : argv;
}

function isPlainProgram(program: string): boolean {
  const name = baseName(program);
  return plainPrograms.has(name) || plainPrograms.has(withoutVersion(name));
}

function resolveWords(words: readonly string[], folder: string | undefined): readonly string[] | undefined {
  const isOpen = words.some((word) => PLACEHOLDERS.test(word));
  if (!isOpen) return words;
  if (folder === undefined || !folder.startsWith("/")) return undefined;
  const root = folder.replace(/\/+$/, "");
  return words.map((word) => word.split(PLACEHOLDERS).join(root));
}

const PLACEHOLDERS = /\$\{CLAUDE_SKILL_DIR\}|\{baseDir\}/;

const ADVICE: Readonly<Record<LauncherRow["pin"]["by"], string>> = {
  nothing: "only a whole command without * can be granted",
  script: "name the script as well, such as `python3 scripts/a.py:*`",
  subcommand: "name the subcommand as well, such as `git log:*`",
  word: "name more of it, such as `find docs:*`",
};

function launcherOf(program: string): LauncherRow | undefined {
  const name = baseName(program);
  return LAUNCHERS.get(name) ?? LAUNCHERS.get(withoutVersion(name));
}

const LAUNCHERS: ReadonlyMap<string, LauncherRow> = new Map(
  launcherTable.flatMap((row) => row.names.split(" ").map((name) => [name, row] as const)),
);

/** Case-insensitive systems also run `PYTHON3`. */
function baseName(program: string): string {
  const name = program.slice(program.lastIndexOf("/") + 1).toLowerCase();
  return name.replace(/\.(?:exe|cmd|bat|com)$/, "");
}

/** `python3.12`, `gcc-13` and `ld-linux-x86-64.so.2` as `python`, `gcc` and `ld.so`. */
function withoutVersion(name: string): string {
  if (/^ld(?:-[\w-]+|64)?(?:\.so)?(?:\.\d+)*$/.test(name)) return "ld.so";
  return name.replace(/-?\d[\d.]*$/, "");
}

function isPinned({ pin }: LauncherRow, rest: readonly string[]): boolean {
  switch (pin.by) {
    case "nothing":
      return false;
    case "word":
      return rest.length > 0;
    case "subcommand":
      return pin.words.some((words) => words.split(" ").every((word, index) => word === rest[index]));
    case "script":
      return (pin.after ?? [""]).some((word) =>
        word === "" ? isScript(rest[0]) : rest[0] === word && isScript(rest[1]),
      );
  }
}

/** A file path: not an option, an address, a stream or a bare word, which may be a command. */
function isScript(word: string | undefined): boolean {
  if (word === undefined || !/^[^-].*(?:\/[^/]|\.[a-z][a-z0-9]{0,4}$)/i.test(word)) return false;
  return !/:\/\/|^\/+(?:dev|proc)\//.test(word) && !/^[a-z]+:/i.test(word);
}

function isEscape(word: string, granted: readonly string[]): boolean {
  const [program = "", subcommand = ""] = granted;
  const name = baseName(program);
  const names = [name, withoutVersion(name), `${name} ${subcommand}`];
  return escapeTable.some((row) => row.names.some((each) => names.includes(each)) && isRefused(word, row));
}

function isRefused(word: string, row: EscapeRow): boolean {
  const { long = "", short = "", words = "" } = row;
  if (words.split(" ").includes(word)) return true;
  const lower = word.toLowerCase();
  if (row.begins?.split(" ").some((part) => lower.startsWith(part)) === true) return true;
  if (row.inside?.split(" ").some((part) => lower.includes(part)) === true) return true;
  if (word.startsWith("--")) {
    const name = word.slice(2).split("=")[0] ?? "";
    return name !== "" && long.split(" ").some((each) => each.startsWith(name));
  }
  return word.startsWith("-") && [...short].some((letter) => word.includes(letter));
}
