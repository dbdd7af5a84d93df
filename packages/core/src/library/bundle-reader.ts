import { closeSync, fstatSync, readSync } from "node:fs";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import {
  type Bundle,
  type BundleFile,
  combineDigests,
  copyBundle,
  type FileDigest,
  hashFile,
  hashSkillFile,
  normalizeRelative,
  openInside,
  PackTrace,
  pack,
  readBounded,
  tryStat,
} from "../bundle/index.ts";
import { stampOf } from "../bundle/stamp.ts";
import type { Clock } from "../port.ts";
import type { ByteRange, SkillFile } from "./library.ts";
import type { FilePart } from "./shelf.ts";

/** A bundle with the hash of every file and of the tree, all of one moment. */
export interface HashedBundle {
  readonly bundle: Bundle;
  readonly treeHash: Digest;
  readonly files: readonly SkillFile[];
}

/** SKILL.md with the bundle around it. */
export interface HashedSkill extends HashedBundle {
  readonly bytes: Uint8Array;
  readonly skillHash: Digest;
}

/** What a source lets its skills reach. */
export interface BundleAccess {
  readonly allowHardLinks: boolean;
  /** The root of the source: shared helpers are taken from below it only. */
  readonly within: string;
}

/** A part of a file, and the files of the bundle that it was read from. */
export type BundlePart = Omit<FilePart, "entry"> & Pick<HashedBundle, "files">;

interface KnownDigest {
  readonly stamp: string;
  readonly digest: FileDigest;
  /** Whether the stamp would be another if the file were. */
  readonly isAtRest: boolean;
}

/** What is kept of a folder between two readings. */
interface KnownFolder {
  /** When the oldest of what is kept was read. */
  readonly sinceMs: number;
  readonly digests: ReadonlyMap<string, KnownDigest>;
  /** The bundle as it was, with what tells that it still is; undefined where nothing could tell. */
  readonly last: { readonly hashed: HashedBundle; readonly trace: PackTrace } | undefined;
  readonly access: BundleAccess;
}

/** How often a folder that changes while it is read is looked at again before it is given up. */
const TRIES = 3;
/** So many folders are remembered; one that is asked for again is stat-ed, and packed and hashed where it changed. */
const KEPT_FOLDERS = 512;
/**
 * What was read is believed for this long. Writes through a mapping of a file may not show in its times, and neither
 * may those of another machine.
 */
const BELIEVED_MS = 30_000;

/** Reads skills' files through the packer and the tree hash, and keeps digests as long as the files' stamps stay. */
export class BundleReader {
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #known = new Map<string, KnownFolder>();

  constructor(limits: Limits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  async hash(folder: string, access: BundleAccess): Promise<HashedBundle> {
    const nowMs = this.#clock.now().getTime();
    const known = this.#known.get(folder);
    const before = isBelieved(known, nowMs) ? known : undefined;
    const unchanged = before === undefined ? undefined : await findUnchanged(before, access);
    if (before !== undefined && unchanged !== undefined) {
      this.#remember(folder, before, known);
      return unchanged;
    }
    const trace = new PackTrace(nowMs);
    // As they are named, they may be links to elsewhere tomorrow.
    for (const place of [folder, access.within]) trace.lookThrough(place);
    const bundle = await pack(folder, { limits: this.#limits, ...access, trace });
    const digests = new Map<string, KnownDigest>();
    let sinceMs = nowMs;
    for (const file of bundle.files) {
      const last = before?.digests.get(file.path);
      const isSame = last?.isAtRest === true && last.stamp === file.stamp;
      if (isSame) sinceMs = before?.sinceMs ?? nowMs;
      const digest = isSame ? last.digest : await hashFile(file, access);
      digests.set(file.path, { stamp: file.stamp, digest, isAtRest: trace.isAtRest(file.origin) });
    }
    const hashed = withHashes(bundle, digests);
    const last = trace.isTrusted ? { hashed, trace } : undefined;
    this.#remember(folder, { sinceMs, digests, access, last }, known);
    return hashed;
  }

  /** Writes the bundle to an empty folder; the hash is over the bytes that were written. */
  async copy(folder: string, target: string, access: BundleAccess): Promise<Digest> {
    return await copyBundle(await pack(folder, { limits: this.#limits, ...access }), target);
  }

  /** SKILL.md and the hashes of the bundle around it, as they were at one moment; undefined when it is not there. */
  async readSkillFile(folder: string, name: string, access: BundleAccess): Promise<HashedSkill | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      if (tryStat(folder) === undefined) return undefined;
      const hashed = await this.#hashOrRetry(folder, access, attempt);
      const file = hashed?.bundle.files.find(({ path }) => path === name);
      if (hashed !== undefined && file === undefined) return undefined;
      const bytes = file === undefined ? undefined : this.#read(file, access);
      const skillHash = hashed?.files.find(({ path }) => path === name)?.digest;
      if (hashed !== undefined && bytes !== undefined && skillHash !== undefined) {
        if (hashSkillFile(bytes) === skillHash) return { ...hashed, bytes, skillHash };
        this.#known.delete(folder);
      }
      if (attempt === TRIES) throw changing();
    }
  }

  /** The bytes of a file, or undefined when it is no longer the one that was packed. */
  #read(file: BundleFile, access: BundleAccess): Uint8Array | undefined {
    const read = readBounded(file.origin, this.#limits.skillFileBytes, access);
    return "bytes" in read && stampOf(read) === file.stamp ? read.bytes : undefined;
  }

  /** A part of a file, with the digest of all of it. What is read whole is what the digest says. */
  async readPart(
    folder: string,
    path: string,
    range: Required<ByteRange>,
    access: BundleAccess,
  ): Promise<BundlePart> {
    const wanted = normalizeRelative(path, this.#limits);
    for (let attempt = 1; ; attempt += 1) {
      if (tryStat(folder) === undefined)
        throw new SkillError("SKILL_NOT_FOUND", "The skill is not there any more.");
      const hashed = await this.#hashOrRetry(folder, access, attempt);
      const file = hashed?.bundle.files.find((each) => each.path === wanted);
      if (hashed !== undefined && file === undefined) throw missing(path, hashed.bundle);
      const bytes = file === undefined ? undefined : readUnchanged(file, range, access);
      const digest = hashed?.files.find((each) => each.path === wanted);
      if (hashed !== undefined && bytes !== undefined && digest !== undefined) {
        const { treeHash, files } = hashed;
        if (bytes.length < digest.size || hashSkillFile(bytes) === digest.digest)
          return { bytes, size: digest.size, digest: digest.digest, treeHash, files };
        this.#known.delete(folder);
      }
      if (attempt === TRIES) throw changing();
    }
  }

  /** A file that changes between packing and hashing is worth another look; what is refused is not. */
  async #hashOrRetry(
    folder: string,
    access: BundleAccess,
    attempt: number,
  ): Promise<HashedBundle | undefined> {
    try {
      return await this.hash(folder, access);
    } catch (error) {
      const isPassing =
        error instanceof SkillError && (error.code === "IO_FAILED" || error.code === "PATH_NOT_FOUND");
      if (!isPassing || attempt === TRIES) throw error;
      return undefined;
    }
  }

  /** Who began before another has found out more, or has found that nothing is known, has nothing to say. */
  #remember(folder: string, known: KnownFolder, before: KnownFolder | undefined): void {
    if (this.#known.get(folder) !== before) return;
    this.#known.delete(folder);
    this.#known.set(folder, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KEPT_FOLDERS && oldest !== undefined) this.#known.delete(oldest);
  }
}

/** A clock that was set back says nothing of how old something is. */
function isBelieved(known: KnownFolder | undefined, nowMs: number): boolean {
  if (known === undefined) return false;
  const ageMs = nowMs - known.sinceMs;
  return ageMs >= 0 && ageMs < BELIEVED_MS;
}

async function findUnchanged(
  { last, access }: KnownFolder,
  asked: BundleAccess,
): Promise<HashedBundle | undefined> {
  const isSameAccess = access.allowHardLinks === asked.allowHardLinks && access.within === asked.within;
  return isSameAccess && (await last?.trace.hasStayed()) === true ? last?.hashed : undefined;
}

function withHashes(bundle: Bundle, known: ReadonlyMap<string, KnownDigest>): HashedBundle {
  const digests = [...known.values()].map(({ digest }) => digest);
  const roles = new Map<string, string>(bundle.files.map(({ path, role }) => [path, role]));
  const files = digests.map((digest) => ({ ...digest, role: roles.get(digest.path) ?? "resource" }));
  return { bundle, treeHash: combineDigests(digests), files };
}

/** The part of a file, or undefined when the file is no longer the one that was hashed. */
function readUnchanged(
  file: BundleFile,
  { start, length }: Required<ByteRange>,
  access: BundleAccess,
): Uint8Array | undefined {
  const { fd } = openInside(file.base, file.path, access);
  try {
    const bytes = Buffer.alloc(Math.max(0, Math.min(length, file.size - start)));
    let count = 0;
    while (count < bytes.length) {
      const read = readSync(fd, bytes, count, bytes.length - count, start + count);
      if (read === 0) break;
      count += read;
    }
    const isSame = stampOf(fstatSync(fd)) === file.stamp;
    return isSame && count === bytes.length ? bytes : undefined;
  } finally {
    closeSync(fd);
  }
}

function missing(path: string, { omitted }: Bundle): SkillError {
  const omission = omitted.find((each) => path === each.path || path.startsWith(`${each.path}/`));
  const why =
    omission === undefined
      ? "The skill has no such file."
      : `It is not part of the skill: ${omission.message}`;
  return new SkillError("PATH_NOT_FOUND", `${path}: ${why}`, {
    hint: "The skill's files are listed when it is read.",
  });
}

function changing(): SkillError {
  return new SkillError("IO_FAILED", "The skill keeps changing while it is read.", {
    hint: "Try again when nothing writes to it.",
  });
}
