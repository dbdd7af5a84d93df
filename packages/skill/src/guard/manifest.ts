export interface GuardPlace {
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** What a skill can do, as its code and instructions show. Lists are sorted and without duplicates. */
export interface CapabilityManifest {
  readonly engine: string;
  readonly network: {
    readonly hosts: readonly string[];
    /** Whether code connects to a host that only a run can show. */
    readonly dynamic: boolean;
  };
  readonly env: {
    readonly names: readonly string[];
    /** Whether code reads the whole environment. */
    readonly all: boolean;
  };
  readonly reads: {
    readonly secretPaths: readonly string[];
    readonly home: boolean;
  };
  readonly writes: {
    readonly outsideWork: readonly string[];
    /** Files that steer agents, such as CLAUDE.md or ~/.codex. */
    readonly agentState: readonly string[];
  };
  readonly process: {
    readonly bins: readonly string[];
    readonly shell: boolean;
    /** Whether text becomes code while a script runs. */
    readonly dynamicCode: boolean;
  };
  /** Packages that code or instructions install, as `pip:requests`. */
  readonly installs: readonly string[];
  readonly downloads: { readonly urls: readonly string[] };
  /** Agent tools that the skill declares or names. */
  readonly tools: readonly string[];
  readonly prompt: {
    readonly override: boolean;
    readonly conceal: boolean;
    readonly hidden: boolean;
  };
  /** Places by capability, such as `network.hosts:api.example.com`. */
  readonly evidence: Readonly<Record<string, readonly GuardPlace[]>>;
  /** Bytes understood divided by all bytes, from 0 to 1. */
  readonly analyzability: number;
}

/** The capabilities that are lists, by their dotted names. */
export const listCapabilities = [
  "network.hosts",
  "env.names",
  "reads.secretPaths",
  "writes.outsideWork",
  "writes.agentState",
  "process.bins",
  "installs",
  "downloads.urls",
  "tools",
] as const;

/** The capabilities that are yes or no. */
export const flagCapabilities = [
  "network.dynamic",
  "env.all",
  "reads.home",
  "process.shell",
  "process.dynamicCode",
  "prompt.override",
  "prompt.conceal",
  "prompt.hidden",
] as const;

export type ListCapability = (typeof listCapabilities)[number];
export type FlagCapability = (typeof flagCapabilities)[number];

export function listOf(manifest: CapabilityManifest, key: ListCapability): readonly string[] {
  switch (key) {
    case "network.hosts":
      return manifest.network.hosts;
    case "env.names":
      return manifest.env.names;
    case "reads.secretPaths":
      return manifest.reads.secretPaths;
    case "writes.outsideWork":
      return manifest.writes.outsideWork;
    case "writes.agentState":
      return manifest.writes.agentState;
    case "process.bins":
      return manifest.process.bins;
    case "installs":
      return manifest.installs;
    case "downloads.urls":
      return manifest.downloads.urls;
    case "tools":
      return manifest.tools;
  }
}

export function flagOf(manifest: CapabilityManifest, key: FlagCapability): boolean {
  switch (key) {
    case "network.dynamic":
      return manifest.network.dynamic;
    case "env.all":
      return manifest.env.all;
    case "reads.home":
      return manifest.reads.home;
    case "process.shell":
      return manifest.process.shell;
    case "process.dynamicCode":
      return manifest.process.dynamicCode;
    case "prompt.override":
      return manifest.prompt.override;
    case "prompt.conceal":
      return manifest.prompt.conceal;
    case "prompt.hidden":
      return manifest.prompt.hidden;
  }
}

/** Short sentences for people, such as "can reach api.example.com". */
export function describeManifest(manifest: CapabilityManifest): readonly string[] {
  const lines: string[] = [];
  const list = (verb: string, values: readonly string[]) => {
    if (values.length > 0) lines.push(`${verb} ${values.join(", ")}`);
  };
  list("can reach", manifest.network.hosts);
  if (manifest.network.dynamic) lines.push("can reach hosts that only a run can show");
  list(
    "reads",
    manifest.env.names.map((name) => `$${name}`),
  );
  if (manifest.env.all) lines.push("reads the whole environment");
  list("reads the secret files", manifest.reads.secretPaths);
  if (manifest.reads.home) lines.push("uses the home folder");
  list("writes", manifest.writes.outsideWork);
  list("writes agent settings in", manifest.writes.agentState);
  list("runs", manifest.process.bins);
  if (manifest.process.shell) lines.push("runs shell command lines");
  if (manifest.process.dynamicCode) lines.push("turns text into code at run time");
  list("installs", manifest.installs);
  list("downloads", manifest.downloads.urls);
  list("names the tools", manifest.tools);
  if (manifest.prompt.override) lines.push("asks the agent to ignore other instructions");
  if (manifest.prompt.conceal) lines.push("asks the agent to hide actions from the user");
  if (manifest.prompt.hidden) lines.push("has text that people cannot see");
  return lines;
}

const MAX_PLACES = 5;
const MAX_VALUES = 500;
const MAX_VALUE_LENGTH = 300;

/** Collects capabilities while a skill is read. */
export class ManifestBuilder {
  readonly #lists = new Map<ListCapability, Set<string>>();
  readonly #flags = new Set<FlagCapability>();
  readonly #evidence = new Map<string, GuardPlace[]>();

  add(key: ListCapability, value: string, place: GuardPlace): void {
    if (value === "" || value.length > MAX_VALUE_LENGTH) return;
    const values = this.#lists.get(key) ?? new Set<string>();
    if (values.size >= MAX_VALUES && !values.has(value)) return;
    this.#lists.set(key, values.add(value));
    this.#see(`${key}:${value}`, place);
  }

  set(key: FlagCapability, place: GuardPlace): void {
    this.#flags.add(key);
    this.#see(key, place);
  }

  has(key: FlagCapability): boolean {
    return this.#flags.has(key);
  }

  build(engine: string, analyzability: number): CapabilityManifest {
    const list = (key: ListCapability) => [...(this.#lists.get(key) ?? [])].sort();
    const flag = (key: FlagCapability) => this.#flags.has(key);
    return {
      engine,
      network: { hosts: list("network.hosts"), dynamic: flag("network.dynamic") },
      env: { names: list("env.names"), all: flag("env.all") },
      reads: { secretPaths: list("reads.secretPaths"), home: flag("reads.home") },
      writes: { outsideWork: list("writes.outsideWork"), agentState: list("writes.agentState") },
      process: {
        bins: list("process.bins"),
        shell: flag("process.shell"),
        dynamicCode: flag("process.dynamicCode"),
      },
      installs: list("installs"),
      downloads: { urls: list("downloads.urls") },
      tools: list("tools"),
      prompt: {
        override: flag("prompt.override"),
        conceal: flag("prompt.conceal"),
        hidden: flag("prompt.hidden"),
      },
      evidence: Object.fromEntries([...this.#evidence].sort(([a], [b]) => (a < b ? -1 : 1))),
      analyzability,
    };
  }

  #see(key: string, place: GuardPlace): void {
    const places = this.#evidence.get(key) ?? [];
    const isKnown = places.some(({ file, line }) => file === place.file && line === place.line);
    if (places.length < MAX_PLACES && !isKnown) places.push({ file: place.file, line: place.line });
    this.#evidence.set(key, places);
  }
}

/** A manifest without any capability. */
export function emptyManifest(engine: string): CapabilityManifest {
  return new ManifestBuilder().build(engine, 1);
}
