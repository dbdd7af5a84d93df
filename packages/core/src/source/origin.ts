/** What the label of a source starts with when its skills are another program's to serve. */
export const REMOTE_PREFIX = "mcp:";
/** The same, of a source that is a gateway. */
export const GATEWAY_PREFIX = "gateway:";

/**
 * A variable that every server has which Skillhold starts. One that is Skillhold itself then starts none in its turn, or
 * there would be no end to it.
 */
export const SERVER_MARK = "SKILLHOLD_MCP_SOURCE";

/**
 * The source of a skill that is not of this machine, or undefined for one that is. A model is told of it wherever the
 * skill is named. The host assigned it: nothing that a server says is part of it.
 */
export function originOf({ source }: { readonly source: string }): string | undefined {
  return source.startsWith(REMOTE_PREFIX) || source.startsWith(GATEWAY_PREFIX) ? source : undefined;
}

/** The same with the skill's own address: what tells it from every other skill, of this server and of all others. */
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
