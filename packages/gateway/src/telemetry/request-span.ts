import { context, propagation, SpanKind, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";
import type { StartedRequest } from "../gateway-context.ts";
import { routeOf } from "./route-name.ts";
import { findTracer } from "./tracer.ts";

/**
 * Answers a request in a span of its own, below the one that its caller names in `traceparent`. What is done for it is
 * below this one.
 */
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
