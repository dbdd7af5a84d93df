import {
  context,
  ProxyTracerProvider,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { ToolResult } from "@skillhold/core";
import type { StartedRequest } from "../gateway-context.ts";

/**
 * Where spans go is for the process to say: without an OpenTelemetry SDK they go nowhere, and cost next to nothing.
 */
const tracer = () => trace.getTracer(NAME);
const NAME = "skillhold";

/** Undefined while nobody takes spans: then there is no need to make one of each request. */
function findTracer(): Tracer | undefined {
  const provider = trace.getTracerProvider();
  return provider instanceof ProxyTracerProvider
    ? provider.getDelegateTracer(NAME)
    : provider.getTracer(NAME);
}

/** Names of the semantic conventions; those for skills are still a proposal, and so stand in one place. */
export const attribute = {
  operation: "gen_ai.operation.name",
  toolName: "gen_ai.tool.name",
  toolType: "gen_ai.tool.type",
  skillName: "gen_ai.skill.name",
  session: "skillhold.session.id",
  errorType: "error.type",
} as const;

/** A span for a request, below the one that its caller names in `traceparent`; undefined while nobody takes any. */
export function requestSpan({
  operation,
  method,
  headers,
  requestId,
}: StartedRequest): ((status: number) => void) | undefined {
  const found = findTracer();
  if (found === undefined) return undefined;
  const parent = propagation.extract(context.active(), headers, {
    get: (carrier, key) => carrier.get(key) ?? undefined,
    keys: (carrier) => [...carrier.keys()],
  });
  const attributes = {
    "http.request.method": method,
    "http.route": operation,
    "skillhold.request.id": requestId,
  };
  const span = found.startSpan(`${method} ${operation}`, { kind: SpanKind.SERVER, attributes }, parent);
  return (status) => {
    span.setAttribute("http.response.status_code", status);
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  };
}

export interface ToolSpan {
  readonly tool: string;
  readonly session: string;
  readonly skill?: string | undefined;
}

/** A span around the call of a tool; what `isFailed` finds in the result is an error of the tool. */
export async function toolSpan<T>(
  { tool, session, skill }: ToolSpan,
  isFailed: (result: T) => string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const attributes = {
    [attribute.operation]: "execute_tool",
    [attribute.toolName]: tool,
    [attribute.toolType]: "function",
    [attribute.session]: session,
    ...(skill === undefined ? {} : { [attribute.skillName]: skill }),
  };
  return await tracer().startActiveSpan(`execute_tool ${tool}`, { attributes }, async (span) => {
    try {
      const result = await work();
      const code = isFailed(result);
      if (code !== undefined) markFailed(span, code);
      return result;
    } catch (error) {
      markFailed(span, error instanceof Error ? error.name : "unknown");
      throw error;
    } finally {
      span.end();
    }
  });
}

/** The skill that a call is about, where its input names one. */
export function skillIn(input: unknown): string | undefined {
  const isNamed = typeof input === "object" && input !== null && "skill_id" in input;
  return isNamed && typeof input.skill_id === "string" ? input.skill_id.slice(0, 64) : undefined;
}

/** What went wrong in a call, as a code that can be counted. */
export function failureIn(result: ToolResult): string | undefined {
  return result.ok ? undefined : result.error.code;
}

function markFailed(span: Span, code: string): void {
  span.setAttribute(attribute.errorType, code);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
