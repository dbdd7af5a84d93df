import { posix } from "node:path";
import { type RuntimeKind, runtimeOf, SCRIPT_ENDINGS } from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";

/** What runs a script: an interpreter and what stands before the script's path, or the file by itself. */
export type ScriptProgram =
  | { readonly kind: "interpreter"; readonly runtime: RuntimeKind; readonly options: readonly string[] }
  | { readonly kind: "itself" };

export interface ScriptFile {
  readonly path: string;
  readonly executable: boolean;
  /** The first bytes. */
  readonly head: Uint8Array;
}

/**
 * How a script is started: by its ending, then by its first line, then, when it may be executed, as it is. The
 * ending comes first because a first line often names what only its author has (`env -S uv run`).
 */
export function scriptProgram(file: ScriptFile): ScriptProgram {
  const shebang = readShebang(file.head);
  const byEnding = runtimeOf(file.path);
  if (byEnding === "shell") return interpreter(shebang?.runtime === "bash" ? "bash" : "shell");
  if (byEnding !== undefined) {
    return interpreter(byEnding, shebang?.runtime === byEnding ? shebang.options : []);
  }
  if (shebang?.runtime !== undefined) return interpreter(shebang.runtime, shebang.options);
  if (file.executable) return { kind: "itself" };
  throw new SkillError("USAGE", `${file.path} is no script: nothing is known that runs it.`, {
    hint: `Scripts end in ${SCRIPT_ENDINGS.join(" ")}, or are executable.`,
  });
}

/** Whether a file could be run at all, as far as its name and its mode tell. */
export function looksRunnable({ path, executable }: Pick<ScriptFile, "path" | "executable">): boolean {
  return executable || runtimeOf(path) !== undefined;
}

const PROGRAMS: readonly (readonly [pattern: RegExp, runtime: RuntimeKind])[] = [
  [/^bash$/, "bash"],
  [/^(?:sh|dash|ash)$/, "shell"],
  [/^python(?:3(?:\.\d+)?)?$/, "python"],
  [/^node(?:js)?$/, "node"],
  [/^ruby$/, "ruby"],
  [/^perl$/, "perl"],
];

function interpreter(runtime: RuntimeKind, options: readonly string[] = []): ScriptProgram {
  return { kind: "interpreter", runtime, options };
}

/** `#!/usr/bin/env -S python3 -u` and `#!/usr/bin/python3 -u`; undefined when there is none or it cannot be read. */
function readShebang(
  head: Uint8Array,
): { readonly runtime: RuntimeKind | undefined; readonly options: readonly string[] } | undefined {
  const [line = ""] = new TextDecoder().decode(head).split("\n", 1);
  if (!line.startsWith("#!")) return undefined;
  const words = line.slice(2).trim().split(/\s+/);
  const isEnv = posix.basename(words[0] ?? "") === "env";
  const rest = isEnv ? words.slice(words[1] === "-S" ? 2 : 1) : words;
  const [program = "", ...options] = rest;
  const name = posix.basename(program);
  return { runtime: PROGRAMS.find(([pattern]) => pattern.test(name))?.[1], options };
}
