import type { Limits } from "@skillhold/protocol/limits";
import type { TarBlock } from "@skillhold/skill/tar";
import type { ArchiveEntry } from "./archive-entry.ts";
import { EntryList, maxEntries } from "./entry-list.ts";
import { exceedsLimit, rejectArchive } from "./rejection.ts";
import type { TarStreamEntry } from "./tar-stream-reader.ts";

export interface TarEntry extends ArchiveEntry {
  /** The offset of its header. */
  readonly start: number;
}

/** Compares our reading of a tar with a second reader's, and applies the entry rules. */
export class TarRegister {
  readonly #limits: Limits;
  readonly #list: EntryList;
  readonly #blocks: TarBlock[] = [];
  readonly #entries: TarEntry[] = [];
  /** The names of the entries, as the second reader finds them. */
  readonly #names: string[] = [];
  /** Name and limit errors are reported after structural errors, which may cause them. */
  #refusal: unknown;

  constructor(limits: Limits) {
    this.#limits = limits;
    // A tar is never smaller than its content.
    this.#list = new EntryList(limits, Number.POSITIVE_INFINITY);
  }

  /** Adds our entry. After a rejection, entries are not kept, so that they cost no memory. */
  add({ kind, start, size, path }: TarBlock): void {
    if (this.#refusal !== undefined) return;
    const max = maxEntries(this.#limits);
    if (this.#blocks.length >= max)
      throw exceedsLimit("bundleFiles", this.#limits, `is one of more than ${max} files and folders`, path);
    this.#blocks.push({ kind, start, size, path });
  }

  /** Adds the second reader's entry. Does not throw. */
  admit({ header, start }: TarStreamEntry): void {
    if (this.#refusal !== undefined) return;
    const { name, size, mode } = header;
    const kind = header.type === "directory" ? "folder" : "file";
    try {
      const admitted = this.#list.admit({ name, kind, size });
      const executable = kind === "file" && (mode & 0o100) !== 0;
      this.#entries.push({ ...admitted, kind, size, executable, start });
      this.#names.push(name);
    } catch (error) {
      this.#refusal = error;
    }
  }

  /** Contract: called when both readers reached the end. */
  finish(): readonly TarEntry[] {
    for (const [index, entry] of this.#entries.entries()) {
      const block = this.#blocks[index];
      const isSameEntry =
        block?.kind === entry.kind && block.start === entry.start && block.size === entry.size;
      if (!isSameEntry || block.path !== this.#names[index])
        throw rejectArchive("mismatch", "is ambiguous: two readers disagree", entry.path);
    }
    if (this.#refusal !== undefined) throw this.#refusal;
    if (this.#entries.length !== this.#blocks.length)
      throw rejectArchive("mismatch", "is ambiguous: two readers find different entries");
    this.#list.finish();
    return this.#entries;
  }
}
