export { isPublicAddress } from "./address-guard.ts";
export {
  type Fetched,
  Fetcher,
  type FetcherOptions,
  type FetchPolicy,
  type FetchRequest,
  parseJson,
} from "./fetcher.ts";
export { HostPins, type NetworkPolicy, normalHost, type PinnedHost, type Resolve } from "./host-pin.ts";
