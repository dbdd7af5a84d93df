import { isIP } from "node:net";
import { SkillError } from "@skillhold/protocol/error";
import type { GatewayOptions } from "../gateway-context.ts";

/** The name and the only origin that passkeys are valid for. */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

/**
 * The relying party of a gateway. Browsers offer passkeys only for a name, with TLS or at localhost; a gateway at a
 * loopback address is also at localhost.
 */
export function relyingParty({ publicUrl }: Pick<GatewayOptions, "publicUrl">): RelyingParty | undefined {
  const url = publicUrl === undefined ? null : URL.parse(publicUrl);
  if (url === null) return undefined;
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (url.protocol === "http:" && (/^127\./.test(host) || host === "::1" || host === "localhost"))
    return { id: "localhost", origin: `http://localhost${url.port === "" ? "" : `:${url.port}`}` };
  return url.protocol === "https:" && isIP(host) === 0 ? { id: host, origin: url.origin } : undefined;
}

export function requireRelyingParty(options: Pick<GatewayOptions, "publicUrl">): RelyingParty {
  const party = relyingParty(options);
  if (party !== undefined) return party;
  throw new SkillError("NOT_READY", "Passkeys need a gateway with a name and TLS.", {
    hint: "Serve it with --behind-tls and --allow-host <name>, or open it at localhost.",
  });
}
