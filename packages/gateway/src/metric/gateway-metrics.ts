import type { StoredEvent } from "@skillhold/core/registry";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { StartedRequest } from "../gateway-context.ts";
import type { UsageFeed } from "./usage-feed.ts";

/** What the numbers are of, asked when they are read. */
export interface Measured {
  readonly usage: UsageFeed;
  /** Ids that anyone may know of: no other is a label. */
  listPublic(): Promise<ReadonlySet<string>>;
  countSkills(): Promise<number>;
  countQuestions(): Promise<number>;
  countSockets(): number;
}

const OTHER = "other";
const FAILED = "failed";
const MOST_SKILLS = 1000;

type Series = ReturnType<Histogram<"operation" | "method" | "status">["labels"]>;

/** The numbers of a gateway, as Prometheus reads them. */
export class GatewayMetrics {
  readonly #registry = new Registry();
  readonly #requests: Histogram<"operation" | "method" | "status">;
  /** One for each of its combinations of labels: few, since all of them come from tables. */
  readonly #series = new Map<string, Series>();
  readonly #durations: Histogram<"kind" | "outcome">;
  #inFlight = 0;

  constructor(measured: Measured) {
    const registers = [this.#registry];
    this.#requests = new Histogram({
      name: "skillhold_http_request_duration_seconds",
      help: "Time to answer a request.",
      labelNames: ["operation", "method", "status"],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    });
    this.#durations = new Histogram({
      name: "skillhold_run_duration_seconds",
      help: "Time that scripts and tools of skills took, by how they ended.",
      labelNames: ["kind", "outcome"],
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
      registers,
    });
    addGauges(measured, registers, () => this.#inFlight);
    addUsage(measured, registers);
  }

  observe({ operation, method }: Pick<StartedRequest, "operation" | "method">): (status: number) => void {
    this.#inFlight += 1;
    const started = performance.now();
    return (status) => {
      this.#inFlight -= 1;
      this.#seriesOf(operation, method, status).observe((performance.now() - started) / 1000);
    };
  }

  #seriesOf(operation: string, given: string, status: number): Series {
    const method = known.has(given) ? given : OTHER;
    const key = `${operation} ${method} ${status}`;
    const series = this.#series.get(key) ?? this.#requests.labels(operation, method, String(status));
    this.#series.set(key, series);
    return series;
  }

  /** Takes in an event of the log. Contract: each comes once. */
  add({ event }: StoredEvent): void {
    if (event.type === "skill.script_executed") {
      const outcome = event.outcome === "exited" && event.exitCode !== 0 ? FAILED : event.outcome;
      this.#durations.observe({ kind: "script", outcome }, event.durationMs / 1000);
    }
    if (event.type === "skill.tool_called") {
      const outcome = event.outcome === "exited" && event.isError ? FAILED : event.outcome;
      this.#durations.observe({ kind: "tool", outcome }, event.durationMs / 1000);
    }
  }

  get type(): string {
    return this.#registry.contentType;
  }

  read(): Promise<string> {
    return this.#registry.metrics();
  }
}

const known = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]);

function addGauges(
  { countSkills, countQuestions, countSockets }: Measured,
  registers: Registry[],
  countRequests: () => number,
): void {
  const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await read());
      },
    });
  gauge("skillhold_http_requests_in_flight", "Requests that are being answered.", countRequests);
  gauge("skillhold_catalog_skills", "Skills that are not deleted.", countSkills);
  gauge("skillhold_approvals_pending", "Questions that wait for a person.", countQuestions);
  gauge("skillhold_ws_clients", "Open WebSocket connections.", countSockets);
  gauge("skillhold_resident_memory_bytes", "Memory of the gateway's process.", () =>
    process.memoryUsage.rss(),
  );
}

/** Counted from the log, and so the same on every gateway of a registry. */
const usageCounters = [
  ["skillhold_skill_activations_total", "Times instructions were handed over.", "activations"],
  ["skillhold_skill_resource_reads_total", "Files that were handed over.", "reads"],
  ["skillhold_script_runs_total", "Scripts that were run.", "runs"],
  ["skillhold_script_failures_total", "Scripts that failed or were stopped.", "runFailures"],
  ["skillhold_tool_calls_total", "Tools of skills that were called.", "toolCalls"],
  ["skillhold_tool_failures_total", "Tools of skills that failed or were stopped.", "toolFailures"],
  ["skillhold_skill_denials_total", "Uses that were refused.", "denials"],
] as const;

function addUsage({ usage, listPublic }: Measured, registers: Registry[]): void {
  const read = shared(async () => {
    const isNamed = new Set([...(await listPublic())].slice(0, MOST_SKILLS));
    return usage.usage
      .list()
      .map((count) => ({ count, skill: isNamed.has(count.skill) ? count.skill : OTHER }));
  });
  for (const [name, help, field] of usageCounters)
    new Counter({
      name,
      help,
      labelNames: ["skill"],
      registers,
      async collect() {
        const counts = await read();
        this.reset();
        for (const { skill, count } of counts) this.inc({ skill }, count[field]);
      },
    });
}

/** Those who ask while it is under way get the same: all counters are read at once. */
function shared<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}
