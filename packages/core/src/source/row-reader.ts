import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { SkillType } from "@skillhold/protocol";
import type { Limits } from "@skillhold/protocol/limits";
import { isToolFile, type Profile, SKILL_FILE, skillType } from "@skillhold/skill";
import type { SkillFolder } from "./find-skills.ts";
import { type OpenedSkill, openSkillFile, openTools, TOOLS_FOLDER, withUnread } from "./open-skill.ts";
import { factsOf, recordSkill } from "./record.ts";
import { FolderRow } from "./scan-row.ts";
import { allowsHardLinks, type Source } from "./source.ts";

interface RowReaderOptions {
  readonly limits: Limits;
  readonly onRead?: ReadListener;
}

/** Called with each skill that was read. The bytes are overwritten by the next skill; copy them to keep them. */
export type ReadListener = (opened: OpenedSkill) => void;

/** Larger than almost every SKILL.md; a larger file gets its own buffer. */
const SCRATCH_BYTES = 64 * 1024;

/** Reads skill folders into rows, one at a time with one buffer. */
export class FolderRowReader {
  readonly #limits: Limits;
  readonly #onRead: ReadListener | undefined;
  readonly #allowHardLinks: boolean;
  readonly #profile: Profile;
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

  constructor(source: Source, { limits, onRead }: RowReaderOptions) {
    this.#limits = limits;
    this.#onRead = onRead;
    this.#allowHardLinks = allowsHardLinks(source);
    this.#profile = source.strict === true ? "strict" : "lenient";
  }

  /** Contract: `path` is the folder's path relative to the root of the source. */
  read(
    folder: string,
    path: string,
    file: string,
    { hasTools = true, unread }: Partial<Pick<SkillFolder, "hasTools" | "unread">> = {},
  ): FolderRow {
    const isToolsOnly = file === TOOLS_FOLDER;
    const opened = isToolsOnly ? openTools(folder) : withUnread(this.#open(folder, file), unread);
    const type = hasTools ? typeOf(folder, !isToolsOnly) : "context";
    return this.#toRow(opened, path, file, type);
  }

  /** Reads a folder without subfolders; undefined when it has no SKILL.md of that name. */
  readLeaf(folder: string, path: string): FolderRow | undefined {
    const opened = this.#open(folder, SKILL_FILE);
    const isMissing = opened.subject.findings?.[0]?.code === "SKILL_FILE_MISSING";
    return isMissing ? undefined : this.#toRow(opened, path, SKILL_FILE, "context");
  }

  #open(folder: string, file: string): OpenedSkill {
    const options = { scratch: this.#scratch, allowHardLinks: this.#allowHardLinks };
    return openSkillFile(folder, file, this.#limits, options);
  }

  #toRow(opened: OpenedSkill, path: string, file: string, type: SkillType): FolderRow {
    this.#onRead?.(opened);
    const record = recordSkill(opened, type, this.#limits, this.#profile);
    return new FolderRow(path, file, {
      stamp: opened.stamp,
      facts: factsOf(record),
      isValid: record.isValid,
    });
  }
}

function typeOf(folder: string, hasInstructions: boolean): SkillType {
  try {
    const tools = readdirSync(join(folder, "tools")).map((name) => `tools/${name}`);
    return skillType(tools.filter(isToolFile), hasInstructions);
  } catch {
    // The folder is missing or cannot be listed, so there are no tools.
    return "context";
  }
}
