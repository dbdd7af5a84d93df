import { hash } from "node:crypto";
import { z } from "zod";
import { readLockFile, writeLockFile } from "./lock-file.ts";

/** Relative to the parent of the skills folder, and to each skill. */
export const CLAWHUB_LOCK = ".clawhub/lock.json";
export const CLAWHUB_ORIGIN = ".clawhub/origin.json";

const text = z.string().optional();
/** The origin of an installed skill, in both the lock and the origin file. */
const source = {
  ownerHandle: text,
  sourceRef: text,
  sourceRepository: text,
  sourcePath: text,
  sourceUrl: text,
};

const ClawhubLock = z.looseObject({
  version: z.literal(1),
  skills: z.record(
    z.string(),
    z.looseObject({ version: z.string().nullable(), installedAt: z.number(), ...source }),
  ),
});
export type ClawhubLock = Readonly<z.infer<typeof ClawhubLock>>;

const ClawhubOrigin = z.looseObject({
  version: z.literal(1),
  registry: z.string().min(1),
  slug: z.string().min(1),
  ...source,
  installedVersion: z.string().min(1),
  /** Milliseconds since 1970. */
  installedAt: z.number(),
  fingerprint: text,
});
export type ClawhubOrigin = Readonly<z.infer<typeof ClawhubOrigin>>;

export const emptyClawhubLock: ClawhubLock = { version: 1, skills: {} };

export function readClawhubLock(content: string): ClawhubLock {
  return readLockFile(CLAWHUB_LOCK, content, ClawhubLock);
}

/** Keeps the order in which skills were added, as ClawHub's command line does. */
export function writeClawhubLock(lock: ClawhubLock): string {
  return writeLockFile(lock);
}

export function readClawhubOrigin(content: string): ClawhubOrigin {
  return readLockFile(CLAWHUB_ORIGIN, content, ClawhubOrigin);
}

export function writeClawhubOrigin(origin: ClawhubOrigin): string {
  return writeLockFile(origin);
}

/** ClawHub's content hash of a version, used to detect edits of an installed skill. */
export function clawhubFingerprint(
  files: readonly { readonly path: string; readonly content: Uint8Array }[],
): string {
  const { compare } = new Intl.Collator("en");
  const lines = files
    .toSorted((a, b) => compare(a.path, b.path))
    .map(({ path, content }) => `${path}:${hash("sha256", content, "hex")}`);
  return hash("sha256", lines.join("\n"), "hex");
}
