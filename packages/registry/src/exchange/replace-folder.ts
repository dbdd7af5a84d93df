import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { normalizeRelative, writeNew } from "@skillhold/core/bundle";
import { SkillError } from "@skillhold/protocol/error";
import type { StagedFile } from "../record/staged-skill.ts";

export interface Replaced {
  /** Paths that lie in the old folder and are not the skill's. They move over. */
  readonly extras: readonly string[];
  /** Whether the old folder, moved aside and without the extras, is still what was judged: edits may have come since. */
  isExpected(old: string): Promise<boolean>;
}

const BESIDE = ".skillhold-";

/**
 * Puts a skill in the place of the one that is there, whole or not at all: it is written beside it and takes its
 * place when it is complete. Nothing is deleted before the new folder is in place, so that a crash loses nothing.
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

/** What replacements that did not come to their end have left in a folder, with what was there before in them. */
export function findLeftovers(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries
      .filter((each) => each.isDirectory() && each.name.startsWith(BESIDE))
      .map(({ name }) => name);
  } catch {
    // A folder that is not there has none; one that cannot be read fails when it is written to.
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

/** What cannot be put back stays beside the place, where it can be found. */
function putBack(place: string, beside: string, moved: readonly string[]): void {
  try {
    const old = join(beside, "old");
    if (existsSync(old)) renameSync(old, place);
    for (const path of moved) renameSync(join(beside, "new", path), join(place, path));
  } catch (error) {
    const message = `The skill cannot be written to ${place}. What was there lies in ${beside}.`;
    throw new SkillError("IO_FAILED", message, { details: { path: place, beside }, cause: error });
  }
  rmSync(beside, { recursive: true, force: true });
}

function changed(place: string): SkillError {
  return new SkillError(
    "CONFLICT",
    `${place} was changed while it was being replaced: it was left as it is.`,
    {
      hint: "Publish what was edited or move it away, and export again.",
      details: { path: place },
    },
  );
}

function failed(place: string, cause: unknown): SkillError {
  return new SkillError("IO_FAILED", `The skill cannot be written to ${place}.`, {
    details: { path: place },
    cause,
  });
}
