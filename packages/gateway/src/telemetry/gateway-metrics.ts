import type { StoredEvent } from "@skillhold/registry/record";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { StartedRequest } from "../gateway-context.ts";
import { EventCounts, eventCounters, outcomeOf } from "./event-count.ts";
import { routeOf } from "./route-name.ts";

/** A skill as the numbers have it. */
export interface MeasuredSkill {
  readonly id: string;
  /** Whether anyone may know of it: no other is a label. */
  readonly isPublic: boolean;
  readonly status: string;
  readonly isEnabled: boolean;
  /** How much of what it needs is not there. */
  readonly missing: number;
}

/** What the numbers are of, asked when they are read. */
export interface Measured {
  /** Those that are not deleted. */
  listSkills(): Promise<readonly MeasuredSkill[]>;
  /** Of the block that tells an agent of all public skills. */
  countTokens(): Promise<number>;
  countQuestions(): Promise<number>;
  countSockets(): number;
}

const OTHER = "other";
const MOST_SKILLS = 1000;
const RUN_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

type Series = ReturnType<Histogram<"route" | "method" | "status">["labels"]>;

/** The numbers of a gateway, as Prometheus reads them. */
export class GatewayMetrics {
  readonly #registry = new Registry();
  readonly #counts = new EventCounts();
  readonly #requests: Histogram<"route" | "method" | "status">;
  /** One for each of its combinations of labels: few, since all of them come from tables. */
  readonly #series = new Map<string, Series>();
  readonly #scripts: Histogram<"outcome">;
  readonly #tools: Histogram<"outcome">;
  readonly #reloads: Histogram;
  #inFlight = 0;

  constructor(measured: Measured) {
    const registers = [this.#registry];
    this.#requests = new Histogram({
      name: "skillhold_http_request_duration_seconds",
      help: "Time to answer a request.",
      labelNames: ["route", "method", "status"],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    });
    const timed = { labelNames: ["outcome"], buckets: RUN_BUCKETS, registers } as const;
    const [script, tool] = ["Time that scripts took.", "Time that tools of skills took."];
    this.#scripts = new Histogram({ name: "skillhold_script_duration_seconds", help: script, ...timed });
    this.#tools = new Histogram({ name: "skillhold_tool_duration_seconds", help: tool, ...timed });
    this.#reloads = new Histogram({
      name: "skillhold_reload_duration_seconds",
      help: "Time to look at the folders that are served again.",
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
      registers,
    });
    const skills = shared(() => measured.listSkills());
    addGauges(measured, registers, () => this.#inFlight);
    addSkills(skills, registers);
    addCounters(this.#counts, skills, registers);
  }

  observe({ operation, method }: Pick<StartedRequest, "operation" | "method">): (status: number) => void {
    this.#inFlight += 1;
    const started = performance.now();
    return (status) => {
      this.#inFlight -= 1;
      this.#seriesOf(operation, method, status).observe((performance.now() - started) / 1000);
    };
  }

  #seriesOf(operation: StartedRequest["operation"], given: string, status: number): Series {
    const method = known.has(given) ? given : OTHER;
    const key = `${operation} ${method} ${status}`;
    const series = this.#series.get(key) ?? this.#requests.labels(routeOf(operation), method, String(status));
    this.#series.set(key, series);
    return series;
  }

  /** Takes in an event of the log. Contract: each comes once. */
  add(stored: StoredEvent): void {
    this.#counts.add(stored);
    const { event } = stored;
    if (event.type === "skill.script_executed")
      this.#scripts.observe({ outcome: outcomeOf(event) }, event.durationMs / 1000);
    if (event.type === "skill.tool_called")
      this.#tools.observe({ outcome: outcomeOf(event) }, event.durationMs / 1000);
  }

  /** The folders that are served were looked at again. */
  noteReload(ms: number): void {
    this.#reloads.observe(ms / 1000);
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
  { countTokens, countQuestions, countSockets }: Measured,
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
  gauge("skillhold_catalog_tokens", "Tokens that tell an agent of all public skills.", countTokens);
  gauge("skillhold_approvals_pending", "Questions that wait for a person.", countQuestions);
  gauge("skillhold_ws_clients", "Open WebSocket connections.", countSockets);
  gauge("skillhold_resident_memory_bytes", "Memory of the gateway's process.", () =>
    process.memoryUsage.rss(),
  );
}

type ReadSkills = () => Promise<readonly MeasuredSkill[]>;

function addSkills(read: ReadSkills, registers: Registry[]): void {
  new Gauge({
    name: "skillhold_catalog_skills",
    help: "Skills that are not deleted.",
    labelNames: ["status", "enabled"],
    registers,
    async collect() {
      const skills = await read();
      this.reset();
      for (const { status, isEnabled } of skills) this.inc({ status, enabled: String(isEnabled) });
    },
  });
  new Gauge({
    name: "skillhold_dep_missing",
    help: "What skills need and is not there.",
    labelNames: ["skill"],
    registers,
    async collect() {
      const skills = await read();
      const named = namesIn(skills);
      this.reset();
      for (const { id, missing } of skills)
        if (missing > 0) this.inc({ skill: named.has(id) ? id : OTHER }, missing);
    },
  });
}

function addCounters(counts: EventCounts, read: ReadSkills, registers: Registry[]): void {
  for (const [name, { help, labels }] of Object.entries(eventCounters))
    new Counter({
      name,
      help,
      labelNames: ["skill", ...labels],
      registers,
      async collect() {
        const named = namesIn(await read());
        this.reset();
        for (const { skill, labels: told, count } of counts.list().filter((each) => each.name === name))
          this.inc({ skill: named.has(skill) ? skill : OTHER, ...told }, count);
      },
    });
}

function namesIn(skills: readonly MeasuredSkill[]): ReadonlySet<string> {
  const ids = skills.filter(({ isPublic }) => isPublic).map(({ id }) => id);
  return new Set(ids.slice(0, MOST_SKILLS));
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
