import { basename } from "node:path";
import {
  type AgentTool,
  callSkillTool,
  declaredTools,
  type Session,
  skillTools,
  type ToolResult,
} from "@skillhold/core/session";
import { publicMessage } from "@skillhold/protocol/error";
import type { z } from "zod";
import type { Handlers } from "../http/handler.ts";
import { toolSpan } from "../telemetry/span.ts";

export const sessionHandlers: Pick<
  Handlers,
  "openSession" | "closeSession" | "listTools" | "callTool" | "getToolContext" | "judgeTool"
> = {
  openSession: async ({ body, principal }, { sessions }) => {
    const { id, instructions } = await sessions.open(principal, body);
    return { data: { session: id, ...(instructions === "" ? {} : { instructions }) } };
  },
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
  getToolContext: async ({ params, principal }, { sessions }) => ({
    data: await sessions.use(params.session, principal, async (session) => session.toolContext()),
  }),
  judgeTool: async ({ params, body, principal, signal }, { sessions }) => ({
    data: await sessions.use(params.session, principal, async (session) => {
      const verdict = await session.guard(body.tool, body.input ?? {}, body.owner, { signal });
      return { verdict, context: session.toolContext() };
    }),
  }),
};

type Failed = Extract<ToolResult, { readonly ok: false }>;

/** Replaces the message of an internal failure, and logs the original. */
function publicFailure(error: Failed["error"], result: Failed, log: (message: string) => void): Failed {
  const { message, hint, isWhole } = publicMessage(error);
  if (isWhole) return result;
  log(error.message);
  return { ok: false, text: `${message} ${hint}`, error: { code: error.code, message, hint } };
}

type Json = z.infer<ReturnType<typeof z.json>>;

interface ToolView {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Record<string, Json>;
  readonly owner?: string;
}

/** Separates the skill and the tool in the name of a declared tool. */
const SEPARATOR = "__";

/** The callable tools: those of every session, and the declared tools of active skills. */
async function listSessionTools(session: Session, signal: AbortSignal): Promise<readonly ToolView[]> {
  const declared = session.canRun ? (await declaredTools(session, undefined, { signal })).tools : [];
  return [...skillTools(session), ...declared].map(toolView);
}

/** Calls a tool. Declared tools are loaded only for a matching name, because loading them runs the skill's code. */
async function callSessionTool(
  session: Session,
  name: string,
  input: unknown,
  signal: AbortSignal,
): Promise<ToolResult<Json>> {
  const own = skillTools(session);
  const owners = session.canRun ? ownersOf(name, session) : [];
  const declared = await declaredTools(session, owners, { signal });
  const [problem] = declared.problems.flatMap(({ cause }) => cause ?? []);
  if (problem !== undefined && declared.tools.length === 0) {
    const { code, message, hint } = problem;
    return { ok: false, text: `${message} ${hint}`, error: { code, message, hint } };
  }
  const result = await callSkillTool([...own, ...declared.tools], name, input, { signal });
  if (result.ok) return { ...result, data: dataOf(result.data) };
  // The details of an approval name paths of the gateway's machine.
  const { code, message, hint } = result.error;
  return { ...result, error: { code, message, hint } };
}

function ownersOf(name: string, session: Session): readonly string[] {
  const ids = session.active().map(({ skill }) => skill);
  return ids.filter((id) => name.startsWith(id) && name.slice(id.length).includes(SEPARATOR));
}

function toolView({ name, description, inputSchema, owner }: AgentTool): ToolView {
  // The schema of a tool's input is an object.
  const schema = toJson(inputSchema) as Record<string, Json>;
  return { name, description, inputSchema: schema, ...(owner === undefined ? {} : { owner }) };
}

/** Replaces the path of the output folder by its name, because paths of the gateway's machine are not disclosed. */
function dataOf(data: unknown): Json {
  const json = toJson(data);
  if (typeof json !== "object" || json === null || Array.isArray(json)) return json;
  const { outputs } = json;
  return typeof outputs === "string" ? { ...json, outputs: basename(outputs) } : json;
}

function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value ?? null));
}
