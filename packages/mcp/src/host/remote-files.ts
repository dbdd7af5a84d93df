import type { Limits } from "@skillhold/protocol/limits";
import type { ParsedSkill } from "@skillhold/skill";
import type { RemoteFileCache } from "./file-cache.ts";
import { readFileResult, readSkillFile } from "./file-check.ts";
import type { ListedResource, ListedSkill } from "./listed-skill.ts";

/** Fetches a file from the server of a skill; the result is unchecked. */
export type FetchFile = (uri: string) => Promise<unknown>;

/** The files of listed skills. They are fetched on read and always checked. */
export class VerifiedFiles {
  readonly #cache: RemoteFileCache | undefined;
  readonly #limits: Limits;

  constructor(cache: RemoteFileCache | undefined, limits: Limits) {
    this.#cache = cache;
    this.#limits = limits;
  }

  /** Reads and parses SKILL.md. */
  async readSkill(skill: ListedSkill, fetch: FetchFile): Promise<ParsedSkill> {
    return readSkillFile(await this.#bytes(skill, skill.skillFile, fetch), skill, this.#limits);
  }

  async read(skill: ListedSkill, file: ListedResource, fetch: FetchFile): Promise<Uint8Array> {
    const bytes = await this.#bytes(skill, file, fetch);
    if (file === skill.skillFile) readSkillFile(bytes, skill, this.#limits);
    return bytes;
  }

  async #bytes(skill: ListedSkill, file: ListedResource, fetch: FetchFile): Promise<Uint8Array> {
    const cached = await this.#cache?.find(skill, file);
    if (cached !== undefined) return cached;
    const bytes = readFileResult(await fetch(file.uri), file);
    await this.#cache?.keep(skill, file, bytes);
    return bytes;
  }
}
