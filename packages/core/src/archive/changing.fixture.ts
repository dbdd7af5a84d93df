import { type ArchiveBytes, archiveInMemory, changedArchive } from "./archive-bytes.ts";
import { type Trial, tryArchive } from "./trial.fixture.ts";

/** A change of the archive after so many reads of it. */
export interface Change {
  readonly after: number;
  readonly to: Uint8Array;
}

/**
 * Unpacks an archive that changes while it is read. It must come out as the bytes that were read first, or not at all;
 * those may be half of the one and half of the other.
 */
export async function tryChanging(archive: Uint8Array, change: Change, chunkBytes: number): Promise<Trial> {
  const changing = new ChangingArchive(archive, change);
  const trial = await tryArchive(changing, chunkBytes);
  if (trial.outcome !== "accepted") return trial;
  const expected = await tryArchive(Buffer.concat(changing.first), chunkBytes);
  return JSON.stringify(trial) === JSON.stringify(expected)
    ? trial
    : { outcome: "broken", why: `it was ${JSON.stringify(expected)} and became ${JSON.stringify(trial)}` };
}

class ChangingArchive implements ArchiveBytes {
  readonly size: number;
  /** The bytes of the first read at each position. */
  readonly first: Buffer[] = [];
  readonly #before: ArchiveBytes;
  readonly #change: Change;
  #reads = 0;
  #end = 0;

  constructor(archive: Uint8Array, change: Change) {
    this.size = archive.length;
    this.#before = archiveInMemory(archive);
    this.#change = change;
  }

  async read(start: number, into: Uint8Array): Promise<void> {
    const { after, to } = this.#change;
    const isChanged = this.#reads >= after;
    this.#reads += 1;
    if (isChanged && start + into.length > to.length) throw changedArchive();
    await (isChanged ? archiveInMemory(to) : this.#before).read(start, into);
    if (start !== this.#end) return;
    this.#end += into.length;
    this.first.push(Buffer.from(into));
  }
}
