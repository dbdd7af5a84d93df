export { ANALYZER_VERSION, analyze, type Token } from "./analyzer.ts";
export { type SearchDocument, type SearchField, searchFields } from "./document.ts";
export type { ScoreParts, SearchHit } from "./hit.ts";
export type { SearchOptions } from "./ranking.ts";
export { SearchIndex } from "./search-index.ts";
export { type Range, type Snippet, type SnippetOptions, snippet } from "./snippet.ts";
