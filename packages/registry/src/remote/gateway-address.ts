import { SkillError } from "@skillhold/protocol/error";

export interface AddressOptions {
  /** Whether a token may be sent to another machine without TLS. */
  readonly isInsecure?: boolean;
}

/** The base URL of a gateway. A token is sent to it, so it must use TLS or be on this machine. */
export function gatewayAddress(text: string, { isInsecure = false }: AddressOptions = {}): URL {
  const url = URL.parse(text);
  const isPlain = url?.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if (url === null || !isPlain || !/^https?:$/.test(url.protocol))
    // The text may contain a password, so the message does not repeat it.
    throw new SkillError("USAGE", "The gateway address is invalid.", {
      hint: "Use a form such as https://skills.example.org, without user name, password and query.",
    });
  if (url.protocol === "http:" && !isInsecure && !isLoopback(url.hostname))
    throw new SkillError("USAGE", `Your token would be sent to ${url.origin} without encryption.`, {
      hint: "Use the gateway's https address; http is for a gateway on this machine.",
    });
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

/** The address for display and files, without the trailing slash. */
export function showAddress({ origin, pathname }: URL): string {
  return `${origin}${pathname.replace(/\/+$/, "")}`;
}

/** URL normalizes addresses. */
function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}
