import type { ToolResult } from "@skillhold/core/session";
import { outsideWords } from "@skillhold/protocol/error";
import type { Handlers } from "../http/handler.ts";
import { callSessionTool, listSessionTools } from "../session/session-tool.ts";
import { toolSpan } from "../telemetry/tool-span.ts";

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
  callTool: async ({ params, body, principal, signal, requestId }, { sessions, log }) => {
    const result = await sessions.use(params.session, principal, (session) => {
      const called = { tool: params.tool, call: requestId, session, input: body };
      return toolSpan(called, () => callSessionTool(session, params.tool, body, signal));
    });
    return {
      data: result.ok
        ? result
        : publicFailure(result.error, result, (message) => {
            log({ level: "error", event: "tool.failed", requestId, message });
          }),
    };
  },
};

type Failed = Extract<ToolResult, { readonly ok: false }>;

/** Replaces the message of an internal failure, and logs the original. */
function publicFailure(error: Failed["error"], result: Failed, log: (message: string) => void): Failed {
  const { message, hint, isWhole } = outsideWords(error);
  if (isWhole) return result;
  log(error.message);
  return { ok: false, text: `${message} ${hint}`, error: { code: error.code, message, hint } };
}
