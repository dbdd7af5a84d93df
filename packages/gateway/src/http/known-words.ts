import type { Route } from "@skillhold/protocol/http";
import { BoundedMap } from "../cache/bounded-map.ts";
import { readWords, type Words } from "./read-call.ts";

/** Addresses that were read before; longer ones are not likely to come again. */
const MOST = 4000;
const LONGEST = 400;

interface Known {
  readonly row: Route;
  readonly words: Words;
}

/** Reads the words of addresses, those that come again only once. What they mean depends on nothing else. */
export class KnownWords {
  readonly #known = new BoundedMap<string, Known>(MOST);

  /** Contract: `params` are the names of the row's path as they stand in the address. */
  read(row: Route, url: string, params: () => Readonly<Record<string, string>>): Words {
    const known = this.#known.find(url);
    if (known?.row === row) return known.words;
    const words = readWords(row, url, params());
    if (row.method === "GET" && url.length <= LONGEST) this.#known.set(url, { row, words });
    return words;
  }
}
