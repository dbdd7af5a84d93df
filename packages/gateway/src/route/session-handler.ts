import type { ToolResult } from "@skillhold/core";
import type { Handlers } from "../http/handler.ts";
import { callSessionTool, listSessionTools } from "../session/session-tool.ts";
import { toolSpan } from "../trace/request-span.ts";

export const sessionHandlers: Pick<Handlers, "openSession" | "closeSession" | "listTools" | "callTool"> = {
  openSession: async ({ body, principal }, { sessions }) => ({
    data: { session: (await sessions.open(principal, body)).id },
  }),
  closeSession: async ({ params, principal }, { sessions }) => {
    await sessions.close(params.session, principal);
    return {};
  },
  listTools: async ({ params, principal, signal }, { sessions }) => {
    const list = sessions.use(params.session, principal, (session) => listSessionTools(session, signal));
    return { data: { tools: await list } };
  },
  callTool: async ({ params, body, principal, signal }, { sessions }) => ({
    data: await sessions.use(params.session, principal, (session) => {
      const called = { tool: params.tool, session: session.id, skill: skillIn(body) };
      return toolSpan(called, failureIn, () => callSessionTool(session, params.tool, body, signal));
    }),
  }),
};

/** The skill that a call is about, where its input names one. */
function skillIn(body: Readonly<Record<string, unknown>>): string | undefined {
  const id = body["skill_id"];
  return typeof id === "string" ? id.slice(0, 64) : undefined;
}

function failureIn(result: ToolResult): string | undefined {
  return result.ok ? undefined : result.error.code;
}
