import { hash } from "node:crypto";
import { lstat, mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { SerialQueue } from "@skillhold/core/async";
import { hashSkillFile, readCachedFile, writeFileAtomically } from "@skillhold/core/bundle";
import type { Ids } from "@skillhold/core/port";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { LRUCache } from "lru-cache";

/** The expected digest and size of a file. */
export interface FileRef {
  readonly digest: Digest;
  readonly size: number;
}

/**
 * A cache of gateway files by digest. Used only for files that the gateway currently lists, and returns only
 * matching bytes. It may drop entries at any time and never throws.
 */
export interface GatewayFileCache {
  find(file: FileRef): Promise<Uint8Array | undefined>;
  /** Contract: the bytes match the digest. */
  keep(file: FileRef, bytes: Uint8Array): Promise<void>;
}

export function isFile(bytes: Uint8Array, { digest, size }: FileRef): boolean {
  return bytes.length === size && hashSkillFile(bytes) === digest;
}

const MOST_BYTES = 16 * 1024 * 1024;

/** An in-memory cache of the latest files. */
export function memoryCache(mostBytes: number = MOST_BYTES): GatewayFileCache {
  // The cache accepts no entry of size 0.
  const sizeCalculation = ({ length }: Uint8Array) => Math.max(1, length);
  const kept = new LRUCache<string, Uint8Array>({ maxSize: mostBytes, sizeCalculation });
  return {
    find: async ({ digest, size }) => {
      const bytes = kept.get(digest);
      return bytes?.length === size ? bytes : undefined;
    },
    keep: async ({ digest }, bytes) => void kept.set(digest, bytes),
  };
}

interface FolderCacheOptions {
  /** The gateway of the files; gateways do not share entries. */
  readonly address: string;
  readonly mostBytes: number;
  readonly ids: Ids;
}

/** The part of the limit that is kept when the cache is full. */
const KEPT_PART = 0.8;

/**
 * A private folder that keeps files between starts. Several processes may use it: files are written
 * atomically and hashed on every use.
 */
export async function openFolderCache(root: string, options: FolderCacheOptions): Promise<GatewayFileCache> {
  const folder = join(root, hash("sha256", options.address, "hex").slice(0, 32));
  for (const each of [root, folder]) {
    await mkdir(each, { recursive: true, mode: 0o700 });
    await rejectShared(each);
  }
  return new FolderCache(folder, options);
}

/** The files may be confidential. */
async function rejectShared(folder: string): Promise<void> {
  const stats = await lstat(folder);
  const user = process.geteuid?.();
  const isOthers = user !== undefined && stats.uid !== user && stats.uid !== 0;
  const isOpen = process.platform !== "win32" && (stats.mode & 0o077) !== 0;
  if (stats.isDirectory() && !isOthers && !isOpen) return;
  throw new SkillError(
    "CONFIG_INVALID",
    `The cache folder ${folder} belongs to another user or is accessible to others.`,
    {
      hint: "Choose another cache folder, or run `chmod 700` on this one.",
      details: { folder },
    },
  );
}

class FolderCache implements GatewayFileCache {
  readonly #folder: string;
  readonly #mostBytes: number;
  readonly #ids: Ids;
  /** The known size of the folder; undefined before the first scan. */
  #bytes: number | undefined;
  /** One write at a time: a scan does not see a file that another write is about to add. */
  readonly #writes = new SerialQueue();

  constructor(folder: string, { mostBytes, ids }: FolderCacheOptions) {
    this.#folder = folder;
    this.#mostBytes = mostBytes;
    this.#ids = ids;
  }

  async find(file: FileRef): Promise<Uint8Array | undefined> {
    const path = this.#pathOf(file);
    const bytes = await readCachedFile(path, file.size).catch(() => undefined);
    if (bytes === undefined || isFile(bytes, file)) return bytes;
    // A changed or partly written file counts as not cached.
    await quietly(rm(path, { recursive: true, force: true }));
    return undefined;
  }

  async keep(file: FileRef, bytes: Uint8Array): Promise<void> {
    if (bytes.length > this.#mostBytes * (1 - KEPT_PART)) return;
    const path = this.#pathOf(file);
    // A full or read-only disk only makes the cache useless.
    await quietly(
      this.#writes.run(async () => {
        await this.#makeRoom(bytes.length);
        await writeFileAtomically(path, `${path}.${this.#ids.next()}`, bytes);
      }),
    );
  }

  #pathOf({ digest }: FileRef): string {
    return join(this.#folder, digest.slice("sha256:".length));
  }

  /** Scans the folder only if it may be full, and removes the oldest files first. */
  async #makeRoom(bytes: number): Promise<void> {
    const known = this.#bytes;
    if (known !== undefined && known + bytes <= this.#mostBytes) {
      this.#bytes = known + bytes;
      return;
    }
    const files = await this.#list();
    let total = bytes + files.reduce((sum, { size }) => sum + size, 0);
    const target = total > this.#mostBytes ? this.#mostBytes * KEPT_PART : this.#mostBytes;
    for (const { path, size } of files.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
      if (total <= target) break;
      await rm(path, { recursive: true, force: true });
      total -= size;
    }
    this.#bytes = total;
  }

  async #list() {
    const paths = (await readdir(this.#folder)).map((name) => join(this.#folder, name));
    const found = await Promise.all(paths.map(async (path) => ({ path, stats: await tryStat(path) })));
    return found.flatMap(({ path, stats }) =>
      stats === undefined ? [] : [{ path, size: stats.size, mtimeMs: stats.mtimeMs }],
    );
  }
}

async function tryStat(path: string) {
  return await stat(path).catch(() => undefined);
}

async function quietly(work: Promise<unknown>): Promise<void> {
  await work.catch(() => undefined);
}
