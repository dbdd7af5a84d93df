import { hash, randomUUID } from "node:crypto";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { keepFile, readKeptFile } from "@skillhold/core/bundle";
import { SkillError } from "@skillhold/protocol/error";
import { checkFile } from "./file-check.ts";
import type { ListedFile, ListedSkill } from "./listed-skill.ts";

/**
 * Files of one server that were read before, by label and address and then by digest. No skill is ever found in here:
 * a file is looked for only when a server lists it now, and is hashed again each time. It may lose anything and fails
 * nobody.
 */
export class FileCache {
  readonly #folder: string;
  readonly #label: string;
  readonly #mostBytes: number;

  constructor(folder: string, label: string, mostBytes: number) {
    this.#folder = join(folder, sha256(label));
    this.#label = label;
    this.#mostBytes = mostBytes;
  }

  async find(skill: ListedSkill, file: ListedFile): Promise<Uint8Array | undefined> {
    const path = join(this.#place(skill), nameOf(file));
    try {
      const bytes = await readKeptFile(path, file.size);
      checkFile(bytes, file);
      return bytes;
    } catch (error) {
      // Not there, not readable, or changed by someone: it is as if it had never been kept.
      if (error instanceof SkillError) await quietly(rm(path, { force: true }));
      return undefined;
    }
  }

  async keep(skill: ListedSkill, file: ListedFile, bytes: Uint8Array): Promise<void> {
    if (bytes.length > this.#mostBytes) return;
    const place = this.#place(skill);
    const path = join(place, nameOf(file));
    await quietly(this.#makeRoom(bytes.length));
    // A disk that is full or read-only costs time and nothing else.
    await quietly(
      mkdir(place, { recursive: true, mode: 0o700 }).then(() =>
        keepFile(path, `${path}.${randomUUID()}`, bytes),
      ),
    );
  }

  /** Lets go of all that is not listed any more. */
  async retain(skills: readonly ListedSkill[]): Promise<void> {
    const wanted = new Map(
      skills.map((skill) => [this.#place(skill), new Set(skill.files.map((file) => nameOf(file)))]),
    );
    for (const { place, name, path } of await this.#list())
      if (wanted.get(place)?.has(name) !== true) await quietly(rm(path, { force: true }));
    for (const name of await namesIn(this.#folder)) {
      const place = join(this.#folder, name);
      if (!wanted.has(place)) await quietly(rm(place, { recursive: true, force: true }));
    }
  }

  /** Lets go of everything of this server. */
  async clear(): Promise<void> {
    await quietly(rm(this.#folder, { recursive: true, force: true }));
  }

  #place({ uri }: ListedSkill): string {
    return join(this.#folder, sha256(`${this.#label}\0${uri.key}`));
  }

  /** The oldest go first. */
  async #makeRoom(bytes: number): Promise<void> {
    const kept = await this.#list();
    let total = bytes + kept.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size } of kept.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
      if (total <= this.#mostBytes) return;
      await rm(path, { force: true });
      total -= size;
    }
  }

  async #list(): Promise<KeptFile[]> {
    const files: KeptFile[] = [];
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

interface KeptFile {
  readonly place: string;
  readonly name: string;
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
}

function nameOf({ digest }: ListedFile): string {
  return digest.slice("sha256:".length);
}

function sha256(text: string): string {
  return hash("sha256", text, "hex");
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch(() => []);
}

async function quietly(work: Promise<unknown>): Promise<void> {
  await work.catch(() => undefined);
}
