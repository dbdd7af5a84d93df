import {
  type Attributes,
  type Context,
  context,
  ProxyTracerProvider,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { Session, ToolResult } from "@skillhold/core/session";
import type { StartedRequest } from "../gateway-context.ts";
import { routeOf } from "./route-name.ts";

const NAME = "skillhold";

/** The tracer of the process; undefined without an OpenTelemetry SDK, so that no spans are created. */
function findTracer(): Tracer | undefined {
  const provider = trace.getTracerProvider();
  return provider instanceof ProxyTracerProvider
    ? provider.getDelegateTracer(NAME)
    : provider.getTracer(NAME);
}

/** Runs a request in its own span, with the span in `traceparent` as the parent. */
export function inRequestSpan(started: StartedRequest, work: () => Promise<Response>): Promise<Response> {
  const tracer = findTracer();
  return tracer === undefined ? work() : inSpan(started, work, tracer);
}

async function inSpan(
  { operation, method, headers, requestId }: StartedRequest,
  work: () => Promise<Response>,
  tracer: Tracer,
): Promise<Response> {
  const parent = propagation.extract(context.active(), headers, {
    get: (carrier, key) => carrier.get(key) ?? undefined,
    keys: (carrier) => [...carrier.keys()],
  });
  const route = routeOf(operation);
  const attributes = {
    "http.request.method": method,
    "http.route": route,
    "skillhold.request.id": requestId,
  };
  const span = tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent);
  try {
    const response = await context.with(trace.setSpan(parent, span), work);
    span.setAttribute("http.response.status_code", response.status);
    if (response.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    return response;
  } finally {
    span.end();
  }
}

/** Attribute names of the semantic conventions. Those for skills are still a proposal, so they are in one place. */
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

/** A traced tool call. */
export interface TracedCall {
  readonly tool: string;
  /** The caller's id of the call. */
  readonly call?: string | undefined;
  readonly session: Pick<Session, "id" | "active">;
  readonly input: unknown;
  /** The caller's trace context, when it is separate from the input. */
  readonly carrier?: Readonly<Record<string, unknown>> | undefined;
  /** Additional attributes. */
  readonly attributes?: Attributes;
}

/** Runs a tool call in a span. A failed call sets the error status and the error code. */
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

/** The caller's span is the parent and the request's span a link; without a caller's span, the request is the parent. */
function placeOf({ carrier = {} }: TracedCall): SpanPlace {
  const active = context.active();
  if (typeof carrier["traceparent"] !== "string") return { parent: active, links: [] };
  const request = trace.getSpan(active);
  return {
    parent: propagation.extract(active, carrier),
    links: request === undefined ? [] : [{ context: request.spanContext() }],
  };
}

/** The skill id in the input of a call. */
function skillIn(input: unknown): string | undefined {
  const isNamed = typeof input === "object" && input !== null && "skill_id" in input;
  return isNamed && typeof input.skill_id === "string" ? input.skill_id.slice(0, 64) : undefined;
}

/** The state of the skill after the call. */
function skillAttributes(session: TracedCall["session"], skill: string | undefined): Attributes {
  const active = session.active().find((each) => each.skill === skill);
  if (active === undefined) return {};
  const { skill: id, revision, source, treeHash } = active;
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
