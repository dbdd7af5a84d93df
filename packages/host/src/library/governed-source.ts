import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { type FolderLibrary, type LiveReloadOptions, openLibrary } from "@skillhold/core/library";
import type { Source } from "@skillhold/core/source";
import { SkillId } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { approveFirst, isApproved, proposeEdit } from "@skillhold/registry/proposal";
import type { RegistryContext } from "@skillhold/registry/record";
import type { Host } from "@skillhold/skill";
import { dataFolder } from "../place/data-folder.ts";
import type { Env } from "../place/machine.ts";

export interface GovernOptions {
  readonly env: Env;
  readonly host: Host;
  readonly limits: Limits;
  readonly watch: LiveReloadOptions | undefined;
  /** Opens the store of proposals for one piece of work. */
  readonly withRegistry: <T>(work: (context: RegistryContext) => Promise<T>) => Promise<T>;
  /** Receives why an edit was not proposed. */
  readonly onProblem: (message: string) => void;
}

export interface GovernedSources {
  /** The sources with the approved content, in the same order. */
  readonly sources: readonly Source[];
  readonly close: () => Promise<void>;
}

/**
 * Serves the approved content of folders in place of the folders. Edits on disk become proposals, and an applied proposal
 * changes the served content. The first content of a folder is approved as it is.
 */
export async function governSources(
  sources: readonly Source[],
  options: GovernOptions,
): Promise<GovernedSources> {
  const governed = sources.map((source) => ({ source, approved: approvedRoot(source, options.env) }));
  const edits: EditWatch[] = [];
  try {
    for (const { source, approved } of governed) edits.push(await EditWatch.open(source, approved, options));
  } catch (error) {
    for (const each of edits) await each.close();
    throw error;
  }
  return {
    sources: governed.map(({ source: { followLinks: _, isNamed: __, ...source }, approved }) => ({
      ...source,
      root: approved,
    })),
    close: async () => {
      for (const each of edits) await each.close();
    },
  };
}

/** One folder per governed root, named by the hash of its path. */
function approvedRoot({ root }: Source, env: Env): string {
  const real = realpathSync(root);
  const name = createHash("sha256").update(real).digest("hex").slice(0, 16);
  return join(dataFolder(env), "governed", name, basename(real) || "root");
}

/** Proposes the edits of one folder, now and while it is watched. */
class EditWatch {
  readonly #library: FolderLibrary;
  readonly #approved: string;
  readonly #options: GovernOptions;
  #checking: Promise<void> | undefined;
  #isAgain = false;

  private constructor(library: FolderLibrary, approved: string, options: GovernOptions) {
    this.#library = library;
    this.#approved = approved;
    this.#options = options;
  }

  static async open(source: Source, approved: string, options: GovernOptions): Promise<EditWatch> {
    const { host, limits, watch } = options;
    const library = await openLibrary({ sources: [source], host, limits, watch: watch ?? false });
    const edits = new EditWatch(library, approved, options);
    try {
      if (!existsSync(approved)) await edits.#adopt();
      await edits.#check();
      if (watch !== undefined) library.onChange(() => edits.#wake());
      return edits;
    } catch (error) {
      await library.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#library.close();
    await this.#checking;
  }

  /** The folder appears by one rename, so that a crash leaves either no approved content or all of it. */
  async #adopt(): Promise<void> {
    const beside = `${this.#approved}.${randomUUID()}`;
    mkdirSync(beside, { recursive: true, mode: 0o700 });
    try {
      for (const skill of this.#skillsIn(beside)) await this.#adoptOne(skill);
      if (!existsSync(this.#approved)) renameSync(beside, this.#approved);
    } finally {
      rmSync(beside, { recursive: true, force: true });
    }
  }

  async #adoptOne(skill: Parameters<typeof approveFirst>[0]): Promise<void> {
    try {
      await approveFirst(skill, this.#options);
    } catch (error) {
      this.#report(skill.id, error);
    }
  }

  #wake(): void {
    if (this.#checking !== undefined) {
      this.#isAgain = true;
      return;
    }
    this.#checking = this.#check()
      .catch((error: unknown) =>
        this.#options.onProblem(error instanceof Error ? error.message : String(error)),
      )
      .finally(() => {
        this.#checking = undefined;
        if (!this.#isAgain) return;
        this.#isAgain = false;
        this.#wake();
      });
  }

  async #check(): Promise<void> {
    const edited = this.#skillsIn(this.#approved);
    const known = new Set<string>(edited.map(({ id }) => id));
    const removed = readdirSync(this.#approved).flatMap((name) => {
      const { data: id } = SkillId.safeParse(name);
      return id === undefined || known.has(id)
        ? []
        : [{ id, folder: undefined, approved: join(this.#approved, id) }];
    });
    await this.#options.withRegistry(async (context) => {
      for (const skill of [...edited, ...removed])
        try {
          if (skill.folder === undefined && (await isApproved(skill.approved, context)))
            this.#reportRemoved(skill.id);
          await proposeEdit(skill, context);
        } catch (error) {
          this.#report(skill.id, error);
        }
    });
  }

  #skillsIn(approved: string) {
    return this.#library
      .view()
      .entries.map(({ id, path }) => ({ id: SkillId.parse(id), folder: path, approved: join(approved, id) }));
  }

  #reportRemoved(id: string): void {
    this.#options.onProblem(
      `The folder of ${id} was removed outside review, so its approved content stays. Run \`skillhold disable ${id}\` to stop using it.`,
    );
  }

  #report(id: string, error: unknown): void {
    if (!(error instanceof SkillError) || error.code === "STORE_FAILED") throw error;
    this.#options.onProblem(
      `The edit of ${id} is not proposed, and its approved content stays: ${error.message}`,
    );
  }
}
