import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import type { Host } from "@skillhold/skill";

export interface NodeHostOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** Where relative configuration paths start. */
  readonly cwd: string | (() => string);
  /** Whether a secret of this name is kept for the skill, which then need not be in the environment. */
  readonly hasSecret?: (skill: string, name: string) => boolean;
}

/** The machine this runs on; `process` has all that is asked. What was looked up is remembered: a library asks for the same programs many times. */
export function nodeHost({ env, platform, cwd, hasSecret }: NodeHostOptions): Host {
  const bins = new Map<string, boolean>();
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const endings = platform === "win32" ? ["", ...(env["PATHEXT"] ?? ".EXE;.CMD;.BAT").split(";")] : [""];
  return {
    platform,
    hasEnv: (name, skill) => (env[name] ?? "") !== "" || hasSecret?.(skill, name) === true,
    hasBin: (name) => {
      const known = bins.get(name);
      if (known !== undefined) return known;
      const isPlain = /^[\w.+@-]+$/.test(name);
      const found =
        isPlain &&
        folders.some((folder) => endings.some((ending) => isExecutable(join(folder, name + ending))));
      bins.set(name, found);
      return found;
    },
    hasConfig: (path) =>
      existsSync(
        path.startsWith("~/")
          ? join(env["HOME"] ?? "", path.slice(2))
          : resolve(typeof cwd === "string" ? cwd : cwd(), path),
      ),
  };
}

/** Whether this user may run it. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Not there, or not to be run by this user: in both cases it cannot be used.
    return false;
  }
}
