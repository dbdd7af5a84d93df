import { DiagLogLevel, diag } from "@opentelemetry/api";
import { pause, type Timers } from "@skillhold/core/port";
import type { LogEntry } from "./log.ts";

export interface TraceOptions {
  /** The OpenTelemetry variables. The SDK itself reads them from the process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly timers: Timers;
  readonly log: (entry: LogEntry) => void;
}

export interface TraceExport {
  /** Sends the remaining spans within a few seconds. */
  close(): Promise<void>;
}

const PACKAGES = [
  "@opentelemetry/sdk-trace-node@2",
  "@opentelemetry/resources@2",
  "@opentelemetry/exporter-trace-otlp-http@0.223",
];
const FLUSH_MS = 3000;

/**
 * Sends spans over HTTP to `OTEL_EXPORTER_OTLP_ENDPOINT`. The user installs the OpenTelemetry packages; without them the
 * gateway logs a warning and runs without spans.
 */
export async function exportTraces(
  { env, version, timers, log }: TraceOptions,
  load: () => Promise<MakeProvider> = loadPackages,
): Promise<TraceExport | undefined> {
  if (!isConfigured(env)) return undefined;
  const make = await load().catch((error: unknown) => {
    const message = `Spans are not sent because the OpenTelemetry packages are missing. Run \`npm install ${PACKAGES.join(" ")}\` next to Skillhold.`;
    log({ level: "warning", event: "trace.off", message, error });
  });
  if (make === undefined) return undefined;
  logFailures(log);
  const provider = make(version);
  provider.register();
  const end = () => provider.shutdown().catch((error: unknown) => logFailure(String(error), log));
  return { close: () => Promise.race([end(), pause(FLUSH_MS, timers, { isBackground: true })]) };
}

function isConfigured(env: TraceOptions["env"]): boolean {
  const endpoint = env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] || env["OTEL_EXPORTER_OTLP_ENDPOINT"];
  const isOff = env["OTEL_SDK_DISABLED"]?.toLowerCase() === "true" || env["OTEL_TRACES_EXPORTER"] === "none";
  return Boolean(endpoint) && !isOff;
}

/** The used part of the OpenTelemetry packages. */
type MakeProvider = (version: string) => { register(): void; shutdown(): Promise<void> };

async function loadPackages(): Promise<MakeProvider> {
  const [sdk, resources, { OTLPTraceExporter }] = await Promise.all([
    import("@opentelemetry/sdk-trace-node"),
    import("@opentelemetry/resources"),
    import("@opentelemetry/exporter-trace-otlp-http"),
  ]);
  return (version) => {
    const own = { "service.name": "skillhold", "service.version": version };
    // The resource from the variables is merged last and wins.
    const resource = resources
      .defaultResource()
      .merge(resources.resourceFromAttributes(own))
      .merge(resources.detectResources({ detectors: [resources.envDetector] }));
    const spanProcessors = [new sdk.BatchSpanProcessor(new OTLPTraceExporter())];
    return new sdk.NodeTracerProvider({ resource, spanProcessors });
  };
}

/** Export failures are only reported to the diagnostic logger. */
function logFailures(log: TraceOptions["log"]): void {
  const ignore = () => {};
  const error = (text: string) => logFailure(messageIn(text), log);
  const logger = { error, warn: ignore, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
}

/** The SDK reports a failure as JSON. */
function messageIn(text: string): string {
  try {
    return String(JSON.parse(text).message ?? text);
  } catch {
    return text;
  }
}

function logFailure(reason: string, log: TraceOptions["log"]): void {
  log({ level: "warning", event: "trace.failed", message: "Spans could not be sent.", fields: { reason } });
}
