import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import type { Host } from "@skillhold/skill";

export interface NodeHostOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** The base of relative configuration paths. */
  readonly cwd: string | (() => string);
  /** Whether a secret of this name is stored for the skill, so it need not be in the environment. */
  readonly hasSecret?: (skill: string, name: string) => boolean;
}

/** The current machine. Lookups are cached, because a library asks for the same programs many times. */
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

/** Whether this user can execute the file. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Missing or not executable: unusable in both cases.
    return false;
  }
}
