import {
  type Attributes,
  type Context,
  context,
  propagation,
  type Span,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import type { Session, ToolResult } from "@skillhold/core/session";
import { findTracer } from "./tracer.ts";

/** Names of the semantic conventions; those for skills are still a proposal, and so stand in one place. */
const attribute = {
  operation: "gen_ai.operation.name",
  toolName: "gen_ai.tool.name",
  toolType: "gen_ai.tool.type",
  callId: "gen_ai.tool.call.id",
  skillName: "gen_ai.skill.name",
  skillId: "gen_ai.skill.id",
  skillVersion: "gen_ai.skill.version",
  skillSource: "gen_ai.skill.source.uri",
  skillHash: "skillhold.skill.tree_hash",
  session: "skillhold.session.id",
  exitCode: "process.exit.code",
  errorType: "error.type",
} as const;

/** A call of a tool, as it is traced. */
export interface TracedCall {
  readonly tool: string;
  /** As whoever calls it tells it from others. */
  readonly call?: string | undefined;
  readonly session: Pick<Session, "id" | "active">;
  readonly input: unknown;
  /** What the caller says of its own span, where it does so beside the input. */
  readonly carrier?: Readonly<Record<string, unknown>> | undefined;
  /** What else is known of it. */
  readonly attributes?: Attributes;
}

/** A span around the call of a tool. A call that fails is an error, with the code of the failure. */
export async function toolSpan<T extends ToolResult>(call: TracedCall, work: () => Promise<T>): Promise<T> {
  const tracer = findTracer();
  if (tracer === undefined) return await work();
  const skill = skillIn(call.input);
  const attributes = {
    [attribute.operation]: "execute_tool",
    [attribute.toolName]: call.tool,
    [attribute.toolType]: "function",
    [attribute.session]: call.session.id,
    ...(call.call === undefined ? {} : { [attribute.callId]: call.call.slice(0, 128) }),
    ...(skill === undefined ? {} : { [attribute.skillName]: skill }),
    ...call.attributes,
  };
  const { parent, links } = placeOf(call);
  const span = tracer.startSpan(`execute_tool ${call.tool}`, { attributes, links: [...links] }, parent);
  try {
    const result = await context.with(trace.setSpan(parent, span), work);
    span.setAttributes({ ...skillAttributes(call.session, skill), ...endOf(result) });
    if (!result.ok) markFailed(span, result.error.code);
    return result;
  } catch (error) {
    markFailed(span, error instanceof Error ? error.name : "unknown");
    throw error;
  } finally {
    span.end();
  }
}

interface SpanPlace {
  readonly parent: Context;
  readonly links: readonly { readonly context: ReturnType<Span["spanContext"]> }[];
}

/** Below what the caller named, if it did, and with the request that brought it beside it; or else below the request. */
function placeOf({ carrier = {} }: TracedCall): SpanPlace {
  const active = context.active();
  if (typeof carrier["traceparent"] !== "string") return { parent: active, links: [] };
  const request = trace.getSpan(active);
  return {
    parent: propagation.extract(active, carrier),
    links: request === undefined ? [] : [{ context: request.spanContext() }],
  };
}

/** The skill that a call is about, where its input names one. */
function skillIn(input: unknown): string | undefined {
  const isNamed = typeof input === "object" && input !== null && "skill_id" in input;
  return isNamed && typeof input.skill_id === "string" ? input.skill_id.slice(0, 64) : undefined;
}

/** What of the skill was in use when the call had ended. */
function skillAttributes(session: TracedCall["session"], skill: string | undefined): Attributes {
  const used = session.active().find((each) => each.skill === skill);
  if (used === undefined) return {};
  const { skill: id, revision, source, treeHash } = used;
  const version = revision === undefined ? {} : { [attribute.skillVersion]: String(revision) };
  const uri = revision === undefined ? `${source}:${id}` : `${source}:${id}@${revision}`;
  return {
    [attribute.skillId]: id,
    ...version,
    [attribute.skillSource]: uri,
    [attribute.skillHash]: treeHash,
  };
}

function endOf(result: ToolResult): Attributes {
  const data = result.ok ? result.data : undefined;
  const hasCode = typeof data === "object" && data !== null && "exitCode" in data;
  return hasCode && typeof data.exitCode === "number" ? { [attribute.exitCode]: data.exitCode } : {};
}

function markFailed(span: Span, code: string): void {
  span.setAttribute(attribute.errorType, code);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
