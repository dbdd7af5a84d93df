import { hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { IndexCache } from "../index-cache.ts";
import { freeBytes } from "./free-bytes.ts";
import type { SearchStore } from "./library-search.ts";

/** A database keeps no value above 1 GB, and each write blocks the thread. */
const PIECE_BYTES = 4 * 1024 * 1024;

/**
 * The cache slots of a library's search index, in pieces up to an empty one. A mix of two indexes fails the checksum of the
 * whole. Stores only a hash of the name, which may be a path or an address.
 */
export function searchStore(cache: IndexCache | undefined, name: string): SearchStore | undefined {
  if (cache === undefined) return undefined;
  const key = (at: number) => `search:${hash("sha256", name, "hex")}:${at}`;
  return {
    load: async () => {
      const pieces: Uint8Array[] = [];
      for (let piece = cache.load(key(0)); piece?.length; piece = cache.load(key(pieces.length))) {
        pieces.push(piece);
        await setImmediate();
      }
      return pieces.length === 0 ? undefined : await joinPieces(pieces);
    },
    save: async (bytes) => {
      let at = 0;
      for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
        cache.save(key(at++), bytes.slice(start, start + PIECE_BYTES));
        await setImmediate();
      }
      cache.save(key(at), new Uint8Array());
    },
  };
}

/** Joins the pieces of an index, frees them and empties their list, without blocking the event loop. */
async function joinPieces(pieces: Uint8Array[]): Promise<Uint8Array> {
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let end = bytes.length;
  // From the end, so that each piece is free after its copy.
  for (let piece = pieces.pop(); piece !== undefined; piece = pieces.pop()) {
    end -= piece.length;
    bytes.set(piece, end);
    freeBytes(piece);
    await setImmediate();
  }
  return bytes;
}
