import { runtimeOf } from "@skillhold/core/run";
import { sessionCatalogue } from "@skillhold/core/session";
import type { SkillEvent } from "@skillhold/protocol";
import type { StoredEvent } from "@skillhold/registry/record";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { GatewayContext, StartedRequest } from "../gateway-context.ts";
import { routeOf } from "./route-name.ts";

/** The measured fields of a skill. */
export interface MeasuredSkill {
  readonly id: string;
  /** Only public skills become labels. */
  readonly isPublic: boolean;
  readonly status: string;
  readonly isEnabled: boolean;
  /** The number of missing dependencies. */
  readonly missing: number;
}

/** The measured values, read on each scrape. */
export interface Measured {
  /** All skills that are not deleted. */
  listSkills(): Promise<readonly MeasuredSkill[]>;
  /** The tokens of the catalogue with all public skills. */
  countTokens(): Promise<number>;
  countQuestions(): Promise<number>;
  countSockets(): number;
}

const OTHER = "other";
const MAX_LABELS = 1000;
const RUN_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

type Series = ReturnType<Histogram<"route" | "method" | "status">["labels"]>;

/** The Prometheus metrics of a gateway. */
export class GatewayMetrics {
  readonly #registry = new Registry();
  /** The metrics that reveal only public skills. */
  readonly #public = new Registry();
  readonly #counts = new EventCounts();
  readonly #requests: Histogram<"route" | "method" | "status">;
  /** One series per combination of labels; there are few, because all labels come from tables. */
  readonly #series = new Map<string, Series>();
  readonly #scripts: Histogram<"outcome">;
  readonly #tools: Histogram<"outcome">;
  readonly #reloads: Histogram;
  readonly #guard: Histogram<"verdict">;
  readonly #webhooks: Counter<"outcome">;
  #inFlight = 0;

  constructor(measured: Measured) {
    const registers = [this.#registry];
    const open = [this.#registry, this.#public];
    this.#requests = new Histogram({
      name: "skillhold_http_request_duration_seconds",
      help: "Duration of requests.",
      labelNames: ["route", "method", "status"],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers: open,
    });
    const timed = { labelNames: ["outcome"], buckets: RUN_BUCKETS, registers } as const;
    const [script, tool] = ["Duration of script runs.", "Duration of skill tool calls."];
    this.#scripts = new Histogram({ name: "skillhold_script_duration_seconds", help: script, ...timed });
    this.#tools = new Histogram({ name: "skillhold_tool_duration_seconds", help: tool, ...timed });
    this.#reloads = new Histogram({
      name: "skillhold_reload_duration_seconds",
      help: "Duration of reloads of the served folders.",
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
      registers,
    });
    this.#guard = new Histogram({
      name: "skillhold_guard_scan_duration_seconds",
      help: "Duration of content guard scans.",
      labelNames: ["verdict"],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    });
    this.#webhooks = new Counter({
      name: "skillhold_webhook_attempts_total",
      help: "Attempts to deliver a notification.",
      labelNames: ["outcome"],
      registers,
    });
    const skills = shared(() => measured.listSkills());
    addGauges(measured, open, () => this.#inFlight);
    addQuestions(measured, registers);
    addSkills(skills, registers);
    addCounters(this.#counts, skills, registers);
    const publicSkills = async () => (await skills()).filter(({ isPublic }) => isPublic);
    addSkills(publicSkills, [this.#public]);
    addCounters(this.#counts, publicSkills, [this.#public], { withOthers: false });
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
    const method = methods.has(given) ? given : OTHER;
    const key = `${operation} ${method} ${status}`;
    const series = this.#series.get(key) ?? this.#requests.labels(routeOf(operation), method, String(status));
    this.#series.set(key, series);
    return series;
  }

  /** Contract: each event of the log is added once. */
  add(stored: StoredEvent): void {
    this.#counts.add(stored);
    const { event } = stored;
    if (event.type === "skill.script_executed")
      this.#scripts.observe({ outcome: outcomeOf(event) }, event.durationMs / 1000);
    if (event.type === "skill.tool_called")
      this.#tools.observe({ outcome: outcomeOf(event) }, event.durationMs / 1000);
  }

  /** Records a reload of the served folders. */
  noteReload(ms: number): void {
    this.#reloads.observe(ms / 1000);
  }

  /** Records a scan of the content guard. */
  noteGuard(ms: number, verdict: string): void {
    this.#guard.observe({ verdict }, ms / 1000);
  }

  noteWebhook(outcome: "delivered" | "failed"): void {
    this.#webhooks.inc({ outcome });
  }

  get type(): string {
    return this.#registry.contentType;
  }

  /** `public` leaves out every number that depends on skills that are not public. */
  read(scope: "all" | "public"): Promise<string> {
    return (scope === "all" ? this.#registry : this.#public).metrics();
  }
}

const methods = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]);

function addGauges(
  { countTokens, countSockets }: Measured,
  registers: Registry[],
  countRequests: () => number,
): void {
  const gauge = gaugeIn(registers);
  gauge("skillhold_http_requests_in_flight", "Running requests.", countRequests);
  gauge("skillhold_catalog_tokens", "Tokens of the catalogue with all public skills.", countTokens);
  gauge("skillhold_ws_clients", "Open WebSocket connections.", countSockets);
  gauge("skillhold_resident_memory_bytes", "Resident memory of the gateway process.", () =>
    process.memoryUsage.rss(),
  );
}

function addQuestions({ countQuestions }: Measured, registers: Registry[]): void {
  const gauge = gaugeIn(registers);
  gauge("skillhold_approvals_pending", "Approval requests without an answer.", countQuestions);
}

function gaugeIn(registers: Registry[]) {
  return (name: string, help: string, read: () => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await read());
      },
    });
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
    help: "Missing dependencies of skills.",
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

function addCounters(
  counts: EventCounts,
  read: ReadSkills,
  registers: Registry[],
  { withOthers = true }: { readonly withOthers?: boolean } = {},
): void {
  for (const [name, { help, labels }] of Object.entries(eventCounters))
    new Counter({
      name,
      help,
      labelNames: ["skill", ...labels],
      registers,
      async collect() {
        const named = namesIn(await read());
        this.reset();
        for (const { skill, labels: own, count } of counts.list().filter((each) => each.name === name))
          if (withOthers || named.has(skill))
            this.inc({ skill: named.has(skill) ? skill : OTHER, ...own }, count);
      },
    });
}

function namesIn(skills: readonly MeasuredSkill[]): ReadonlySet<string> {
  const ids = skills.filter(({ isPublic }) => isPublic).map(({ id }) => id);
  return new Set(ids.slice(0, MAX_LABELS));
}

/** Shares a running read, because all collectors run at once. */
function shared<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

type MeasuredPorts = Pick<GatewayContext, "library" | "skills" | "registry">;

/** A viewer who sees only public skills. */
const ANYONE = { runtime: "skillhold" } as const;

/** The metrics that are read from the library. */
export function measuredSkills(ports: MeasuredPorts): Pick<Measured, "listSkills" | "countTokens"> {
  const { library, registry } = ports;
  return {
    listSkills: () => listSkills(ports),
    countTokens: async () =>
      (await sessionCatalogue({}, { limits: registry.limits }, ANYONE, library)).tokens,
  };
}

async function listSkills({ library, skills }: MeasuredPorts): Promise<readonly MeasuredSkill[]> {
  return (await library.survey(ANYONE)).flatMap(({ entry, isVisible, reason }) => {
    const row = skills.findSnapshot(entry)?.current.skill;
    // A registry entry without a record was deleted after the survey.
    if (row === undefined && entry.revision !== undefined) return [];
    const {
      status,
      isEnabled,
      missing: { length: missing },
    } = row ?? {
      status: "active",
      isEnabled: reason !== "disabled",
      missing: [],
    };
    return [{ id: entry.id, isPublic: isVisible, status, isEnabled, missing }];
  });
}

/** The counters of log events, with their labels beside the skill. */
const eventCounters = {
  skillhold_skill_activations_total: {
    help: "Activations of skills, allowed and denied.",
    labels: ["source", "outcome"],
  },
  skillhold_skill_resource_reads_total: { help: "Reads of skill files.", labels: [] },
  skillhold_script_runs_total: { help: "Script runs.", labels: ["runtime", "outcome"] },
  skillhold_tool_calls_total: { help: "Skill tool calls.", labels: ["outcome"] },
  skillhold_skill_denials_total: { help: "Denied uses of skills.", labels: ["act"] },
  skillhold_guard_blocks_total: { help: "Releases that the content guard rejected.", labels: [] },
} as const;

type CounterName = keyof typeof eventCounters;

interface EventCount {
  readonly name: CounterName;
  /** Empty for an unknown skill. */
  readonly skill: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly count: number;
}

type Counted = Omit<EventCount, "count">;
type EndEvent = Extract<SkillEvent, { readonly type: "skill.script_executed" | "skill.tool_called" }>;

/** Counts the events of the log. All gateways of a registry have the same counts. */
class EventCounts {
  readonly #counts = new Map<string, Counted & { count: number }>();
  readonly #skills = new Set<string>();

  /** Contract: each event is added once. */
  add({ event }: StoredEvent): void {
    if ("skill" in event && event.type !== "skill.denied") this.#skills.add(event.skill);
    for (const counted of this.#countsOf(event)) {
      const key = JSON.stringify([counted.name, counted.skill, counted.labels]);
      const entry = this.#counts.get(key) ?? { ...counted, count: 0 };
      entry.count += 1;
      this.#counts.set(key, entry);
    }
  }

  list(): readonly EventCount[] {
    return [...this.#counts.values()];
  }

  #countsOf(event: SkillEvent): readonly Counted[] {
    switch (event.type) {
      case "skill.activated": {
        const labels = { source: event.source, outcome: "ok" };
        return [{ name: "skillhold_skill_activations_total", skill: event.skill, labels }];
      }
      case "skill.resource_read":
      case "skill.served":
        return [{ name: "skillhold_skill_resource_reads_total", skill: event.skill, labels: {} }];
      case "skill.script_executed": {
        const labels = { runtime: runtimeOf(event.target) ?? "other", outcome: outcomeOf(event) };
        return [{ name: "skillhold_script_runs_total", skill: event.skill, labels }];
      }
      case "skill.tool_called": {
        const labels = { outcome: outcomeOf(event) };
        return [{ name: "skillhold_tool_calls_total", skill: event.skill, labels }];
      }
      case "guard.blocked":
        return [{ name: "skillhold_guard_blocks_total", skill: event.skill, labels: {} }];
      case "skill.denied":
        return this.#countsOfDenial(event);
      default:
        return [];
    }
  }

  /** A denied id may not exist, so unknown ids are not stored. */
  #countsOfDenial({ skill: wanted, act }: Extract<SkillEvent, { type: "skill.denied" }>): readonly Counted[] {
    const skill = this.#skills.has(wanted) ? wanted : "";
    const denial = { name: "skillhold_skill_denials_total", skill, labels: { act } } as const;
    if (act !== "activate") return [denial];
    const labels = { source: "none", outcome: "denied" };
    return [denial, { name: "skillhold_skill_activations_total", skill, labels }];
  }
}

/** The outcome label of a run: `ok`, `failed`, or the reason that ended it. */
function outcomeOf(event: EndEvent): string {
  if (event.outcome !== "exited") return event.outcome;
  const isFailed = event.type === "skill.script_executed" ? event.exitCode !== 0 : event.isError;
  return isFailed ? "failed" : "ok";
}
