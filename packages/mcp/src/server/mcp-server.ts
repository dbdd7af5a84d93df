import { readFileSync } from "node:fs";
import { McpServer } from "@modelcontextprotocol/server";
import { SkillsExtension } from "@modelcontextprotocol/server/ext/skills";
import { systemTimers, type Timers } from "@skillhold/core/port";
import { serveCompletion } from "./completion-handler.ts";
import type { McpConnection } from "./connection.ts";
import { orProtocolError } from "./failure.ts";
import { defaultCache, type ServedCache } from "./port.ts";
import { servePrompts } from "./prompt-handler.ts";
import { listResources, skillSource } from "./skill-source.ts";
import { serveTools } from "./tool-handler.ts";

export interface McpServerOptions {
  /** The instructions for the client's model; `instructionsFor` creates them. */
  readonly instructions?: string;
  /** The cache hints for lists. */
  readonly cache?: ServedCache;
  /** Called for errors outside a response. */
  readonly onError?: (error: unknown) => void;
  /** Default: the timers of the machine. */
  readonly timers?: Timers;
}

/**
 * A server for a connection: tools, prompts, completion and the skills extension. Each transport needs its own. The
 * connection may still be opening: the server answers `initialize`, and other requests wait.
 */
export function mcpServer(
  connection: McpConnection | Promise<McpConnection>,
  options: McpServerOptions = {},
): McpServer {
  const { instructions = "", cache = defaultCache, onError = () => {}, timers = systemTimers } = options;
  const connected = Promise.resolve(connection);
  const { ttlMs, scope } = cache;
  const cacheHint = { ttlMs, cacheScope: scope };
  const mcp = new McpServer(serverInfo(), {
    ...(instructions === "" ? {} : { instructions }),
    cacheHints: { "prompts/list": cacheHint, "resources/list": cacheHint },
    requestState: { verify: async (state, ctx) => (await connected).states.verify(state, ctx) },
  });
  serveTools(mcp, connected, { onError, timers });
  servePrompts(mcp, connected);
  serveCompletion(mcp, connected);
  const onWarning = ({ path, message }: { readonly path: string; readonly message: string }) =>
    onError(new Error(`${path}: ${message}`));
  new SkillsExtension({ source: skillSource(connected), cacheHint, onWarning }).attach(mcp);
  // Replaces the handler of the SDK, which has no paging.
  mcp.server.setRequestHandler("resources/list", ({ params }) =>
    orProtocolError(async () => {
      const open = await connected;
      return await open.occupy(() => listResources(open, params?.cursor));
    }),
  );
  return mcp;
}

let info: { readonly name: string; readonly title: string; readonly version: string } | undefined;

/** The package file is two folders up from both the sources and the build. */
function serverInfo() {
  if (info === undefined) {
    const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
    const { version }: { readonly version: string } = JSON.parse(text);
    info = { name: "skillhold", title: "Skillhold", version };
  }
  return info;
}
