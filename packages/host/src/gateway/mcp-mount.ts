import type { RunPorts } from "@skillhold/core/run";
import { openSession } from "@skillhold/core/session";
import { type GatewayContext, type Mount, mayRun, toolSpan, viewerOf } from "@skillhold/gateway";
import { mcpHandler, type TellClient } from "@skillhold/mcp/server";
import { everyone } from "@skillhold/protocol/http";

export type McpMountSource = Pick<GatewayContext, "registry" | "library" | "audit" | "runs" | "log">;

const MCP_CALL = { "mcp.method.name": "tools/call" } as const;
const APPROVAL_HINT =
  "A person can approve it in the gateway's console, under Approvals, and then it can be called again.";

/**
 * MCP on the gateway's port. What needs a person's yes is asked at the gateway's desk and never of the client: whoever
 * holds an agent's token could else approve for themselves.
 */
export function mcpMount(source: McpMountSource): Mount {
  const { library, audit, runs, log } = source;
  const { clock, ids, limits } = source.registry;
  const handler = mcpHandler({
    library,
    open: ({ viewer, canRun = false }) => ({
      library,
      viewer,
      approvalHint: APPROVAL_HINT,
      observe: ({ tool, session, input, request, meta }, work) =>
        toolSpan({ tool, call: request, session, input, carrier: meta, attributes: MCP_CALL }, work),
      openSession: (_ask, tell) => {
        const running = runs === undefined || !canRun ? {} : { runs: askedOf(tell, runs(viewer)) };
        return openSession(library, viewer, { clock, ids, audit, ...running }, { limits });
      },
    }),
    onError: (error) => log({ level: "warning", event: "mcp.failed", error }),
  });
  return {
    path: "/mcp",
    roles: everyone,
    handle: async (request, principal, take) =>
      await handler.fetch(request, {
        key: principal.token,
        viewer: await viewerOf(principal, {}, source),
        canRun: mayRun(principal),
        take,
      }),
    endToken: (token) => handler.closeOf(token),
    stop: async () => handler.stop(),
    close: () => handler.close(),
  };
}

function askedOf(tell: TellClient, runs: RunPorts): RunPorts {
  return runs.asker === undefined ? runs : { ...runs, asker: tell(runs.asker) };
}
