import type { Segment } from "./segment.ts";
import { finish } from "./step.ts";

const DOCUMENTS_PER_STEP = 1000;

/** Whether a viewer may see the document with this id. */
export type DocumentFilter = (id: string) => boolean;

/**
 * The documents that one viewer may see. The gate is asked once for each document and not once for each query.
 * Contract: the caller reports every change of the gate by `SearchIndex.updateSight`, or makes a new sight.
 */
export class Sight {
  #accepts: DocumentFilter;
  /** Weak, because a sight may be kept longer than the segments of an index. */
  readonly #flags = new WeakMap<Segment, Uint8Array>();

  constructor(accepts: DocumentFilter) {
    this.#accepts = accepts;
  }

  /** 1 for each document of a segment that may be seen. Removed documents may have either value. */
  flagsOf(segment: Segment): Uint8Array {
    return finish(this.flagSteps(segment));
  }

  *flagSteps(segment: Segment): Generator<void, Uint8Array> {
    const known = this.#flags.get(segment);
    if (known !== undefined) return known;
    const flags = new Uint8Array(segment.count);
    for (let document = 0; document < flags.length; document += 1) {
      if (segment.removed[document] === 0)
        flags[document] = this.#accepts(segment.data.ids.at(document)) ? 1 : 0;
      if ((document + 1) % DOCUMENTS_PER_STEP === 0) yield;
    }
    this.#flags.set(segment, flags);
    return flags;
  }

  /** Asks another gate from now on, and asks it again about documents that it may decide otherwise. */
  update(accepts: DocumentFilter, ids: Iterable<string>, segments: readonly Segment[]): void {
    this.#accepts = accepts;
    for (const id of ids) {
      for (const segment of segments) {
        const document = segment.find(id);
        const flags = this.#flags.get(segment);
        if (document !== undefined && flags !== undefined) flags[document] = accepts(id) ? 1 : 0;
      }
    }
  }
}
