/** A hit as a reranker reads it. */
export interface RerankCard {
  readonly name: string;
  readonly description: string;
  /** The beginning of the instructions. */
  readonly excerpt: string;
}

/** Judges the best hits of a search once more, with a model that reads query and text together. */
export interface Reranker {
  /** Names the model and the way it is asked. */
  readonly id: string;
  /** A score for each card, higher is better. Fails rather than leave one out. */
  rerank(query: string, cards: readonly RerankCard[], signal?: AbortSignal): Promise<readonly number[]>;
}
