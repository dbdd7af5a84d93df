export {
  type Fetched,
  Fetcher,
  type FetcherOptions,
  type FetchPolicy,
  type FetchRequest,
  parseJson,
} from "./fetcher.ts";
