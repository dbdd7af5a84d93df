import { SkillError } from "@skillhold/protocol/error";
import type { GatewayOptions } from "../gateway-context.ts";

export interface Asked {
  readonly method: string;
  readonly headers: Headers;
  /** What is asked for, as the request line has it: a path, and no host before it. */
  readonly target?: string | undefined;
}

type Places = Pick<GatewayOptions, "hosts" | "origins" | "isTls">;

/** What browsers on this machine call a port of it by. */
export function loopbackHosts(port: number): readonly string[] {
  // A browser leaves the port of its scheme out.
  const suffix = port === 80 ? "" : `:${port}`;
  return ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}${suffix}`);
}

/**
 * Refuses a request that is for another host, or that a foreign page makes a browser send. A name that was bound to this
 * address by a stranger's DNS is another host.
 */
export function rejectForeign(asked: Asked, places: Places): void {
  rejectForeignHost(asked, places);
  rejectForeignPage(asked, places);
}

export function rejectForeignHost({ headers, target = "/" }: Asked, { hosts }: Places): void {
  const host = headers.get("host")?.toLowerCase();
  if (host === undefined || !hosts.includes(host) || !target.startsWith("/"))
    throw refused("The Host of the request is not this gateway's.");
}

/** Contract: the host was checked. */
export function rejectForeignPage({ headers }: Asked, { origins, isTls }: Places): void {
  const origin = headers.get("origin")?.toLowerCase();
  const own = `${isTls ? "https" : "http"}://${headers.get("host")?.toLowerCase()}`;
  if (origin !== undefined && origin !== own && !origins.includes(origin)) throw foreignPage();
  // A request that reads is sent without an origin, but a browser says that it was made by a page of another.
  const site = headers.get("sec-fetch-site") ?? "none";
  if (site === "none" || site === "same-origin") return;
  if (origin === undefined || !origins.includes(origin)) throw foreignPage();
}

/** Whether someone follows a link to the address, wherever the link is. */
export function isNavigation({ headers }: Asked): boolean {
  return headers.get("sec-fetch-mode") === "navigate" && headers.get("sec-fetch-dest") === "document";
}

function foreignPage(): SkillError {
  return refused("The page that asks is not this gateway's.");
}

function refused(message: string): SkillError {
  return new SkillError("ORIGIN_REFUSED", message);
}
