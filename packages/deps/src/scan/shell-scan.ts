import type { Place, Sighting } from "@skillhold/core/dependency";
import type { CodeText } from "./code-scan.ts";
import { distributionsOf, moduleOf } from "./python-distribution.ts";
import { isStandardModule } from "./python-stdlib.ts";
import type { ShellCommand, ShellReading } from "./shell-command.ts";
import { isCommonCommand, runtimeOf } from "./shell-table.ts";
import type { Tally } from "./tally.ts";

/** A shell text that has been read. What any of a bundle's texts defines, the others may have sourced. */
export interface ReadShellText extends CodeText {
  readonly reading: ShellReading;
}

export interface ShellSurroundings {
  readonly defined: ReadonlySet<string>;
  /** Names of the bundle's own files. */
  readonly files: ReadonlySet<string>;
  isLocalModule(file: string, module: string): boolean;
}

export function tallyShell(code: ReadShellText, around: ShellSurroundings, tally: Tally): void {
  const { commands, guarded, isSourcing } = code.reading;
  for (const command of commands) {
    noteInstall(command, code.path, tally);
    runModule(command, code.path, around, tally);
    if (around.defined.has(command.name) || around.files.has(command.name)) continue;
    // Programs are rarely named so, functions mostly.
    if (isSourcing && command.name.includes("_")) continue;
    const place = { file: code.path, line: command.line, declared: false };
    const optional = guarded.has(command.name);
    const runtime = runtimeOf(command.name);
    if (runtime !== undefined)
      tally.add({ ...place, kind: "runtime", name: runtime, import: runtime, optional });
    else if (!isCommonCommand(command.name) && command.name !== ".")
      addProgram(command.name, { ...place, optional }, tally);
  }
  // What is asked for and never run by its name is run some other way, as through a variable.
  const run = new Set(commands.map(({ name }) => name));
  for (const [name, line] of guarded)
    if (!run.has(name) && !around.defined.has(name)) addGuarded(name, { file: code.path, line }, tally);
}

/** A program that a declared package brings is that package. */
function addProgram(
  name: string,
  place: Pick<Sighting, "file" | "line" | "declared" | "optional">,
  tally: Tally,
): void {
  const kind = tally.has("pip", name) ? "pip" : tally.has("npm", name) ? "npm" : "system";
  tally.add({ ...place, kind, name, import: kind === "pip" ? moduleOf(name) : name });
}

function addGuarded(name: string, seen: Place, tally: Tally): void {
  if (isCommonCommand(name)) return;
  const runtime = runtimeOf(name);
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

/** A script that installs something says what is needed, but not to us: it is told, and not taken for a fact. */
function noteInstall(command: ShellCommand, file: string, tally: Tally): void {
  const words = command.words.slice(0, MAX_WORDS);
  const isModule = runtimeOf(command.name) === "python3" && words[0] === "-m" && words[1] === "pip";
  if (!isModule && !INSTALLERS.has(command.name)) return;
  const at = words.findIndex((word) => word === "install" || word === "add" || word === "i");
  if (at === -1) return;
  const names = words.slice(at + 1).filter((word) => word !== undefined && /^[@A-Za-z]/.test(word));
  if (names.length > 0) tally.note(file, `line ${command.line} installs ${names.join(", ")}`);
}

/** `python3 -m name`. */
function runModule(command: ShellCommand, file: string, around: ShellSurroundings, tally: Tally): void {
  const at = command.words.indexOf("-m");
  const module = command.words[at + 1];
  if (at === -1 || module === undefined || runtimeOf(command.name) !== "python3") return;
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
