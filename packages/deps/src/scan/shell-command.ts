import type { Place, Sighting } from "@skillhold/core/dependency";
import type { CodeText } from "./code-scan.ts";
import { isCommandName } from "./package-name.ts";
import { distributionsOf, moduleOf } from "./python-distribution.ts";
import { isStandardModule } from "./python-stdlib.ts";
import { commandRuntime, isCommonCommand, WRAPPERS } from "./shell-table.ts";
import { type Interest, parseSyntax, type SyntaxNode } from "./syntax.ts";
import type { DependencyTally } from "./tally.ts";

/** The commands of a shell script. */
interface ShellReading {
  readonly commands: readonly ShellCommand[];
  /** Functions and aliases that the script defines. */
  readonly defined: ReadonlySet<string>;
  /** Optional commands that the script tests with `command -v` or similar, with the line. */
  readonly guarded: ReadonlyMap<string, number>;
  /** True when the script sources other files, which may define any command. */
  readonly isSourcing: boolean;
}

interface ShellCommand {
  readonly name: string;
  /** The literal words after the command; undefined for words that contain expansions. */
  readonly words: readonly (string | undefined)[];
  /** Starts at 1. */
  readonly line: number;
}

/** Returns undefined when parsing exceeds its limits. */
export async function readShell(text: string): Promise<ShellReading | undefined> {
  const commands: ShellCommand[] = [];
  const defined = new Set<string>();
  const guarded = new Map<string, number>();
  const isParsed = await parseSyntax("bash", INTEREST, text, (nodes) => {
    for (const node of nodes) {
      if (node.type === "function_definition") defined.add(node.childForFieldName("name")?.text ?? "");
      else addCommand({ commands, defined, guarded }, node);
    }
  });
  const isSourcing = commands.some(({ name }) => name === "source" || name === ".");
  return isParsed ? { commands, defined, guarded, isSourcing } : undefined;
}

const INTEREST: Interest = { find: ["command", "function_definition"] };

interface Collected {
  readonly commands: ShellCommand[];
  readonly defined: Set<string>;
  readonly guarded: Map<string, number>;
}

function addCommand(into: Collected, node: SyntaxNode): void {
  // After a syntax error, a word may be an argument instead of a command.
  if (node.hasError) return;
  const line = node.startPosition.row + 1;
  let words = wordsOf(node);
  for (let depth = 0; depth < MAX_WRAPPERS; depth += 1) {
    const [name, ...rest] = words;
    if (name === undefined) return;
    const asked = askedFor(name, rest);
    for (const each of asked) into.guarded.set(each, line);
    if (asked.length > 0) return;
    if (name === "alias") addAliases(into.defined, rest);
    if (isCommandName(name) || name === ".") into.commands.push({ name, words: rest, line });
    const inner = unwrap(name, rest);
    if (inner === undefined) return;
    words = inner;
  }
}

/** The maximum nesting of wrappers such as `sudo env nice`. */
const MAX_WRAPPERS = 5;
const ASKING = new Set(["which", "type", "hash", "whence"]);

function askedFor(name: string, words: readonly (string | undefined)[]): readonly string[] {
  const isAsking = ASKING.has(name) || (name === "command" && /^-[vV]$/.test(words[0] ?? ""));
  if (!isAsking) return [];
  return words.filter((word): word is string => word !== undefined && isCommandName(word));
}

function addAliases(defined: Set<string>, words: readonly (string | undefined)[]): void {
  for (const word of words) {
    const name = /^([^=]+)=/.exec(word ?? "")?.[1];
    if (name !== undefined) defined.add(name);
  }
}

/** The command that a wrapper such as `sudo` runs, starting at its name. */
function unwrap(
  name: string,
  words: readonly (string | undefined)[],
): readonly (string | undefined)[] | undefined {
  if (name === "find") return afterExec(words);
  const wrapper = WRAPPERS.get(name);
  if (wrapper === undefined) return undefined;
  let index = 0;
  let own = wrapper.words;
  for (; index < words.length; index += 1) {
    const word = words[index];
    if (word === "--") continue;
    if (word?.startsWith("-") === true) index += wrapper.valued.has(word) ? 1 : 0;
    else if (word !== undefined && /^[A-Za-z_]\w*=/.test(word)) continue;
    else if (own > 0) own -= 1;
    else break;
  }
  return words.slice(index);
}

/** The command of `find … -exec`. */
function afterExec(words: readonly (string | undefined)[]): readonly (string | undefined)[] | undefined {
  const at = words.findIndex((word) => /^-(?:exec|ok)(?:dir)?$/.test(word ?? ""));
  return at === -1 ? undefined : words.slice(at + 1);
}

/** The name and arguments of a command, without redirections. */
function wordsOf(node: SyntaxNode): readonly (string | undefined)[] {
  const name = node.childForFieldName("name");
  if (name === null) return [];
  const inner = name.namedChildren.length === 1 ? (name.namedChild(0) ?? null) : null;
  return [plain(inner), ...node.childrenForFieldName("argument").map(plain)];
}

const LONGEST_WORD = 1000;

function plain(node: SyntaxNode | null): string | undefined {
  if (node === null || node.endIndex - node.startIndex > LONGEST_WORD) return undefined;
  switch (node.type) {
    case "word":
    case "number":
      return node.text.replace(/\\(.)/g, "$1");
    case "raw_string":
      return node.text.slice(1, -1);
    case "string":
      return node.namedChildren.every((child) => child?.type === "string_content")
        ? node.text.slice(1, -1)
        : undefined;
    case "concatenation":
      return node.namedChildren.every((child) => child?.type === "word" || child?.type === "number")
        ? node.text
        : plainAssignment(node);
    default:
      return undefined;
  }
}

/** For `ll='ls -l'` and `A="$B"`, only the name before `=` matters. */
function plainAssignment(node: SyntaxNode): string | undefined {
  return /^[\w-]+=/.exec(node.text)?.[0];
}

/** A parsed shell script. Scripts of a bundle may source each other, so they share their definitions. */
export interface ReadShellText extends CodeText {
  readonly reading: ShellReading;
}

interface ShellSurroundings {
  readonly defined: ReadonlySet<string>;
  /** Names of the bundle's own files. */
  readonly files: ReadonlySet<string>;
  isLocalModule(file: string, module: string): boolean;
}

export function tallyShell(code: ReadShellText, around: ShellSurroundings, tally: DependencyTally): void {
  const { commands, guarded, isSourcing } = code.reading;
  for (const command of commands) {
    noteInstall(command, code.path, tally);
    runModule(command, code.path, around, tally);
    if (around.defined.has(command.name) || around.files.has(command.name)) continue;
    // Such names are usually functions, not programs.
    if (isSourcing && command.name.includes("_")) continue;
    const place = { file: code.path, line: command.line, declared: false };
    const optional = guarded.has(command.name);
    const runtime = commandRuntime(command.name);
    if (runtime !== undefined)
      tally.add({ ...place, kind: "runtime", name: runtime, import: runtime, optional });
    else if (!isCommonCommand(command.name) && command.name !== ".")
      addProgram(command.name, { ...place, optional }, tally);
  }
  // A command that is tested but never called by name is called another way, for example through a variable.
  const run = new Set(commands.map(({ name }) => name));
  for (const [name, line] of guarded)
    if (!run.has(name) && !around.defined.has(name)) addGuarded(name, { file: code.path, line }, tally);
}

/** A program that a declared package provides counts as that package. */
function addProgram(
  name: string,
  place: Pick<Sighting, "file" | "line" | "declared" | "optional">,
  tally: DependencyTally,
): void {
  const kind = tally.has("pip", name) ? "pip" : tally.has("npm", name) ? "npm" : "system";
  tally.add({ ...place, kind, name, import: kind === "pip" ? moduleOf(name) : name });
}

function addGuarded(name: string, seen: Place, tally: DependencyTally): void {
  if (isCommonCommand(name)) return;
  const runtime = commandRuntime(name);
  const place = { ...seen, declared: false, optional: true };
  if (runtime === undefined) addProgram(name, place, tally);
  else tally.add({ ...place, kind: "runtime", name: runtime, import: runtime });
}

const INSTALLERS = new Set([
  "pip",
  "pip3",
  "npm",
  "yarn",
  "pnpm",
  "uv",
  "brew",
  "apt",
  "apt-get",
  "apk",
  "gem",
  "cargo",
]);
const MAX_WORDS = 20;

/** An install command hints at a dependency but does not prove it, so it becomes a note. */
function noteInstall(command: ShellCommand, file: string, tally: DependencyTally): void {
  const words = command.words.slice(0, MAX_WORDS);
  const isModule = commandRuntime(command.name) === "python3" && words[0] === "-m" && words[1] === "pip";
  if (!isModule && !INSTALLERS.has(command.name)) return;
  const at = words.findIndex((word) => word === "install" || word === "add" || word === "i");
  if (at === -1) return;
  const names = words.slice(at + 1).filter((word) => word !== undefined && /^[@A-Za-z]/.test(word));
  if (names.length > 0) tally.note(file, `line ${command.line} installs ${names.join(", ")}`);
}

/** Handles `python3 -m name`. */
function runModule(
  command: ShellCommand,
  file: string,
  around: ShellSurroundings,
  tally: DependencyTally,
): void {
  const at = command.words.indexOf("-m");
  const module = command.words[at + 1];
  if (at === -1 || module === undefined || commandRuntime(command.name) !== "python3") return;
  const top = module.split(".", 1)[0] ?? module;
  if (
    !/^[A-Za-z]\w*$/.test(top) ||
    top === "pip" ||
    isStandardModule(top) ||
    around.isLocalModule(file, module)
  )
    return;
  for (const name of distributionsOf(module).slice(0, 1))
    tally.add({ kind: "pip", name, import: top, optional: false, declared: false, file, line: command.line });
}
