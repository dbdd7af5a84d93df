import type { RunPorts } from "@skillhold/core/run";
import { openSession } from "@skillhold/core/session";
import {
  type GatewayContext,
  type Mount,
  mayRun,
  proposerFor,
  sessionPublisher,
  toolSpan,
  viewerOf,
} from "@skillhold/gateway";
import type { McpHandler, NotifyClient } from "@skillhold/mcp/server";
import { everyone } from "@skillhold/protocol/http";
import { agentFor } from "@skillhold/registry/access";
import { recentUses } from "@skillhold/registry/audit";
import { present } from "../place/machine.ts";

export type McpMountSource = Pick<
  GatewayContext,
  "registry" | "library" | "skills" | "audit" | "runs" | "log"
>;

const MCP_CALL = { "mcp.method.name": "tools/call" } as const;
const APPROVAL_HINT =
  "A user can approve the request in the gateway's console, under Approvals. Then call the tool again.";

/** MCP on the gateway's port. The first request loads the MCP server, because an idle gateway does not need its memory. */
export function mcpMount(source: McpMountSource): Mount {
  let opening: Promise<McpHandler> | undefined;
  let isStopped = false;
  const open = async () => {
    const handler = await openHandler(source);
    if (isStopped) handler.stop();
    return handler;
  };
  return {
    path: "/mcp",
    roles: everyone,
    handle: async (request, principal, take) => {
      opening ??= open();
      const [handler, viewer] = await Promise.all([opening, viewerOf(principal, {}, source)]);
      return await handler.fetch(request, {
        key: principal.token,
        viewer,
        canRun: mayRun(principal),
        publisher: sessionPublisher(principal, viewer, source),
        proposer: proposerFor(principal, source.registry),
        take,
      });
    },
    endToken: async (token) => (await opening)?.closeOf(token),
    stop: async () => {
      isStopped = true;
      (await opening)?.stop();
    },
    close: async () => (await opening)?.close(),
  };
}

/**
 * Approvals are requested at the gateway and never from the client, because the bearer of an agent's token could otherwise
 * approve its own runs.
 */
async function openHandler(source: McpMountSource): Promise<McpHandler> {
  const { mcpHandler } = await import("@skillhold/mcp/server");
  const { library, audit, runs, log } = source;
  const { clock, ids, limits, store } = source.registry;
  const uses = () => recentUses(store);
  return mcpHandler({
    library,
    open: ({ viewer, canRun = false, publisher, proposer }) => ({
      library,
      viewer,
      approvalHint: APPROVAL_HINT,
      observe: ({ tool, session, input, request, meta }, work) =>
        toolSpan({ tool, call: request, session, input, carrier: meta, attributes: MCP_CALL }, work),
      openSession: async (_ask, tell) => {
        const running = runs === undefined || !canRun ? {} : { runs: withClientNotice(tell, runs(viewer)) };
        const { manifest } = await agentFor(viewer.agent, viewer.user, source.registry);
        const options = { limits, ...present({ manifest }) };
        return await openSession(
          library,
          viewer,
          { clock, ids, audit, uses, ...running, ...present({ publisher, proposer }) },
          options,
        );
      },
    }),
    onError: (error) => log({ level: "warning", event: "mcp.failed", error }),
  });
}

function withClientNotice(tell: NotifyClient, runs: RunPorts): RunPorts {
  return runs.asker === undefined ? runs : { ...runs, asker: tell(runs.asker) };
}
