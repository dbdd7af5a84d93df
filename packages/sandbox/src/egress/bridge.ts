const PORT = 3128;

/** The proxy as the program sees it: a socket in its own network namespace. */
export const EGRESS_URL = `http://127.0.0.1:${PORT}`;

/**
 * Opens the proxy's socket inside the namespace and hands it to the host, which answers its connections. No part of
 * the proxy runs in the sandbox. Ends with a failure when the host is gone. Node emits no "disconnect" while a handle is
 * not acknowledged, so the bridge also looks at the channel.
 */
const BRIDGE = `
const server = require("node:net").createServer();
process.once("disconnect", () => process.exit(1));
process.once("message", () => process.exit(0));
setInterval(() => process.connected || process.exit(1), 100);
server.listen(${PORT}, "127.0.0.1", 128, () => process.send("egress", server));
`;

/** Opens the bridge, then becomes the program. The descriptor has one digit, because shells require it. */
export function egressPrefix(node: string, descriptor: number): readonly string[] {
  const script = `NODE_CHANNEL_FD=${descriptor} "$1" -e "$2" && shift 2 && exec "$@" ${descriptor}<&-`;
  return ["/bin/sh", "-c", script, "egress", node, BRIDGE];
}

/** The variables that make programs use the proxy. Servers of the program itself need none. */
export function egressVariables(): Readonly<Record<string, string>> {
  const own = "localhost,127.0.0.1,::1";
  return {
    HTTP_PROXY: EGRESS_URL,
    HTTPS_PROXY: EGRESS_URL,
    ALL_PROXY: EGRESS_URL,
    http_proxy: EGRESS_URL,
    https_proxy: EGRESS_URL,
    all_proxy: EGRESS_URL,
    NO_PROXY: own,
    no_proxy: own,
    NODE_USE_ENV_PROXY: "1",
  };
}
