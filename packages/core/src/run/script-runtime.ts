/** The interpreters of scripts. */
export type RuntimeKind = "node" | "python" | "bash" | "shell" | "ruby" | "perl";

const RUNTIMES: ReadonlyMap<string, RuntimeKind> = new Map<string, RuntimeKind>([
  [".sh", "shell"],
  [".bash", "bash"],
  [".py", "python"],
  [".js", "node"],
  [".mjs", "node"],
  [".cjs", "node"],
  [".ts", "node"],
  [".mts", "node"],
  [".cts", "node"],
  [".rb", "ruby"],
  [".pl", "perl"],
]);

export const SCRIPT_ENDINGS: readonly string[] = [...RUNTIMES.keys()];

/** The interpreter of a script, by the extension of its file name. */
export function runtimeOf(path: string): RuntimeKind | undefined {
  return RUNTIMES.get(/\.[^./]+$/.exec(path)?.[0].toLowerCase() ?? "");
}
