import { readFileSync } from "node:fs";
import { McpServer } from "@modelcontextprotocol/server";
import { SkillsExtension } from "@modelcontextprotocol/server/ext/skills";
import { serveCompletion } from "./completion-handler.ts";
import type { McpConnection } from "./connection.ts";
import { orProtocolError } from "./failure.ts";
import { defaultCache } from "./port.ts";
import { servePrompts } from "./prompt-handler.ts";
import { listResources, skillSource } from "./skill-source.ts";
import { serveTools } from "./tool-handler.ts";

export interface McpServerOptions {
  /** The instructions for the client's model; `instructionsFor` creates them. */
  readonly instructions?: string;
  /** Called for errors outside a response. */
  readonly onError?: (error: unknown) => void;
}

/** A server for a connection: tools, prompts, completion and the skills extension. Each transport needs its own. */
export function mcpServer(connection: McpConnection, options: McpServerOptions = {}): McpServer {
  const { instructions = "", onError = () => {} } = options;
  const { ttlMs, scope } = connection.skills.cache ?? defaultCache;
  const cacheHint = { ttlMs, cacheScope: scope };
  const mcp = new McpServer(serverInfo(), {
    ...(instructions === "" ? {} : { instructions }),
    cacheHints: { "prompts/list": cacheHint, "resources/list": cacheHint },
    requestState: { verify: (state, ctx) => connection.states.verify(state, ctx) },
  });
  serveTools(mcp, connection, onError);
  servePrompts(mcp, connection);
  serveCompletion(mcp, connection);
  const onWarning = ({ path, message }: { readonly path: string; readonly message: string }) =>
    onError(new Error(`${path}: ${message}`));
  new SkillsExtension({ source: skillSource(connection), cacheHint, onWarning }).attach(mcp);
  // Replaces the handler of the SDK, which has no paging.
  mcp.server.setRequestHandler("resources/list", ({ params }) =>
    orProtocolError(() => connection.occupy(() => listResources(connection, params?.cursor))),
  );
  return mcp;
}

/** The catalogue of skills, from which a model chooses. */
export async function instructionsFor({ session }: McpConnection): Promise<string> {
  return (await session.catalogue()).text;
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
