import { hash } from "node:crypto";
import type { IndexCache } from "./index-cache.ts";
import type { SearchStore } from "./library-search.ts";

/** The place in a cache for the search index of a library. A name may be a path or an address: only its hash is kept. */
export function searchStore(cache: IndexCache | undefined, name: string): SearchStore | undefined {
  if (cache === undefined) return undefined;
  const key = `search:${hash("sha256", name, "hex")}`;
  return { load: () => cache.load(key), save: (bytes) => cache.save(key, bytes) };
}
