import { hash } from "node:crypto";
import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { isJunk, isSkillFile } from "@skillhold/skill";
import { tryStat } from "../bundle/index.ts";

/** The files of a skill beside its SKILL.md at one moment. */
interface FileSurvey {
  /** The folders below the skill, absolute. */
  readonly folders: readonly string[];
  /** Changes with the name, size or time of any file. */
  readonly stamp: string;
}

/** A folder with more entries than this is data; the rest of it is not watched. */
const MOST_ENTRIES = 2000;
const SKILLS_BETWEEN_RESTS = 32;

/** Notices changes of scripts, tools and references of skills, which the scan of SKILL.md files does not read. */
export class WatchedFiles {
  readonly #surveys = new Map<string, FileSurvey>();
  readonly #owners = new Map<string, string>();
  readonly #touched = new Set<string>();

  /** The folders inside skills. */
  folders(): Iterable<string> {
    return this.#owners.keys();
  }

  /** Notes a hint about a folder; it matters only inside a skill. */
  touch(folder: string): void {
    const owner = this.#surveys.has(folder) ? folder : this.#owners.get(folder);
    if (owner !== undefined) this.#touched.add(owner);
  }

  /** The touched skill folders whose files changed since the last look, or all of them that changed. */
  async takeChanged(isFull: boolean): Promise<ReadonlySet<string>> {
    const changed = new Set<string>();
    const looked = isFull ? [...this.#surveys.keys()] : [...this.#touched];
    this.#touched.clear();
    for (const [index, folder] of looked.entries()) {
      if (index % SKILLS_BETWEEN_RESTS === SKILLS_BETWEEN_RESTS - 1) await setImmediate();
      const last = this.#surveys.get(folder);
      const now = surveyFiles(folder);
      this.#keep(folder, now);
      if (last !== undefined && last.stamp !== now.stamp) changed.add(folder);
    }
    return changed;
  }

  /** Follows exactly these skill folders. */
  async follow(skills: ReadonlySet<string>): Promise<void> {
    for (const folder of this.#surveys.keys()) if (!skills.has(folder)) this.#forget(folder);
    let count = 0;
    for (const folder of skills) {
      if (this.#surveys.has(folder)) continue;
      count += 1;
      if (count % SKILLS_BETWEEN_RESTS === 0) await setImmediate();
      this.#keep(folder, surveyFiles(folder));
    }
  }

  #keep(skill: string, survey: FileSurvey): void {
    this.#forget(skill);
    this.#surveys.set(skill, survey);
    for (const folder of survey.folders) this.#owners.set(folder, skill);
  }

  #forget(skill: string): void {
    for (const folder of this.#surveys.get(skill)?.folders ?? []) this.#owners.delete(folder);
    this.#surveys.delete(skill);
  }
}

function surveyFiles(skill: string): FileSurvey {
  const folders: string[] = [];
  const lines: string[] = [];
  const waiting = [skill];
  let entries = 0;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const inside = listFolder(folder);
    // A folder with a SKILL.md is a skill of its own.
    if (folder !== skill && inside.some(({ name }) => isSkillFile(name))) continue;
    if (folder !== skill) folders.push(folder);
    for (const entry of inside) {
      entries += 1;
      if (entries > MOST_ENTRIES) break;
      const path = join(folder, entry.name);
      if (isJunk(entry.name) || (folder === skill && isSkillFile(entry.name))) continue;
      if (entry.isDirectory()) waiting.push(path);
      else if (entry.isFile()) lines.push(stampLine(path));
    }
  }
  return { folders, stamp: hash("sha256", lines.sort().join("\n"), "hex") };
}

function stampLine(path: string): string {
  const stats = tryStat(path);
  return `${path}\0${stats?.size}\0${stats?.mtimeMs}\0${stats?.mode}`;
}

function listFolder(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // A folder that is gone has no files; the scan reports the skill.
    return [];
  }
}
