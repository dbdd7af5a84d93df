import { isIP } from "node:net";
import type { GatewayOptions } from "../gateway-context.ts";

/**
 * The client address that requests without a token are rate-limited by. X-Forwarded-For is trusted only behind a TLS
 * proxy, and only its last entry: the client may have sent the others.
 */
export function clientAddress(
  headers: Headers,
  peer: string | undefined,
  { isTls }: Pick<GatewayOptions, "isTls">,
): string {
  const last = headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() ?? "";
  return networkOf(isTls && isIP(last) !== 0 ? last : (peer ?? "unknown"));
}

/** A client with one IPv6 address usually has the whole /64 network, so the network is the key. */
function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || isIP(address) !== 6) return mapped ?? address;
  const [head = "", tail] = (address.split("%")[0] ?? "").toLowerCase().split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  const groups = [...before, ...zeros, ...after].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ""));
  return `${groups.join(":")}::/64`;
}
