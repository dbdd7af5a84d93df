import type { Limits } from "@skillhold/protocol/limits";
import type { ParsedSkill } from "@skillhold/skill";
import type { FileCache } from "./file-cache.ts";
import { readAnswer } from "./file-check.ts";
import { readSkillFile } from "./frontmatter-check.ts";
import type { ListedFile, ListedSkill } from "./listed-skill.ts";

/** Asks the server of a skill for one of its files; the answer is unchecked. */
export type FetchFile = (uri: string) => Promise<unknown>;

/** Files of listed skills: fetched when they are read and not before, and never handed on unchecked. */
export class RemoteFiles {
  readonly #cache: FileCache | undefined;
  readonly #limits: Limits;

  constructor(cache: FileCache | undefined, limits: Limits) {
    this.#cache = cache;
    this.#limits = limits;
  }

  /** SKILL.md as what it says. */
  async readSkill(skill: ListedSkill, fetch: FetchFile): Promise<ParsedSkill> {
    return readSkillFile(await this.#bytes(skill, skill.skillFile, fetch), skill, this.#limits);
  }

  async read(skill: ListedSkill, file: ListedFile, fetch: FetchFile): Promise<Uint8Array> {
    const bytes = await this.#bytes(skill, file, fetch);
    if (file === skill.skillFile) readSkillFile(bytes, skill, this.#limits);
    return bytes;
  }

  async #bytes(skill: ListedSkill, file: ListedFile, fetch: FetchFile): Promise<Uint8Array> {
    const kept = await this.#cache?.find(skill, file);
    if (kept !== undefined) return kept;
    const bytes = readAnswer(await fetch(file.uri), file);
    await this.#cache?.keep(skill, file, bytes);
    return bytes;
  }
}
