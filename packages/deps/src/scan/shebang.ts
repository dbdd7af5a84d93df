import { isCommandName } from "./package-name.ts";
import { runtimeOf } from "./shell-table.ts";

/** What the first line of a script says it is to be run with. */
export interface Shebang {
  /** The runtime under its usual name. */
  readonly runtime: string;
  /** The words after the interpreter. */
  readonly words: readonly string[];
}

/** Through `env`, its options and its assignments, to the program that reads the script. */
export function readShebang(text: string): Shebang | undefined {
  if (!text.startsWith("#!")) return undefined;
  const line = text.slice(2, LONGEST_LINE).split(/[\r\n]/, 1)[0] ?? "";
  const [path = "", ...words] = line.trim().split(/\s+/);
  const [program, rest] = baseName(path) === "env" ? throughEnv(words) : [path, words];
  const name = baseName(program);
  // Without a folder only a known name is a program; the rest is prose after a `#!`.
  if (!isCommandName(name) || (!path.includes("/") && runtimeOf(name) === undefined)) return undefined;
  return { runtime: runtimeOf(name) ?? name, words: rest };
}

const LONGEST_LINE = 1024;
/** Options of `env` that take the next word. */
const VALUED = new Set(["-u", "--unset", "-C", "--chdir", "-P"]);

function throughEnv(words: readonly string[]): readonly [program: string, rest: readonly string[]] {
  let index = 0;
  for (; index < words.length; index += 1) {
    const word = words[index] ?? "";
    // The program may be written onto the option: `-Spython3 -u`.
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
