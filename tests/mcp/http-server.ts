import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import {
  localhostAllowedHostnames,
  originValidationResponse,
  validateHostHeader,
} from "@modelcontextprotocol/server";
import { memoryApprovals } from "@skillhold/core/approval";
import { openLibrary, type Viewer } from "@skillhold/core/library";
import { openSession, systemPorts } from "@skillhold/core/session";
import { nodeHost } from "@skillhold/core/source";
import { type Caller, mcpHandler } from "@skillhold/mcp/server";
import type { SkillEvent } from "@skillhold/protocol";
import { bubblewrap } from "@skillhold/sandbox/backend";
import { openRunner } from "@skillhold/sandbox/run";
import { Hono } from "hono";

/** Skills of a folder over HTTP, mounted like in a gateway, which authenticates the caller and checks Host and Origin. */
export async function startHttp(root: string, debounceMs = 50) {
  const source = { label: "skills", kind: "workspace", trust: "org", root } as const;
  const library = await openLibrary({ sources: [source], host: nodeHost(process), watch: { debounceMs } });
  const viewer: Viewer = { runtime: "test", user: "ada" };
  const sandbox = bubblewrap();
  const events: SkillEvent[] = [];
  const handler = mcpHandler({
    library,
    open: (who) => ({
      library,
      viewer: who.viewer,
      openSession: (ask) => {
        const runs = { runner: openRunner, sandbox, approvals: memoryApprovals(), asker: ask() };
        const audit = { record: (event: SkillEvent) => void events.push(event) };
        return openSession(library, who.viewer, { ...systemPorts(audit), runs });
      },
    }),
  });
  const app = new Hono();
  const names = localhostAllowedHostnames();
  app.all("/mcp", (context) => {
    if (!validateHostHeader(context.req.header("host"), names).ok) return context.text("refused", 403);
    const refused = originValidationResponse(context.req.raw, names);
    if (refused !== undefined) return refused;
    const caller: Caller = { key: context.req.header("authorization") ?? "anyone", viewer };
    return handler.fetch(context.req.raw, caller);
  });
  const started = Promise.withResolvers<AddressInfo>();
  const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, started.resolve);
  const { port } = await started.promise;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    events,
    close: async () => {
      await handler.close();
      server.close();
      await library.close();
    },
  };
}
