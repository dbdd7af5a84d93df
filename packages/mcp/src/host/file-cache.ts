import { hash, randomUUID } from "node:crypto";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { readCachedFile, writeFileAtomically } from "@skillhold/core/bundle";
import { SkillError } from "@skillhold/protocol/error";
import { checkFile } from "./file-check.ts";
import type { ListedResource, ListedSkill } from "./listed-skill.ts";

/**
 * Files of one server, by label, URI and digest. The cache never adds a skill: a file is only read when the server lists
 * it now, and its hash is checked each time. Failures of the cache are ignored.
 */
export class RemoteFileCache {
  readonly #folder: string;
  readonly #label: string;
  readonly #mostBytes: number;

  constructor(folder: string, label: string, mostBytes: number) {
    this.#folder = join(folder, sha256(label));
    this.#label = label;
    this.#mostBytes = mostBytes;
  }

  async find(skill: ListedSkill, file: ListedResource): Promise<Uint8Array | undefined> {
    const path = join(this.#folderOf(skill), nameOf(file));
    try {
      const bytes = await readCachedFile(path, file.size);
      checkFile(bytes, file);
      return bytes;
    } catch (error) {
      // A missing, unreadable or modified file is treated as not cached.
      if (error instanceof SkillError) await ignoringErrors(rm(path, { force: true }));
      return undefined;
    }
  }

  async keep(skill: ListedSkill, file: ListedResource, bytes: Uint8Array): Promise<void> {
    if (bytes.length > this.#mostBytes) return;
    const folder = this.#folderOf(skill);
    const path = join(folder, nameOf(file));
    await ignoringErrors(this.#makeRoom(bytes.length));
    // A full or read-only disk only costs time.
    await ignoringErrors(
      mkdir(folder, { recursive: true, mode: 0o700 }).then(() =>
        writeFileAtomically(path, `${path}.${randomUUID()}`, bytes),
      ),
    );
  }

  /** Deletes all files that are no longer listed. */
  async retain(skills: readonly ListedSkill[]): Promise<void> {
    const wanted = new Map(
      skills.map((skill) => [this.#folderOf(skill), new Set(skill.files.map((file) => nameOf(file)))]),
    );
    for (const { place, name, path } of await this.#list())
      if (wanted.get(place)?.has(name) !== true) await ignoringErrors(rm(path, { force: true }));
    for (const name of await namesIn(this.#folder)) {
      const place = join(this.#folder, name);
      if (!wanted.has(place)) await ignoringErrors(rm(place, { recursive: true, force: true }));
    }
  }

  /** Deletes all files of this server. */
  async clear(): Promise<void> {
    await ignoringErrors(rm(this.#folder, { recursive: true, force: true }));
  }

  #folderOf({ uri }: ListedSkill): string {
    return join(this.#folder, sha256(`${this.#label}\0${uri.key}`));
  }

  /** Deletes the oldest files first. */
  async #makeRoom(bytes: number): Promise<void> {
    const kept = await this.#list();
    let total = bytes + kept.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size } of kept.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
      if (total <= this.#mostBytes) return;
      await rm(path, { force: true });
      total -= size;
    }
  }

  async #list(): Promise<CachedFile[]> {
    const files: CachedFile[] = [];
    for (const folder of await namesIn(this.#folder)) {
      const place = join(this.#folder, folder);
      for (const name of await namesIn(place)) {
        const path = join(place, name);
        const stats = await stat(path).catch(() => undefined);
        if (stats !== undefined) files.push({ place, name, path, size: stats.size, mtimeMs: stats.mtimeMs });
      }
    }
    return files;
  }
}

interface CachedFile {
  readonly place: string;
  readonly name: string;
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
}

function nameOf({ digest }: ListedResource): string {
  return digest.slice("sha256:".length);
}

function sha256(text: string): string {
  return hash("sha256", text, "hex");
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch(() => []);
}

async function ignoringErrors(work: Promise<unknown>): Promise<void> {
  await work.catch(() => undefined);
}
