import { lookup } from "node:dns/promises";
import { normalHost } from "@skillhold/core/network";
import type { WebhookPorts } from "@skillhold/gateway";
import type { Limits } from "@skillhold/protocol/limits";
import { Fetcher } from "@skillhold/registry/install";

const MOST_RESPONSE_BYTES = 16 * 1024;
const SUCCESSES = Array.from({ length: 99 }, (_, index) => 201 + index);

/**
 * Sends notifications to public hosts over TLS, and to the private hosts that the operator names. Each request resolves
 * and checks its host again, and follows no redirect.
 */
export function webhookPost(
  hosts: readonly string[],
  limits: Pick<Limits, "remoteMs" | "archiveBytes">,
): WebhookPorts["post"] {
  const named = new Set(hosts.map((host) => normalHost(new URL(`http://${host}`))));
  const isNamed = (host: string) => named.has(host);
  const resolve = async (host: string) =>
    (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);
  const policy = { isPrivateAllowed: isNamed, isPlainAllowed: isNamed };
  return async ({ url, headers, body, signal }) => {
    const fetcher = new Fetcher({ resolve, policy, limits, signal });
    try {
      return await fetcher.fetch(url, {
        ...{ method: "POST", headers, body: new TextEncoder().encode(body) },
        ...{ maxBytes: MOST_RESPONSE_BYTES, accepts: SUCCESSES, redirects: 0 },
      });
    } finally {
      fetcher.close();
    }
  };
}
