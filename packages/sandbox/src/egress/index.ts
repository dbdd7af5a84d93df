export { EGRESS_URL, egressPrefix, egressVariables } from "./bridge.ts";
export { EgressProxy } from "./egress-proxy.ts";
export { egressRules } from "./host-rule.ts";
