import { setTimeout as wait } from "node:timers/promises";
import { DiagLogLevel, diag } from "@opentelemetry/api";
import type { LogEntry } from "./log.ts";

export interface TraceOptions {
  /** The variables of OpenTelemetry are read from here, and by its packages from the process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly log: (entry: LogEntry) => void;
}

export interface TraceExport {
  /** Sends what is left, for as long as is fit at an end. */
  close(): Promise<void>;
}

const PACKAGES = [
  "@opentelemetry/sdk-trace-node@2",
  "@opentelemetry/resources@2",
  "@opentelemetry/exporter-trace-otlp-http@0.223",
];
const LAST_SPANS_MS = 3000;

/**
 * Sends spans over HTTP to where `OTEL_EXPORTER_OTLP_ENDPOINT` says. The packages that do it are the user's to install:
 * without them the gateway runs as it would without spans, and says so.
 */
export async function exportTraces(
  { env, version, log }: TraceOptions,
  load: () => Promise<MakeProvider> = loadPackages,
): Promise<TraceExport | undefined> {
  if (!isWanted(env)) return undefined;
  const make = await load().catch((error: unknown) => {
    const message = `Spans are not sent: run \`npm install ${PACKAGES.join(" ")}\` beside Skillhold.`;
    log({ level: "warning", event: "trace.off", message, error });
  });
  if (make === undefined) return undefined;
  listenTo(log);
  const provider = make(version);
  provider.register();
  const end = () => provider.shutdown().catch((error: unknown) => tell(String(error), log));
  return { close: () => Promise.race([end(), wait(LAST_SPANS_MS, undefined, { ref: false })]) };
}

function isWanted(env: TraceOptions["env"]): boolean {
  const endpoint = env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] || env["OTEL_EXPORTER_OTLP_ENDPOINT"];
  const isOff = env["OTEL_SDK_DISABLED"]?.toLowerCase() === "true" || env["OTEL_TRACES_EXPORTER"] === "none";
  return Boolean(endpoint) && !isOff;
}

/** What is used of the packages: exactly this is asked of them. */
type MakeProvider = (version: string) => { register(): void; shutdown(): Promise<void> };

async function loadPackages(): Promise<MakeProvider> {
  const [sdk, resources, { OTLPTraceExporter }] = await Promise.all([
    import("@opentelemetry/sdk-trace-node"),
    import("@opentelemetry/resources"),
    import("@opentelemetry/exporter-trace-otlp-http"),
  ]);
  return (version) => {
    const own = { "service.name": "skillhold", "service.version": version };
    // What the variables say of the service comes last, and counts.
    const resource = resources
      .defaultResource()
      .merge(resources.resourceFromAttributes(own))
      .merge(resources.detectResources({ detectors: [resources.envDetector] }));
    const spanProcessors = [new sdk.BatchSpanProcessor(new OTLPTraceExporter())];
    return new sdk.NodeTracerProvider({ resource, spanProcessors });
  };
}

/** That spans cannot be sent is told nowhere else. */
function listenTo(log: TraceOptions["log"]): void {
  const ignore = () => {};
  const error = (text: string) => tell(messageIn(text), log);
  const logger = { error, warn: ignore, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
}

/** A failure comes as its fields, written as JSON. */
function messageIn(text: string): string {
  try {
    return String(JSON.parse(text).message ?? text);
  } catch {
    return text;
  }
}

function tell(reason: string, log: TraceOptions["log"]): void {
  log({ level: "warning", event: "trace.failed", message: "Spans could not be sent.", fields: { reason } });
}
