import { SkillError } from "@skillhold/protocol/error";
import type { GatewayOptions } from "../gateway-context.ts";

export interface RequestHead {
  readonly method: string;
  readonly headers: Headers;
  /** The target of the request line: a path without a host. */
  readonly target?: string | undefined;
}

type AllowedPlaces = Pick<GatewayOptions, "hosts" | "origins" | "isTls">;

/** The Host values that browsers on this machine send for a port. */
export function loopbackHosts(port: number): readonly string[] {
  // A browser omits the default port of the scheme.
  const suffix = port === 80 ? "" : `:${port}`;
  return ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}${suffix}`);
}

/** Rejects a request for another host, which stops DNS rebinding, or from a page of another origin. */
export function rejectForeign(head: RequestHead, allowed: AllowedPlaces): void {
  rejectForeignHost(head, allowed);
  rejectForeignPage(head, allowed);
}

export function rejectForeignHost({ headers, target = "/" }: RequestHead, { hosts }: AllowedPlaces): void {
  const host = headers.get("host")?.toLowerCase();
  if (host === undefined || !hosts.includes(host) || !target.startsWith("/"))
    throw new SkillError("ORIGIN_REFUSED", "The Host header does not name this gateway.");
}

/** Contract: the host was checked. */
export function rejectForeignPage({ headers }: RequestHead, { origins, isTls }: AllowedPlaces): void {
  const origin = headers.get("origin")?.toLowerCase();
  const own = `${isTls ? "https" : "http"}://${headers.get("host")?.toLowerCase()}`;
  if (origin !== undefined && origin !== own && !origins.includes(origin)) throw foreignPage();
  // A GET request may have no Origin, but browsers report a cross-site page in Sec-Fetch-Site.
  const site = headers.get("sec-fetch-site") ?? "none";
  if (site === "none" || site === "same-origin") return;
  if (origin === undefined || !origins.includes(origin)) throw foreignPage();
}

/** Whether a browser opens the URL as a page, from any link. */
export function isNavigation({ headers }: RequestHead): boolean {
  return headers.get("sec-fetch-mode") === "navigate" && headers.get("sec-fetch-dest") === "document";
}

function foreignPage(): SkillError {
  return new SkillError("ORIGIN_REFUSED", "Pages of another origin cannot call this gateway.");
}
