import { realpathSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { Mount } from "@skillhold/core/run";
import { ioFailure, systemCode } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";

/** Reads the values of `--mount`. */
export function readMounts(texts: readonly string[], cwd: string): readonly Mount[] {
  const mounts = texts.map((text) => readMount(text, cwd));
  const taken = new Set<string>();
  for (const { target } of mounts) {
    if (taken.has(target))
      throw new SkillError("USAGE", `Two mounts have the target ${target}.`, {
        hint: "Set another target for one of them: --mount <path>:/mnt/<name>.",
      });
    taken.add(target);
  }
  return mounts;
}

/** The path of a mount, and the rest with its target and its mode. */
export function splitMount(text: string): {
  readonly path: string;
  readonly rest: string;
  readonly target: string | undefined;
  readonly mode: string | undefined;
} {
  const [, path = "", target, mode] = /^(.*?)(?::(\/[^:]*))?(?::(rw|ro))?$/s.exec(text) ?? [];
  return { path, rest: text.slice(path.length), target, mode };
}

function readMount(text: string, cwd: string): Mount {
  const { path, target, mode } = splitMount(text);
  if (path === "") throw new SkillError("USAGE", `--mount ${JSON.stringify(text)} has no path.`);
  const source = realPath(resolve(cwd, path), path);
  if (source === "/") throw new SkillError("USAGE", "/ cannot be mounted. Name a folder.");
  return { source, target: target ?? `/mnt/${basename(source)}`, isWritable: mode === "rw" };
}

/** Resolves links now, so that the user approves the folder that is mounted. */
function realPath(path: string, label: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT")
      throw new SkillError("PATH_NOT_FOUND", `The path ${label} does not exist.`);
    throw ioFailure(`${label} cannot be mounted`, error);
  }
}
