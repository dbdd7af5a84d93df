export { isPublicAddress } from "./address-guard.ts";
export { HostPins, type NetworkPolicy, normalHost, type PinnedHost, type Resolve } from "./host-pin.ts";
