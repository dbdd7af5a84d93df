import { LRUCache } from "lru-cache";
import type { Clock } from "../port.ts";
import type { RerankCard, Reranker } from "../search/index.ts";
import { vectorKey } from "./vector-store.ts";

const MOST_KEPT = 500;
/** After a failure the model is left alone for this long, so that it does not delay every search. */
const RETRY_MS = 30_000;

/** Asks a reranker once for each query and content, and leaves the order as it is when the model fails. */
export class RerankCache {
  readonly #reranker: Reranker;
  readonly #clock: Clock;
  readonly #kept = new LRUCache<string, readonly number[]>({ max: MOST_KEPT });
  #problem: string | undefined;
  #retryAt = 0;

  constructor(reranker: Reranker, clock: Clock) {
    this.#reranker = reranker;
    this.#clock = clock;
  }

  get state(): { readonly reranker: string; readonly problem: string | undefined } {
    return { reranker: this.#reranker.id, problem: this.#problem };
  }

  /** A score for each card; undefined when the model fails. */
  async scores(query: string, cards: readonly RerankCard[]): Promise<readonly number[] | undefined> {
    if (cards.length < 2 || this.#clock.now().getTime() < this.#retryAt) return undefined;
    const key = vectorKey(JSON.stringify([this.#reranker.id, query, cards]));
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    try {
      const scores = await this.#reranker.rerank(query, cards);
      if (scores.length !== cards.length) throw new Error(`${this.#reranker.id} did not score every card.`);
      this.#problem = undefined;
      this.#kept.set(key, scores);
      return scores;
    } catch (error) {
      this.#problem = error instanceof Error ? error.message : String(error);
      this.#retryAt = this.#clock.now().getTime() + RETRY_MS;
      return undefined;
    }
  }
}
