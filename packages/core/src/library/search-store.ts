import { hash } from "node:crypto";
import type { IndexCache } from "../index-cache.ts";
import type { SearchStore } from "./library-search.ts";

/** The cache slot of a library's search index. Stores only a hash of the name, which may be a path or an address. */
export function searchStore(cache: IndexCache | undefined, name: string): SearchStore | undefined {
  if (cache === undefined) return undefined;
  const key = `search:${hash("sha256", name, "hex")}`;
  return { load: () => cache.load(key), save: (bytes) => cache.save(key, bytes) };
}
