import { isSkillFile } from "@skillhold/skill";
import { isCommandName } from "./package-name.ts";
import { commandRuntime } from "./shell-table.ts";
import type { Language } from "./syntax.ts";

/** The type that the scanner reads a file as. The first line of an extensionless file may refine it. */
export type FileType =
  | Language
  | "notebook"
  | "requirements"
  | "pyproject"
  | "package"
  | "skill"
  | "extensionless";

/** Determines the type from the path alone; undefined when the file cannot name a dependency. */
export function fileTypeOf(path: string): FileType | undefined {
  const parts = path.split("/");
  const name = parts.pop() ?? "";
  if (parts.some((part) => VENDORED.has(part))) return undefined;
  if (isSkillFile(name)) return parts.length > 0 ? undefined : "skill";
  const known = NAMES.get(name);
  if (known !== undefined) return known;
  if (isRequirements(name, parts.at(-1))) return "requirements";
  const dot = name.lastIndexOf(".");
  return dot > 0 ? EXTENSIONS.get(name.slice(dot + 1).toLowerCase()) : extensionless(name);
}

/** Whether the scanner reads files of this type. */
export function isScanned(path: string): boolean {
  return fileTypeOf(path) !== undefined;
}

/** Folders of installed packages, whose content is not the skill's own code. */
const VENDORED = new Set(["node_modules", "site-packages", "dist-packages", "__pycache__", ".venv", "venv"]);

const NAMES: ReadonlyMap<string, FileType> = new Map<string, FileType>([
  ["pyproject.toml", "pyproject"],
  ["package.json", "package"],
]);

const EXTENSIONS: ReadonlyMap<string, FileType> = new Map<string, FileType>([
  ["py", "python"],
  ["pyw", "python"],
  ["ipynb", "notebook"],
  ["js", "javascript"],
  ["mjs", "javascript"],
  ["cjs", "javascript"],
  ["jsx", "javascript"],
  ["ts", "typescript"],
  ["mts", "typescript"],
  ["cts", "typescript"],
  ["tsx", "tsx"],
  ["sh", "bash"],
  ["bash", "bash"],
  ["zsh", "bash"],
]);

function isRequirements(name: string, folder: string | undefined): boolean {
  if (!/\.(?:txt|in)$/.test(name)) return false;
  return /^requirements|requirements\.(?:txt|in)$/i.test(name) || folder === "requirements";
}

/** Files such as `LICENSE` are prose. */
function extensionless(name: string): FileType | undefined {
  return /^[A-Z]+$/.test(name) || name.startsWith(".") ? undefined : "extensionless";
}

/** The interpreter that the first line of a script names. */
export interface Shebang {
  /** The runtime under its usual name. */
  readonly runtime: string;
  /** The words after the interpreter. */
  readonly words: readonly string[];
}

/** Skips `env` with its options and assignments to find the interpreter. */
export function readShebang(text: string): Shebang | undefined {
  if (!text.startsWith("#!")) return undefined;
  const line = text.slice(2, LONGEST_LINE).split(/[\r\n]/, 1)[0] ?? "";
  const [path = "", ...words] = line.trim().split(/\s+/);
  const [program, rest] = baseName(path) === "env" ? throughEnv(words) : [path, words];
  const name = baseName(program);
  // Without a path, only a known name is an interpreter; other words are prose after `#!`.
  if (!isCommandName(name) || (!path.includes("/") && commandRuntime(name) === undefined)) return undefined;
  return { runtime: commandRuntime(name) ?? name, words: rest };
}

const LONGEST_LINE = 1024;
/** Options of `env` that take the next word. */
const VALUED = new Set(["-u", "--unset", "-C", "--chdir", "-P"]);

function throughEnv(words: readonly string[]): readonly [program: string, rest: readonly string[]] {
  let index = 0;
  for (; index < words.length; index += 1) {
    const word = words[index] ?? "";
    // The program may be attached to the option: `-Spython3 -u`.
    const attached = /^(?:-S|--split-string=)(.+)$/.exec(word)?.[1];
    if (attached !== undefined) return [unquote(attached), words.slice(index + 1)];
    if (VALUED.has(word)) index += 1;
    else if (!word.startsWith("-") && !/^\w+=/.test(word)) break;
  }
  return [unquote(words[index] ?? ""), words.slice(index + 1)];
}

function unquote(word: string): string {
  return word.replace(/^["']|["']$/g, "");
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
