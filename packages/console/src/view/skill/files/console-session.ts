import { type Answer, call } from "../../../api/client.ts";

export type ToolResult = Answer<"POST /v1/sessions/{session}/tools/{tool}">;

/** Calls tools in a session of the user, as a model would. */
export type CallTool = (tool: string, body: Readonly<Record<string, unknown>>) => Promise<ToolResult>;

/** Opens a session for one task, and closes it afterward. */
export async function inSession<T>(
  task: string,
  work: (session: string, callTool: CallTool) => Promise<T>,
): Promise<T> {
  const { session } = await call("POST /v1/sessions", { body: { task } });
  const callTool: CallTool = (tool, body) =>
    // Values of a form are JSON.
    call("POST /v1/sessions/{session}/tools/{tool}", { params: { session, tool }, body: body as never });
  try {
    return await work(session, callTool);
  } finally {
    // An open session would end by itself later.
    void call("DELETE /v1/sessions/{session}", { params: { session } }).catch(() => undefined);
  }
}
