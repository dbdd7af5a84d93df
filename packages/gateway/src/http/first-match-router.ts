import type { Result, Router } from "hono/router";
import { TrieRouter } from "hono/router/trie-router";
import { LRUCache } from "lru-cache";

/** Few entries: any client can fill the cache, and an entry may keep a whole URL in memory. */
const MAX_CACHED_PATHS = 1000;
const MAX_CACHED_LENGTH = 300;

/** Returns only the first matching route, because a handler here never passes a request on. Matches are cached. */
export class FirstMatchRouter<T> implements Router<T> {
  readonly name = "FirstMatchRouter";
  readonly #routes = new TrieRouter<T>();
  readonly #cached = new LRUCache<string, Result<T>>({ max: MAX_CACHED_PATHS });

  add(method: string, path: string, handler: T): void {
    this.#routes.add(method, path, handler);
  }

  match(method: string, path: string): Result<T> {
    const key = `${method} ${path}`;
    const cached = this.#cached.get(key);
    if (cached !== undefined) return cached;
    const match = first(this.#routes.match(method, path));
    if (match[0].length > 0 && key.length <= MAX_CACHED_LENGTH) this.#cached.set(key, match);
    return match;
  }
}

/** In both shapes of a result the handlers come first. */
function first<T>(match: Result<T>): Result<T> {
  if (match.length === 2) return [match[0].slice(0, 1), match[1]];
  return [match[0].slice(0, 1)];
}
