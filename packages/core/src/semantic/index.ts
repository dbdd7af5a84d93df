export { httpEmbedder } from "./http-embedder.ts";
export { chatReranker, rerankEndpoint } from "./http-reranker.ts";
export { LocalEmbedder } from "./local-embedder.ts";
export { findLocalModel, type LocalModel, localModelPackages } from "./local-model.ts";
export type { EndpointPorts, ModelEndpoint } from "./model-endpoint.ts";
export { type ModelPorts, type SearchModels, type SearchState, searchModels } from "./search-models.ts";
export type { VectorState } from "./skill-vectors.ts";
export { cacheVectors, type VectorStore } from "./vector-store.ts";
