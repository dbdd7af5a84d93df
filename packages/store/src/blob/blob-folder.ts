import { randomUUID } from "node:crypto";
import { lstat, mkdir, readdir, rename, rm, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Clock } from "@skillhold/core/port";
import { syncFolder } from "@skillhold/core/secret";
import { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Blob, BlobEntry } from "@skillhold/registry/record";
import { diskFull, isDiskFull } from "@skillhold/registry/record";
import { asDigest, blobDamaged, blobDigest, type EngineBlobs, rejectFalseName } from "./blob.ts";
import { isMissing, isNoFolder, isOdd, isOlder, lookIfThere, openIfThere, writeSynced } from "./blob-file.ts";

/** How many files are written and synced at a time. */
const AT_ONCE = 16;
const TEMPORARY = "tmp";
const MOST_ATTEMPTS = 5;
const TRASH = /^trash-(\d+)-([0-9a-f]{64})-/;

/** Opens or creates the folder. Only the owner may have access to it and its parent. */
export async function openBlobFolder(root: string, clock: Clock): Promise<BlobFolder> {
  for (const folder of [dirname(root), root]) {
    await attempt(root, () => mkdir(folder, { recursive: true, mode: 0o700 }));
    await rejectShared(folder);
  }
  await attempt(root, () => mkdir(join(root, TEMPORARY), { recursive: true, mode: 0o700 }));
  await attempt(root, () => syncFolder(root));
  return new BlobFolder(root, clock);
}

async function rejectShared(root: string): Promise<void> {
  const stats = await attempt(root, () => lstat(root));
  const user = process.geteuid?.();
  const isOurs = user === undefined || stats.uid === user || stats.uid === 0;
  const isOpen = process.platform !== "win32" && (stats.mode & 0o077) !== 0;
  if (stats.isDirectory() && isOurs && !isOpen) return;
  throw new SkillError("CONFIG_INVALID", `The folder ${root} is a link or accessible to others.`, {
    hint: "Make it a folder that only you can access (mode 700), or choose another store.",
    details: { root },
  });
}

/**
 * One file per blob, named by its hash: `ab/ab12…`. A file gets its name only after its bytes are on disk,
 * and is never changed afterwards. Its modification time is the time of the last put.
 */
export class BlobFolder implements EngineBlobs {
  readonly #root: string;
  readonly #clock: Clock;
  #isClosed = false;

  constructor(root: string, clock: Clock) {
    this.#root = root;
    this.#clock = clock;
  }

  async put(blobs: readonly Blob[]): Promise<void> {
    for (const blob of blobs) rejectFalseName(blob);
    const distinct = new Map(blobs.map((blob) => [blob.digest, blob]));
    const buckets = new Set([...distinct.keys()].map(bucketOf));
    await this.#attempt(async () => {
      await this.#makeBuckets(buckets);
      await forEachBounded(distinct.values(), AT_ONCE, (blob) => this.#putOne(blob));
      // Also for existing blobs: their writer may not have synced yet.
      await forEachBounded(buckets, AT_ONCE, (bucket) => syncFolder(join(this.#root, bucket)));
    });
  }

  async get(digest: Digest): Promise<Uint8Array> {
    for (let attempt = 0; ; attempt += 1) {
      const bytes = await this.#attempt(() => this.#read(digest));
      if (bytes !== undefined && bytes !== "odd" && blobDigest(bytes) === digest) return bytes;
      // A blob that is being restored is missing for a moment.
      if (bytes !== undefined || attempt === 2) throw blobDamaged(digest, bytes);
      await setTimeout(5);
    }
  }

  async missing(digests: readonly Digest[]): Promise<readonly Digest[]> {
    const kept = new Set<Digest>();
    await this.#attempt(() =>
      forEachBounded(digests, AT_ONCE, async (digest) => {
        const stats = await lookIfThere(this.#pathOf(digest));
        if (stats?.isFile() === true) kept.add(digest);
      }),
    );
    return digests.filter((digest) => !kept.has(digest));
  }

  /** A transaction is the only writer, so no other lock is needed. */
  within(): this {
    return this;
  }

  async *list(): AsyncIterable<BlobEntry> {
    for (const bucket of await this.#attempt(() => readdir(this.#root))) {
      if (/^[0-9a-f]{2}$/.test(bucket)) yield* await this.#attempt(() => this.#listBucket(bucket));
    }
  }

  async remove(digests: readonly Digest[], before: Date): Promise<number> {
    let removed = 0;
    await this.#attempt(() =>
      forEachBounded(digests, AT_ONCE, async (digest) => {
        if (await this.#removeOne(digest, before)) removed += 1;
      }),
    );
    return removed;
  }

  async sweep(before: Date): Promise<number> {
    let swept = 0;
    await this.#attempt(async () => {
      for (const name of await readdir(join(this.#root, TEMPORARY))) {
        const path = join(this.#root, TEMPORARY, name);
        const [, time, hex] = TRASH.exec(name) ?? [];
        if (time !== undefined && hex !== undefined) await this.#settle(path, asDigest(hex), Number(time));
        else if (!(await isOlder(path, before.getTime()))) continue;
        else await rm(path, { recursive: true, force: true });
        swept += 1;
      }
    });
    return swept;
  }

  /** All later calls fail. */
  close(): void {
    this.#isClosed = true;
  }

  async #listBucket(bucket: string): Promise<readonly BlobEntry[]> {
    const entries: BlobEntry[] = [];
    await forEachBounded(await readdir(join(this.#root, bucket)), AT_ONCE, async (name) => {
      const { data: digest } = Digest.safeParse(`sha256:${name}`);
      if (digest === undefined || bucketOf(digest) !== bucket) return;
      const stats = await lookIfThere(this.#pathOf(digest));
      if (stats !== undefined) entries.push({ digest, size: stats.size, putAt: stats.mtime });
    });
    return entries;
  }

  async #makeBuckets(buckets: ReadonlySet<string>): Promise<void> {
    let isNew = false;
    for (const bucket of buckets) {
      const made = await mkdir(join(this.#root, bucket), { recursive: true, mode: 0o700 });
      isNew ||= made !== undefined;
    }
    if (isNew) await syncFolder(this.#root);
  }

  /** A sweep may take a file that is being written for a leftover, after a suspend or a jump of the clock. */
  async #putOne(blob: Blob): Promise<void> {
    for (let left = MOST_ATTEMPTS; ; left -= 1) {
      try {
        if (!(await this.#renew(blob.digest))) await this.#write(blob);
        return;
      } catch (error) {
        if (!isMissing(error) || left === 1) throw error;
      }
    }
  }

  async #write(blob: Blob): Promise<void> {
    const path = join(this.#root, TEMPORARY, `new-${randomUUID()}`);
    try {
      await writeSynced(path, blob.bytes, this.#clock.now());
      await this.#clear(blob.digest);
      await rename(path, this.#pathOf(blob.digest));
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  }

  /** Renaming replaces any entry except a folder, which is moved aside for a later sweep. */
  async #clear(digest: Digest): Promise<void> {
    const path = this.#pathOf(digest);
    if ((await lookIfThere(path))?.isDirectory() !== true) return;
    // The trailing slash matches only a folder, so that a file that was just put stays.
    await rename(`${path}/`, join(this.#root, TEMPORARY, `odd-${randomUUID()}`)).catch(ignoreGone);
  }

  /** Whether an intact file exists, and then updates its time by path; see `#removeOne`. */
  async #renew(digest: Digest): Promise<boolean> {
    const path = this.#pathOf(digest);
    const handle = await openIfThere(path);
    if (handle === undefined || handle === "odd") return false;
    try {
      if (blobDigest(await handle.readFile()) !== digest) return false;
      const now = this.#clock.now();
      await utimes(path, now, now);
      await handle.sync();
      return true;
    } catch (error) {
      if (isMissing(error) || isOdd(error)) return false;
      throw error;
    } finally {
      await handle.close();
    }
  }

  async #read(digest: Digest): Promise<Uint8Array | "odd" | undefined> {
    const handle = await openIfThere(this.#pathOf(digest));
    if (handle === undefined || handle === "odd") return handle;
    try {
      return await handle.readFile();
    } catch (error) {
      if (isOdd(error)) return "odd";
      throw error;
    } finally {
      await handle.close();
    }
  }

  /**
   * A blob may be put again between the check of its time and its removal. Therefore it is renamed first,
   * which only one process can do, and checked afterwards; a concurrent put finds no file and writes a new
   * one.
   */
  async #removeOne(digest: Digest, before: Date): Promise<boolean> {
    const path = this.#pathOf(digest);
    if (!(await isOlder(path, before.getTime()))) return false;
    const hex = path.slice(-64);
    const trash = join(this.#root, TEMPORARY, `trash-${before.getTime()}-${hex}-${randomUUID()}`);
    try {
      await rename(path, trash);
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
    return await this.#settle(trash, digest, before.getTime());
  }

  /**
   * Whether the file was removed. Every process decides the same, so that the leftovers of a crashed one can
   * be completed.
   */
  async #settle(trash: string, digest: Digest, before: number): Promise<boolean> {
    if (await isOlder(trash, before)) {
      await rm(trash, { recursive: true, force: true });
      return true;
    }
    const path = this.#pathOf(digest);
    try {
      await rename(trash, path);
      await syncFolder(join(this.#root, bucketOf(digest)));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    return false;
  }

  #pathOf(digest: Digest): string {
    // A parsed digest is hexadecimal, so the path stays inside its bucket.
    return join(this.#root, bucketOf(digest), Digest.parse(digest).slice("sha256:".length));
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new SkillError("STORE_FAILED", "The registry is closed.");
    return await attempt(this.#root, work);
  }
}

async function attempt<T>(root: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !("syscall" in error)) throw error;
    if (isDiskFull(error)) throw diskFull(`The disk of the blobs in ${root}`, error);
    throw new SkillError("STORE_FAILED", `The blobs in ${root} cannot be read or written.`, {
      details: { path: root },
      cause: error,
    });
  }
}

function ignoreGone(error: unknown): void {
  if (!isMissing(error) && !isNoFolder(error)) throw error;
}

function bucketOf(digest: Digest): string {
  const start = "sha256:".length;
  return digest.slice(start, start + 2);
}

/**
 * Runs work for each item with limited concurrency. Throws the first failure after all started work has
 * ended.
 */
async function forEachBounded<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  let failure: { readonly error: unknown } | undefined;
  const take = async () => {
    for (let next = queue.next(); !next.done && failure === undefined; next = queue.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, take));
  if (failure !== undefined) throw failure.error;
}
