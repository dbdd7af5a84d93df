import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { writeNew } from "../bundle/copy.ts";
import { normalizeRelative } from "../bundle/index.ts";
import type { StagedFile } from "./staged-skill.ts";

/**
 * Puts a skill in the place of the one that is there, whole or not at all: it is written beside it and takes its
 * place when it is complete. `extras`, which lie in the old folder and are not the skill's, move over. Nothing is
 * deleted before the new folder is in place, so that a crash loses nothing.
 */
export function replaceFolder(place: string, files: readonly StagedFile[], extras: readonly string[]): void {
  const beside = mkdtempSync(join(dirname(place), ".skillhold-"));
  const fresh = join(beside, "new");
  const old = join(beside, "old");
  const moved: string[] = [];
  try {
    mkdirSync(fresh);
    const made = new Set([fresh]);
    for (const { path, executable, content } of files)
      writeNew(fresh, normalizeRelative(path), content, executable ? 0o755 : 0o644, made);
    for (const path of extras) {
      mkdirSync(dirname(join(fresh, path)), { recursive: true });
      renameSync(join(place, path), join(fresh, path));
      moved.push(path);
    }
    if (existsSync(place)) renameSync(place, old);
    renameSync(fresh, place);
  } catch (error) {
    // What fails here leaves everything beside the place, where it can be found.
    if (existsSync(old)) renameSync(old, place);
    for (const path of moved) renameSync(join(fresh, path), join(place, path));
    rmSync(beside, { recursive: true, force: true });
    throw new SkillError("IO_FAILED", `The skill cannot be written to ${place}.`, { cause: error });
  }
  rmSync(beside, { recursive: true, force: true });
}
