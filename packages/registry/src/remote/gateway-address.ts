import { SkillError } from "@skillhold/protocol/error";

export interface AddressOptions {
  /** Whether a token may be sent to another machine without TLS. */
  readonly isInsecure?: boolean;
}

/** The address of a gateway, to which the paths of its routes are joined. A token is sent there: it is TLS, or here. */
export function gatewayAddress(text: string, { isInsecure = false }: AddressOptions = {}): URL {
  const url = URL.parse(text);
  const isPlain = url?.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if (url === null || !isPlain || !/^https?:$/.test(url.protocol))
    // It may hold a password, and so it is not repeated.
    throw new SkillError("USAGE", "That is not the address of a gateway.", {
      hint: "Write it as https://skills.example.org, with neither a name, a password nor a query in it.",
    });
  if (url.protocol === "http:" && !isInsecure && !isLoopback(url.hostname))
    throw new SkillError("USAGE", `${url.origin} would be sent your token without encryption.`, {
      hint: "Use the gateway's https address; http is for a gateway on this machine.",
    });
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

/** The address for people and files: without the slash at its end. */
export function showAddress({ origin, pathname }: URL): string {
  return `${origin}${pathname.replace(/\/+$/, "")}`;
}

/** A URL has its addresses in one form, whatever was typed. */
function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}
