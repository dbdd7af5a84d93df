import { closeSync, fstatSync, readSync } from "node:fs";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import type { FileDigest } from "@skillhold/skill";
import { LRUCache } from "lru-cache";
import {
  type Bundle,
  type BundleFile,
  combineDigests,
  copyBundle,
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
import { readToolsText, TOOLS_FOLDER } from "../source/open-skill.ts";
import type { ByteRange, SkillFile } from "./library.ts";
import type { FilePart } from "./shelf.ts";

/** A bundle with the hashes of its files and its tree, all from one moment. */
export interface HashedBundle {
  readonly bundle: Bundle;
  readonly treeHash: Digest;
  readonly files: readonly SkillFile[];
}

/** SKILL.md with its bundle. */
export interface HashedSkill extends HashedBundle {
  readonly bytes: Uint8Array;
  readonly skillHash: Digest;
}

/** The access of a source's skills. */
export interface BundleAccess {
  readonly allowHardLinks: boolean;
  /** The root of the source; shared helpers come only from below it. */
  readonly within: string;
}

/** A part of a file, with the files of its bundle. */
export type BundlePart = Omit<FilePart, "entry"> & Pick<HashedBundle, "files">;

interface KnownDigest {
  readonly stamp: string;
  readonly digest: FileDigest;
  /** Whether the stamp detects a change of the file. */
  readonly isAtRest: boolean;
}

/** The cache entry of a folder. */
interface KnownFolder {
  /** The time of its oldest read. */
  readonly sinceMs: number;
  readonly digests: ReadonlyMap<string, KnownDigest>;
  /** The cached bundle and its trace; undefined when a change could not be detected. */
  readonly last: { readonly hashed: HashedBundle; readonly trace: PackTrace } | undefined;
  readonly access: BundleAccess;
}

/** The number of retries for a folder that changes during a read. */
const TRIES = 3;
/** The maximum number of cached folders. A cached folder is packed and hashed again only if `stat` shows a change. */
const KEPT_FOLDERS = 512;
/**
 * How long a cache entry is valid. Writes through a memory mapping or from another machine may not change the file's
 * times.
 */
const BELIEVED_MS = 30_000;

/** Reads skill files through the packer and the tree hash, and caches digests while the stamps are unchanged. */
export class BundleReader {
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #known = new LRUCache<string, KnownFolder>({ max: KEPT_FOLDERS });

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
    // Given paths may become links later, so the real paths are used.
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

  /** Copies the bundle to an empty folder; the hash covers the written bytes. */
  async copy(folder: string, target: string, access: BundleAccess): Promise<Digest> {
    return await copyBundle(await pack(folder, { limits: this.#limits, ...access }), target);
  }

  /** SKILL.md and the hashes of its bundle, from one moment; undefined when it does not exist. */
  async readSkillFile(folder: string, name: string, access: BundleAccess): Promise<HashedSkill | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      if (tryStat(folder) === undefined) return undefined;
      const hashed = await this.#hashOrRetry(folder, access, attempt);
      if (hashed !== undefined && name === TOOLS_FOLDER) return withGenerated(hashed, folder);
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

  /** The bytes of a file; undefined when it is no longer the packed one. */
  #read(file: BundleFile, access: BundleAccess): Uint8Array | undefined {
    const read = readBounded(file.origin, this.#limits.skillFileBytes, access);
    return "bytes" in read && stampOf(read) === file.stamp ? read.bytes : undefined;
  }

  /** A part of a file, with the digest of the whole file. A full read is verified against the digest. */
  async readPart(
    folder: string,
    path: string,
    range: Required<ByteRange>,
    access: BundleAccess,
  ): Promise<BundlePart> {
    const wanted = normalizeRelative(path, this.#limits);
    for (let attempt = 1; ; attempt += 1) {
      if (tryStat(folder) === undefined)
        throw new SkillError("SKILL_NOT_FOUND", "The skill no longer exists.");
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

  /** Retries when a file changed between packing and hashing; other errors are final. */
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

  /** A result that started before a newer one, or before an invalidation, is discarded. */
  #remember(folder: string, known: KnownFolder, before: KnownFolder | undefined): void {
    if (this.#known.get(folder) === before) this.#known.set(folder, known);
  }
}

/** The bundle of a folder with only tools, with its generated SKILL.md. */
function withGenerated(hashed: HashedBundle, folder: string): HashedSkill | undefined {
  const bytes = readToolsText(folder);
  return bytes === undefined ? undefined : { ...hashed, bytes, skillHash: hashSkillFile(bytes) };
}

/** A clock that was set back gives no age. */
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

/** The part of a file; undefined when it is no longer the hashed one. */
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
      : `The file is not part of the skill: ${omission.message}`;
  return new SkillError("PATH_NOT_FOUND", `${path}: ${why}`, {
    hint: "Read the skill to see its files.",
  });
}

function changing(): SkillError {
  return new SkillError("IO_FAILED", "The skill keeps changing during the read.", {
    hint: "Retry when no program writes to the skill.",
  });
}
