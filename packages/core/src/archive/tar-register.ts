import type { Limits } from "@skillhold/protocol/limits";
import type { ArchiveEntry } from "./archive-entry.ts";
import { EntryList, maxEntries } from "./entry-list.ts";
import { exceedsLimit, refuseArchive } from "./refusal.ts";
import type { TarBlock } from "./tar-block.ts";
import type { WitnessedEntry } from "./tar-witness.ts";

export interface TarEntry extends ArchiveEntry {
  /** Where its header begins. */
  readonly start: number;
}

/** Holds what our own reading of a tar finds against what another finds, and all of it to the rules for entries. */
export class TarRegister {
  readonly #limits: Limits;
  readonly #list: EntryList;
  readonly #blocks: Pick<TarBlock, "kind" | "start" | "size">[] = [];
  readonly #entries: TarEntry[] = [];
  /** Faults of names and limits are told after those of the tar itself: they may follow from them. */
  #refusal: unknown;

  constructor(limits: Limits) {
    this.#limits = limits;
    // A tar is never smaller than what is in it.
    this.#list = new EntryList(limits, Number.POSITIVE_INFINITY);
  }

  /** Takes what we found. After a refusal nothing is kept any more, so that its length costs no memory. */
  add({ kind, start, size, name }: TarBlock): void {
    if (this.#refusal !== undefined) return;
    const max = maxEntries(this.#limits);
    if (this.#blocks.length >= max)
      throw exceedsLimit("bundleFiles", this.#limits, `is one of more than ${max} files and folders`, name);
    this.#blocks.push({ kind, start, size });
  }

  /** Takes what the other found. Does not throw. */
  admit({ header, start }: WitnessedEntry): void {
    if (this.#refusal !== undefined) return;
    const { name, size, mode } = header;
    const kind = header.type === "directory" ? "folder" : "file";
    try {
      const admitted = this.#list.admit({ name, kind, size });
      const executable = kind === "file" && (mode & 0o100) !== 0;
      this.#entries.push({ ...admitted, kind, size, executable, start });
    } catch (error) {
      this.#refusal = error;
    }
  }

  /** To be called when both have come to the end. */
  finish(): readonly TarEntry[] {
    for (const [index, entry] of this.#entries.entries()) {
      const block = this.#blocks[index];
      const isSame = block?.kind === entry.kind && block.start === entry.start && block.size === entry.size;
      if (!isSame) throw refuseArchive("mismatch", "is read in two ways", entry.path);
    }
    if (this.#refusal !== undefined) throw this.#refusal;
    if (this.#entries.length !== this.#blocks.length)
      throw refuseArchive("mismatch", "has entries that are read in two ways");
    this.#list.finish();
    return this.#entries;
  }
}
