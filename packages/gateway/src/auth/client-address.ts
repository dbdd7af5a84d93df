import { isIP } from "node:net";
import type { GatewayOptions } from "../gateway-context.ts";

/**
 * Whom a request without a token is counted to. What a proxy says of its client is believed only where there is one,
 * and of what it says only the last: the client may have said the rest.
 */
export function clientAddress(
  headers: Headers,
  peer: string | undefined,
  { isTls }: Pick<GatewayOptions, "isTls">,
): string {
  const last = headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() ?? "";
  return networkOf(isTls && isIP(last) !== 0 ? last : (peer ?? "unknown"));
}

/** Someone with one address of IPv6 has 2^64 of them: they count as one. */
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
