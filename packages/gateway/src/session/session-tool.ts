import { basename } from "node:path";
import {
  type AgentTool,
  callSkillTool,
  declaredTools,
  type Session,
  skillTools,
  type ToolResult,
} from "@skillhold/core/session";
import type { z } from "zod";

type Json = z.infer<ReturnType<typeof z.json>>;

export interface ToolView {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Record<string, Json>;
  readonly owner?: string;
}

/** What is between the skill and the tool in the name of a declared one. */
const OWNED = "__";

/** The tools that can be called now: those of every session, and those that the skills in use declare. */
export async function listSessionTools(session: Session, signal: AbortSignal): Promise<readonly ToolView[]> {
  const declared = session.canRun ? (await declaredTools(session, undefined, signal)).tools : [];
  return [...skillTools(session), ...declared].map(viewOf);
}

/** Calls a tool. Those that skills declare are looked for only where the name may be of one: to know them runs them. */
export async function callSessionTool(
  session: Session,
  name: string,
  input: unknown,
  signal: AbortSignal,
): Promise<ToolResult<Json>> {
  const own = skillTools(session);
  const owners = session.canRun ? ownersOf(name, session) : [];
  const declared = await declaredTools(session, owners, signal);
  const [refusal] = declared.problems.flatMap(({ cause }) => cause ?? []);
  if (refusal !== undefined && declared.tools.length === 0) {
    const { code, message, hint } = refusal;
    return { ok: false, text: `${message} ${hint}`, error: { code, message, hint } };
  }
  const result = await callSkillTool([...own, ...declared.tools], name, input, { signal });
  return result.ok ? { ...result, data: dataOf(result.data) } : result;
}

function ownersOf(name: string, session: Session): readonly string[] {
  const ids = session.active().map(({ skill }) => skill);
  return ids.filter((id) => name.startsWith(id) && name.slice(id.length).includes(OWNED));
}

function viewOf({ name, description, inputSchema, owner }: AgentTool): ToolView {
  // The schema of an input is an object.
  const schema = toJson(inputSchema) as Record<string, Json>;
  return { name, description, inputSchema: schema, ...(owner === undefined ? {} : { owner }) };
}

/** Where files lie on the gateway's machine is nothing to who calls: the name of the folder tells them apart. */
function dataOf(data: unknown): Json {
  const json = toJson(data);
  if (typeof json !== "object" || json === null || Array.isArray(json)) return json;
  const { outputs } = json;
  return typeof outputs === "string" ? { ...json, outputs: basename(outputs) } : json;
}

function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value ?? null));
}
