import { ProxyTracerProvider, type Tracer, trace } from "@opentelemetry/api";

const NAME = "skillhold";

/**
 * Where spans go is for the process to say: without an OpenTelemetry SDK they go nowhere. Undefined while nobody takes
 * any: then there is no need to make one.
 */
export function findTracer(): Tracer | undefined {
  const provider = trace.getTracerProvider();
  return provider instanceof ProxyTracerProvider
    ? provider.getDelegateTracer(NAME)
    : provider.getTracer(NAME);
}
