import { isDeepStrictEqual } from "node:util";
import type { Clock } from "@skillhold/core/port";
import { z } from "zod";
import { forgetLocked, listLocked, readIfThere, recordLocked, writeWhole } from "../exchange/export-lock.ts";
import type { LockedSkill } from "../format/index.ts";
import { readLockFile, writeLockFile } from "../format/lock-file.ts";

/** The file that says where the skills of a folder came from. Other programs write it as well. */
export interface SkillLock {
  readonly file: string;
  read(): Readonly<Record<string, LockedSkill>>;
  record(id: string, entry: LockedSkill): void;
  forget(id: string): void;
}

/** `skills-lock.json` of a project. */
export function projectLock(file: string): SkillLock {
  return {
    file,
    read: () => listLocked(file),
    record: (id, entry) => recordLocked(file, id, entry),
    forget: (id) => forgetLocked(file, id),
  };
}

/** The version that is in use; a file of another one is left alone, because its writers would reset ours. */
const GLOBAL_VERSION = 3;
const NAME = ".skill-lock.json";

const text = z.string().optional();
const GlobalEntry = z.looseObject({
  source: text,
  sourceType: text,
  sourceUrl: text,
  ref: text,
  skillPath: text,
});
const GlobalLock = z.looseObject({
  version: z.literal(GLOBAL_VERSION),
  skills: z.record(z.string(), GlobalEntry),
});
type GlobalLock = z.infer<typeof GlobalLock>;

/** The lock of skills outside of projects, which the `skills` and `gh` command lines share. */
export function globalLock(file: string, clock: Clock): SkillLock {
  const load = (): GlobalLock => {
    const content = readIfThere(file);
    return content === undefined
      ? { version: GLOBAL_VERSION, skills: {}, dismissed: {} }
      : readLockFile(NAME, content, GlobalLock);
  };
  const read = () => load().skills as Readonly<Record<string, LockedSkill>>;
  return {
    file,
    read,
    record: (id, entry) => {
      const lock = load();
      const before = Object.hasOwn(lock.skills, id) ? lock.skills[id] : undefined;
      const { computedHash: _, ...fields } = entry;
      const folderHash = entry.skillhold?.subtree ?? entry.computedHash ?? "";
      const now = clock.now().toISOString();
      const same = { ...before, ...fields, skillFolderHash: folderHash };
      if (before !== undefined && isDeepStrictEqual(before, same)) return;
      const installedAt = before?.["installedAt"] ?? now;
      const skills = { ...lock.skills, [id]: { ...same, installedAt, updatedAt: now } };
      writeWhole(file, writeLockFile({ ...lock, skills }));
    },
    forget: (id) => {
      const lock = load();
      if (!Object.hasOwn(lock.skills, id)) return;
      const { [id]: _, ...skills } = lock.skills;
      writeWhole(file, writeLockFile({ ...lock, skills }));
    },
  };
}
