import type { Clock } from "../port.ts";
import type { Embedder, Reranker } from "../search/index.ts";
import { RerankCache } from "./rerank-cache.ts";
import { SkillVectors, type VectorState } from "./skill-vectors.ts";
import type { VectorStore } from "./vector-store.ts";

/** The models that a search may use beside its words. */
export interface ModelPorts {
  readonly embedder?: Embedder | undefined;
  readonly reranker?: Reranker | undefined;
  readonly clock: Clock;
}

/** The search models of one library, with their cached results. */
export interface SearchModels {
  readonly vectors?: SkillVectors | undefined;
  readonly reranker?: RerankCache | undefined;
}

/** The state of a search, for people. */
export interface SearchState {
  readonly documents: number;
  readonly vectors: VectorState | undefined;
  readonly reranker: { readonly reranker: string; readonly problem: string | undefined } | undefined;
}

/** Contract: each library has models of its own; ports may be shared. */
export function searchModels(ports: ModelPorts | undefined, store: VectorStore | undefined): SearchModels {
  if (ports === undefined) return {};
  const { embedder, reranker, clock } = ports;
  return {
    vectors: embedder && new SkillVectors({ embedder, store, clock }),
    reranker: reranker && new RerankCache(reranker, clock),
  };
}
