import { renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { readBounded } from "@skillhold/core/bundle";
import { SkillError } from "@skillhold/protocol/error";
import {
  CLAWHUB_LOCK,
  CLAWHUB_ORIGIN,
  type ClawhubOrigin,
  emptyClawhubLock,
  readClawhubLock,
  writeClawhubLock,
  writeClawhubOrigin,
} from "../format/clawhub-lock.ts";
import {
  emptySkillsLock,
  type LockedSkill,
  readSkillsLock,
  type SkillsLock,
  writeSkillsLock,
} from "../format/skills-lock.ts";
import { makeFolder } from "./make-folder.ts";
import { closeSwap, openSwap } from "./swap-folder.ts";

const MAX_BYTES = 32 * 1024 * 1024;

/** The entry of a skill in a lock file. Throws CONFIG_INVALID if the file is unreadable. */
export function findLocked(file: string, id: string): LockedSkill | undefined {
  const { skills } = readLock(file);
  return Object.hasOwn(skills, id) ? skills[id] : undefined;
}

/** Adds a skill and keeps the other entries. Does not write an unchanged file. */
export function recordLocked(file: string, id: string, locked: LockedSkill): void {
  const lock = readLock(file);
  if (Object.hasOwn(lock.skills, id) && isDeepStrictEqual(lock.skills[id], locked)) return;
  const text = writeSkillsLock({ ...lock, skills: { ...lock.skills, [id]: locked } });
  writeWhole(file, text);
}

/** Every skill that a lock records. */
export function listLocked(file: string): Readonly<Record<string, LockedSkill>> {
  return readLock(file).skills;
}

/** Takes a skill out of a lock; what else is in it stays. */
export function forgetLocked(file: string, id: string): void {
  const lock = readLock(file);
  if (!Object.hasOwn(lock.skills, id)) return;
  const { [id]: _, ...skills } = lock.skills;
  writeWhole(file, writeSkillsLock({ ...lock, skills }));
}

/** Records a skill in the format of ClawHub's command line for installed skills. */
export function recordOrigin(project: string, place: string, origin: ClawhubOrigin): void {
  const file = join(project, CLAWHUB_LOCK);
  const text = readIfThere(file);
  const lock = text === undefined ? emptyClawhubLock : readClawhubLock(text);
  const { slug, installedVersion: version, installedAt } = origin;
  writeWhole(join(place, CLAWHUB_ORIGIN), writeClawhubOrigin(origin));
  writeWhole(
    file,
    writeClawhubLock({
      ...lock,
      skills: { ...lock.skills, [slug]: { ...lock.skills[slug], version, installedAt } },
    }),
  );
}

function readLock(file: string): SkillsLock {
  const text = readIfThere(file);
  return text === undefined ? emptySkillsLock : readSkillsLock(text);
}

export function readIfThere(file: string): string | undefined {
  const read = readBounded(file, MAX_BYTES, { allowHardLinks: true });
  if (!("problem" in read)) return new TextDecoder("utf-8", { ignoreBOM: true }).decode(read.bytes);
  if (read.problem.reason === "missing") return undefined;
  throw new SkillError("CONFIG_INVALID", `The lock file ${file} cannot be used: ${read.problem.message}`, {
    details: { path: file },
  });
}

/** Throws if the lock file cannot be written, before any skill is. */
export function rejectUnwritable(file: string): void {
  useFolderBeside(file, () => {});
}

/** Readers see the old file or the new one. */
export function writeWhole(file: string, text: string): void {
  useFolderBeside(file, (beside) => {
    writeFileSync(join(beside, "new"), text);
    renameSync(join(beside, "new"), file);
  });
}

function useFolderBeside(file: string, work: (beside: string) => void): void {
  let beside: string | undefined;
  try {
    makeFolder(dirname(file));
    beside = openSwap(dirname(file));
    work(beside);
  } catch (error) {
    throw new SkillError("IO_FAILED", `The file ${file} cannot be written.`, { cause: error });
  } finally {
    if (beside !== undefined) closeSwap(beside);
  }
}
