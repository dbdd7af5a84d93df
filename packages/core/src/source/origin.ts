/** The label prefix of sources on another server. */
export const REMOTE_PREFIX = "mcp:";
/** The label prefix of a gateway source. */
export const GATEWAY_PREFIX = "gateway:";

/**
 * An environment variable of every MCP server that Skillhold starts. A Skillhold server that sees it starts no
 * servers, which prevents endless recursion.
 */
export const SERVER_MARK = "SKILLHOLD_MCP_SOURCE";

/**
 * The source of a remote skill; undefined for a local one. It is shown to the model wherever the skill is named. The
 * host assigns it; the server has no influence on it.
 */
export function originOf({ source }: { readonly source: string }): string | undefined {
  return source.startsWith(REMOTE_PREFIX) || source.startsWith(GATEWAY_PREFIX) ? source : undefined;
}

/** The origin with the skill's address, which is unique across all servers. */
export function remoteIdentity(entry: {
  readonly source: string;
  readonly path: string;
}): string | undefined {
  const origin = originOf(entry);
  return origin === undefined ? undefined : `${origin} ${entry.path}`;
}

/** The `origin` attribute of text from another server; empty for local skills. */
export function originMark(entry: { readonly source: string }): { readonly origin?: string } {
  const origin = originOf(entry);
  return origin === undefined ? {} : { origin };
}
