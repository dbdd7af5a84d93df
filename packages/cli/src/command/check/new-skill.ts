import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { errorCodeOf } from "@skillhold/core/bundle";
import { SkillError } from "@skillhold/protocol/error";
import { type InitOptions, newSkillFiles, type TemplateFile } from "@skillhold/skill";

export interface NewSkill {
  /** Absolute path of the skill's folder, which has the skill's name. */
  readonly folder: string;
  /** Paths of the files in it. */
  readonly files: readonly string[];
}

/** Writes a new skill to `<folder>/<name>`. Never overwrites: if the target has files, this throws. */
export function initSkill(folder: string, options: InitOptions): NewSkill {
  const files = newSkillFiles(options);
  const target = join(resolve(folder), options.name);
  makeEmptyFolder(target);
  for (const file of files) writeNew(target, file);
  return { folder: target, files: files.map(({ path }) => path) };
}

/** An existing folder is accepted when it is empty. */
function makeEmptyFolder(target: string): void {
  try {
    mkdirSync(dirname(target), { recursive: true });
    mkdirSync(target);
  } catch (error) {
    if (errorCodeOf(error) === "EEXIST" && isEmptyFolder(target)) return;
    if (errorCodeOf(error) !== "EEXIST") {
      throw new SkillError("IO_FAILED", `The folder ${target} cannot be created.`, { cause: error });
    }
    throw new SkillError("CONFLICT", `${target} already exists.`, {
      hint: "Choose another name or another folder.",
      details: { path: target },
    });
  }
}

function isEmptyFolder(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch {
    // The path is not a folder or cannot be read, so it cannot be used.
    return false;
  }
}

function writeNew(target: string, { path, text, executable = false }: TemplateFile): void {
  const absolute = join(target, path);
  mkdirSync(dirname(absolute), { recursive: true });
  writeFileSync(absolute, text, { flag: "wx" });
  if (executable) chmodSync(absolute, 0o755);
}
