import type { Result, Router } from "hono/router";
import { TrieRouter } from "hono/router/trie-router";
import { BoundedMap } from "../cache/bounded-map.ts";

/** Paths that were found before. There are few: anyone may ask, and what is kept may hold a whole address in memory. */
const MOST = 1000;
const LONGEST = 300;

/** Finds the first route of a path, and none after it: a handler here answers, and hands nothing on to another. */
export class FirstRoute<T> implements Router<T> {
  readonly name = "FirstRoute";
  readonly #routes = new TrieRouter<T>();
  readonly #known = new BoundedMap<string, Result<T>>(MOST);

  add(method: string, path: string, handler: T): void {
    this.#routes.add(method, path, handler);
  }

  match(method: string, path: string): Result<T> {
    const key = `${method} ${path}`;
    const known = this.#known.find(key);
    if (known !== undefined) return known;
    const found = first(this.#routes.match(method, path));
    if (found[0].length > 0 && key.length <= LONGEST) this.#known.set(key, found);
    return found;
  }
}

/** The handlers are the first part of a result, whichever of its shapes it has. */
function first<T>(found: Result<T>): Result<T> {
  if (found.length === 2) return [found[0].slice(0, 1), found[1]];
  return [found[0].slice(0, 1)];
}
