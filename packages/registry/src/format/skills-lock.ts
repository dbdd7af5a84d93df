import { createHash } from "node:crypto";
import { z } from "zod";
import { readLockFile, writeLockFile } from "./lock-file.ts";

export const SKILLS_LOCK = "skills-lock.json";

const text = z.string().optional();

/** What is recorded of an installed skill. Fields that are not here are kept as they are. */
export const LockedSkill = z.looseObject({
  source: text,
  /** `github`, `gitlab`, `git`, `local`, `well-known`, `node_modules`, or what is yet to come. */
  sourceType: text,
  sourceUrl: text,
  ref: text,
  /** Where SKILL.md lies in the source. */
  skillPath: text,
  computedHash: text,
  /** What an export by Skillhold adds: the hash that knows exec bits, and the revision. */
  skillhold: z.looseObject({ treeHash: z.string(), revision: z.int().min(1) }).optional(),
});
export type LockedSkill = Readonly<z.infer<typeof LockedSkill>>;

const SkillsLock = z.looseObject({ version: z.literal(1), skills: z.record(z.string(), LockedSkill) });
/** The project lock of the `skills` command line, version 1. */
export type SkillsLock = Readonly<z.infer<typeof SkillsLock>>;

export const emptySkillsLock: SkillsLock = { version: 1, skills: {} };

/** Reads a lock; one of another version is refused, because nothing is known of how to write it. */
export function readSkillsLock(content: string): SkillsLock {
  return readLockFile(SKILLS_LOCK, content, SkillsLock);
}

/** The skills in the order of their names, as the `skills` command line writes them. */
export function writeSkillsLock(lock: SkillsLock): string {
  const names = Object.keys(lock.skills).sort();
  return writeLockFile({
    ...lock,
    skills: Object.fromEntries(names.map((name) => [name, lock.skills[name]])),
  });
}

export interface HashedFile {
  readonly path: string;
  readonly content: Uint8Array;
}

/**
 * The `computedHash` of a skill: SHA-256 over path and content of each file, without anything in between. It is weaker
 * than a tree hash (two trees may share it, and exec bits do not count) and is only ever written for others to read.
 */
export function skillsLockHash(files: readonly HashedFile[]): string {
  const hash = createHash("sha256");
  // The order that readers of the lock sort by is that of their locale; for all that matters it is this one.
  const { compare } = new Intl.Collator("en");
  for (const { path, content } of files.toSorted((a, b) => compare(a.path, b.path))) {
    hash.update(path).update(content);
  }
  return hash.digest("hex");
}
