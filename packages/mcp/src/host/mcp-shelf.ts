import {
  normalizeRelative,
  type RelativePath,
  rejectFilled,
  roleOf,
  writeCopy,
} from "@skillhold/core/bundle";
import {
  type ByteRange,
  type FilePart,
  type LibraryChange,
  type OpenBundle,
  type SearchTexts,
  type Shelf,
  type SkillFile,
  toDocument,
} from "@skillhold/core/library";
import type { SearchDocument } from "@skillhold/core/search";
import type { Digest, SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { ListedFile, ListedSkill } from "./listed-skill.ts";
import type { McpView, ShownSkill } from "./mcp-view.ts";
import type { RemoteFiles } from "./remote-files.ts";
import type { ServerLink } from "./server-link.ts";

/** The skills of a server: a view that follows its list, and files that are fetched when someone reads them. */
export class McpShelf implements Shelf, SearchTexts {
  readonly #link: ServerLink;
  readonly #files: RemoteFiles;

  constructor(link: ServerLink, files: RemoteFiles) {
    this.#link = link;
    this.#files = files;
  }

  refresh(): Promise<void> {
    return this.#link.refresh();
  }

  view(): McpView {
    return this.#link.view;
  }

  open(entry: SkillEntry): Promise<OpenBundle> {
    return this.#reading(entry, async ({ entry, listed }) => {
      const skill = await this.#files.readSkill(listed, this.#link.fetch);
      const { treeHash, skillFile } = listed;
      const files = listed.files.map((file) => toSkillFile(file));
      return {
        entry,
        skill,
        skillHash: skillFile.digest,
        treeHash,
        files,
        folder: undefined,
        isLastGood: false,
      };
    });
  }

  readFile(entry: SkillEntry, path: string, { start, length }: Required<ByteRange>): Promise<FilePart> {
    const wanted = normalizeRelative(path, this.#link.limits);
    return this.#reading(entry, async ({ entry, listed }) => {
      const file = getFile(listed, wanted);
      const bytes = await this.#files.read(listed, file, this.#link.fetch);
      const { size, digest } = file;
      return { entry, bytes: bytes.subarray(start, start + length), size, digest, treeHash: listed.treeHash };
    });
  }

  /** Everything is there and checked before the first file is written. */
  async copy(entry: SkillEntry, folder: string): Promise<Digest> {
    rejectFilled(folder);
    const { contents, treeHash } = await this.#reading(entry, async ({ listed }) => {
      const contents: (readonly [ListedFile, Uint8Array])[] = [];
      for (const file of listed.files)
        contents.push([file, await this.#files.read(listed, file, this.#link.fetch)]);
      return { contents, treeHash: listed.treeHash };
    });
    const made = new Set([folder]);
    for (const [file, bytes] of contents) writeCopy(folder, file, bytes, made);
    return treeHash;
  }

  /** A search knows what the list says: to read more of a skill is to load it. */
  keyOf({ treeHash, skillHash }: SkillEntry): string {
    return treeHash ?? skillHash;
  }

  document(entry: SkillEntry): SearchDocument | undefined {
    const shown = this.view().skill(entry);
    if (shown === undefined) return undefined;
    return { ...toDocument(entry, shown.listed.said, ""), key: this.keyOf(entry) };
  }

  onChange(listener: (change: LibraryChange) => void): () => void {
    return this.#link.onChange(listener);
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  /**
   * A server that has changed a skill since it was listed is asked for its list once more, and what it says then is
   * another content. One whose list stays the same does not serve what it lists.
   */
  async #reading<T>(entry: SkillEntry, work: (shown: ShownSkill) => Promise<T>): Promise<T> {
    const shown = this.#get(entry);
    try {
      return await work(shown);
    } catch (error) {
      if (!(error instanceof SkillError) || error.code !== "INTEGRITY_FAILED") throw error;
      await this.#link.ask();
      const current = this.#get(entry);
      if (current.listed.treeHash === shown.listed.treeHash) throw error;
      return await work(current);
    }
  }

  #get(entry: SkillEntry): ShownSkill {
    const shown = this.view().skill(entry);
    if (shown === undefined)
      throw new SkillError("SKILL_NOT_FOUND", `There is no skill ${entry.id} any more.`);
    return shown;
  }
}

function getFile({ files }: ListedSkill, path: RelativePath): ListedFile {
  const file = files.find((each) => each.path === path);
  if (file !== undefined) return file;
  throw new SkillError("PATH_NOT_FOUND", `${path}: The server does not list such a file.`, {
    hint: "The skill's files are listed when it is read.",
  });
}

/** Examples and links of other skills come along with the instructions; here each file is fetched when it is asked for. */
function toSkillFile({ path, size, digest, executable }: ListedFile): SkillFile {
  const role = roleOf(path);
  return { path, size, digest, executable, role: role === "example" || role === "links" ? "resource" : role };
}
