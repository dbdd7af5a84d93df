import type { HostList, Network } from "@skillhold/core/run";

/** Which hosts a program may reach. */
export interface EgressRules {
  allows(authority: Authority): boolean;
  /** Whether a list names the host; false for an open network. */
  lists(authority: Authority): boolean;
  /** Whether the host may be at a private address. */
  allowsPrivate(authority: Authority): boolean;
}

/** A host in its normal spelling, and a port. */
export interface Authority {
  readonly host: string;
  readonly port: number;
}

export function egressRules(network: Exclude<Network, "none">): EgressRules {
  if (network === "open") return { allows: () => true, lists: () => false, allowsPrivate: () => false };
  return listRules(network);
}

function listRules({ hosts, privateHosts = [] }: HostList): EgressRules {
  const listed = hosts.map(readRule);
  const own = privateHosts.map(readRule);
  const matches = (rules: readonly HostRule[], { host, port }: Authority) =>
    rules.some((rule) => (rule.port === undefined || rule.port === port) && rule.covers(host));
  const lists = (authority: Authority) => matches(listed, authority) || matches(own, authority);
  return {
    allows: lists,
    lists,
    allowsPrivate: (authority) => matches(own, authority),
  };
}

interface HostRule {
  readonly port: number | undefined;
  covers(host: string): boolean;
}

/** `*.example.com` covers every host below example.com, and not example.com itself. */
function readRule(text: string): HostRule {
  const [, name = text, digits] = /^(.*?)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  const pattern = name
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
  if (!pattern.startsWith("*.")) return { port, covers: (host) => host === pattern };
  const suffix = pattern.slice(1);
  return { port, covers: (host) => host.length > suffix.length && host.endsWith(suffix) };
}
