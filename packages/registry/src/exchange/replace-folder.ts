import { existsSync, mkdirSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { normalizeRelative, writeNew } from "@skillhold/core/bundle";
import { SkillError } from "@skillhold/protocol/error";
import type { StagedFile } from "../record/staged-skill.ts";
import { closeSwap, openSwap, recordSwap } from "./swap-folder.ts";

export interface Replaced {
  /** Paths in the old folder that do not belong to the skill. They are moved to the new one. */
  readonly extras: readonly string[];
  /** Whether the old folder, moved aside and without the extras, is unchanged since it was checked. */
  isExpected(old: string): Promise<boolean>;
}

/**
 * Replaces a skill folder as a whole: the new folder is written beside it and renamed. The old folder is
 * deleted last. After a crash between the two renames, `recoverSwaps` puts the old folder back.
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
    recordSwap(beside, { name: basename(place), action: "replace", extras });
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
  closeSwap(beside);
}

/** Removes a skill folder as a whole: it is moved aside by one rename, and then deleted. */
export function removeFolder(place: string): void {
  const beside = makeBeside(place);
  try {
    recordSwap(beside, { name: basename(place), action: "remove", extras: [] });
    renameSync(place, join(beside, "old"));
  } catch (error) {
    closeSwap(beside);
    throw new SkillError("IO_FAILED", `${place} cannot be removed.`, {
      details: { path: place },
      cause: error,
    });
  }
  closeSwap(beside);
}

function makeBeside(place: string): string {
  try {
    return openSwap(dirname(place));
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
  closeSwap(beside);
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
