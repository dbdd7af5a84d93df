import { BlockList, isIP } from "node:net";

/**
 * Whether an address is of the public internet: not of this machine, a private network, a carrier's, a cloud's metadata
 * service, a multicast group, or a form of IPv6 that hides an IPv4 address. Text that is no address is not public.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return false;
  return family === 4 ? !special.v4.check(address, "ipv4") : !special.v6.check(address, "ipv6");
}

/** The ranges of IANA's special-purpose registries that lead anywhere but to a public host. */
const V4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const;

const V6 = [
  ["::", 96],
  ["::ffff:0:0", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
  ["5f00::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
] as const;

/** Apart, because a list that blocks mapped addresses takes every IPv4 address for one. */
function makeBlockLists(): { readonly v4: BlockList; readonly v6: BlockList } {
  const [v4, v6] = [new BlockList(), new BlockList()];
  for (const [net, prefix] of V4) v4.addSubnet(net, prefix, "ipv4");
  for (const [net, prefix] of V6) v6.addSubnet(net, prefix, "ipv6");
  return { v4, v6 };
}

const special = makeBlockLists();
