import { createHash } from "node:crypto";
import { z } from "zod";
import { readLockFile, writeLockFile } from "./lock-file.ts";

export const SKILLS_LOCK = "skills-lock.json";

const text = z.string().optional();

/** The entry of an installed skill. Unknown fields are kept. */
export const LockedSkill = z.looseObject({
  source: text,
  /** `github`, `gitlab`, `git`, `local`, `well-known`, `node_modules` or a future type. */
  sourceType: text,
  sourceUrl: text,
  ref: text,
  /** The path of SKILL.md in the source. */
  skillPath: text,
  computedHash: text,
  /** Added by Skillhold: the tree hash, which covers executable bits; the revision of an export; the origin of an install. */
  skillhold: z
    .looseObject({
      treeHash: z.string(),
      revision: z.int().min(1).optional(),
      spec: text,
      upstream: text,
      path: text,
      commit: text,
      subtree: text,
      publisher: text,
      release: text,
      verified: text,
      signer: text,
      pinned: z.boolean().optional(),
    })
    .optional(),
});
export type LockedSkill = Readonly<z.infer<typeof LockedSkill>>;

const SkillsLock = z.looseObject({ version: z.literal(1), skills: z.record(z.string(), LockedSkill) });
/** The project lock of the `skills` command line, version 1. */
export type SkillsLock = Readonly<z.infer<typeof SkillsLock>>;

export const emptySkillsLock: SkillsLock = { version: 1, skills: {} };

/** Reads a lock. Rejects other versions, because their format is unknown. */
export function readSkillsLock(content: string): SkillsLock {
  return readLockFile(SKILLS_LOCK, content, SkillsLock);
}

/** Ordered by name, as the `skills` command line writes it. */
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
 * The `computedHash` of a skill: SHA-256 over the paths and contents, without separators. Weaker than a tree
 * hash (different trees may share it, and executable bits are ignored), so it is only written for other
 * programs.
 */
export function skillsLockHash(files: readonly HashedFile[]): string {
  const hash = createHash("sha256");
  // Other programs sort by their locale; this order agrees for all practical names.
  const { compare } = new Intl.Collator("en");
  for (const { path, content } of files.toSorted((a, b) => compare(a.path, b.path))) {
    hash.update(path).update(content);
  }
  return hash.digest("hex");
}
