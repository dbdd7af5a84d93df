import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { normalizeRelative, writeNew } from "@skillhold/core/bundle";
import { SkillError } from "@skillhold/protocol/error";
import type { StagedFile } from "../record/staged-skill.ts";

export interface Replaced {
  /** Paths in the old folder that do not belong to the skill. They are moved to the new one. */
  readonly extras: readonly string[];
  /** Whether the old folder, moved aside and without the extras, is unchanged since it was checked. */
  isExpected(old: string): Promise<boolean>;
}

const BESIDE = ".skillhold-";

/**
 * Replaces a skill folder atomically: the new folder is written beside it and renamed. The old folder is
 * deleted last, so that a crash loses no file.
 */
export async function replaceFolder(
  place: string,
  files: readonly StagedFile[],
  { extras, isExpected }: Replaced,
): Promise<void> {
  const beside = makeBeside(place);
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
    if (existsSync(place)) {
      renameSync(place, old);
      if (!(await isExpected(old))) throw changed(place);
    }
    renameSync(fresh, place);
  } catch (error) {
    putBack(place, beside, moved);
    throw error instanceof SkillError ? error : failed(place, error);
  }
  rmSync(beside, { recursive: true, force: true });
}

/** The folders of interrupted replacements, which contain the previous content. */
export function findLeftovers(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries
      .filter((each) => each.isDirectory() && each.name.startsWith(BESIDE))
      .map(({ name }) => name);
  } catch {
    // A missing folder has no leftovers; an unreadable one fails when it is written.
    return [];
  }
}

function makeBeside(place: string): string {
  try {
    return mkdtempSync(join(dirname(place), BESIDE));
  } catch (error) {
    throw failed(place, error);
  }
}

/** If the content cannot be restored, it stays in the temporary folder. */
function putBack(place: string, beside: string, moved: readonly string[]): void {
  try {
    const old = join(beside, "old");
    if (existsSync(old)) renameSync(old, place);
    for (const path of moved) renameSync(join(beside, "new", path), join(place, path));
  } catch (error) {
    const message = `The skill cannot be written to ${place}. The previous content is in ${beside}.`;
    throw new SkillError("IO_FAILED", message, { details: { path: place, beside }, cause: error });
  }
  rmSync(beside, { recursive: true, force: true });
}

function changed(place: string): SkillError {
  return new SkillError("CONFLICT", `${place} changed while it was being replaced, so it was kept.`, {
    hint: "Publish the edited skill or move it away, then export again.",
    details: { path: place },
  });
}

function failed(place: string, cause: unknown): SkillError {
  return new SkillError("IO_FAILED", `The skill cannot be written to ${place}.`, {
    details: { path: place },
    cause,
  });
}
