import { randomBytes } from "node:crypto";
import { closeSync } from "node:fs";
import { text } from "node:stream/consumers";
import { errorCodeOf } from "@skillhold/core/bundle";
import { systemTimers, type Timers } from "@skillhold/core/port";
import type {
  EnforcedLimits,
  Mount,
  RunLimits,
  Sandbox,
  SandboxProbe,
  SandboxProcess,
  SandboxSpec,
} from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";
import { EgressProxy, egressPrefix, egressRules, egressVariables } from "../egress/index.ts";
import { endInit, enter, type SandboxEntry } from "./bubblewrap-entry.ts";
import {
  bubblewrapOptions,
  control,
  gatePrefix,
  isBelow,
  leashPrefix,
  sandboxPaths,
  WORK,
} from "./bubblewrap-option.ts";
import { BubblewrapProcess, launchBlocked, launchBubblewrap } from "./bubblewrap-process.ts";
import { rejectCanceled } from "./cancel.ts";
import { type ControlGroup, type ControlGroups, findControlGroups, type GroupLimits } from "./cgroup.ts";
import { programEnvironment } from "./environment.ts";
import { type BubblewrapHost, currentHost, findBubblewrap } from "./find-bubblewrap.ts";
import { rejectReplaced } from "./mount-source.ts";
import type { Launched } from "./process.ts";
import { countsPerNamespace, hasResourceLimits, limitPrefix } from "./resource-limit.ts";
import { findPlace, type RunPlace } from "./run-place.ts";
import { preferForKill } from "./run-sample.ts";
import { findRuntime } from "./runtime.ts";
import { selfTest } from "./self-test.ts";
import { withOpenStages } from "./stage.ts";

export interface BubblewrapOptions {
  /** The path of bubblewrap; searched for when absent. */
  readonly bwrap?: string;
  readonly host?: BubblewrapHost;
  /** Control groups that limit a whole run; detected when absent, unused when null. */
  readonly groups?: ControlGroups | null;
  /** The machine's timers by default. */
  readonly timers?: Timers;
}

/** The Linux sandbox: namespaces, a minimal root folder, a system call filter and resource limits. */
export function bubblewrap(options: BubblewrapOptions = {}): Sandbox {
  return new Bubblewrap(options);
}

/** Precedes the program and its arguments. */
const OPTIONS_FROM_FILE = ["--args", String(control.options), "--"] as const;

/** A sandbox with a blocked program. */
interface BlockedRun {
  readonly launched: Launched;
  readonly entry: SandboxEntry;
  readonly group: ControlGroup | undefined;
  readonly openGate: () => void;
}

const PROBE_MS = 60 * 60 * 1000;

class Bubblewrap implements Sandbox {
  readonly id = "bubblewrap";
  readonly #options: BubblewrapOptions;
  #groups: ControlGroups | null | undefined;
  #probe: { readonly at: number; readonly answer: Promise<SandboxProbe> } | undefined;

  constructor(options: BubblewrapOptions) {
    this.#options = options;
    this.#groups = options.groups;
  }

  async probe(): Promise<SandboxProbe> {
    const now = Date.now();
    if (this.#probe === undefined || now - this.#probe.at > PROBE_MS) {
      this.#probe = { at: now, answer: this.#test() };
    }
    const answer = await this.#probe.answer;
    // A failed probe is not cached, because a missing part may be installed later.
    if (!answer.isAvailable) this.#probe = undefined;
    return answer;
  }

  async start(asked: SandboxSpec): Promise<SandboxProcess> {
    rejectCanceled(asked.signal);
    const program = this.#find();
    const egress = await openEgress(asked);
    const spec = egress?.spec ?? asked;
    const { argv, env } = spec.command(sandboxPaths(spec));
    const variables = programEnvironment(WORK, { ...egress?.variables, ...env });
    const place = await findPlace(spec);
    const release = async (): Promise<void> => {
      egress?.proxy.close();
      await place.release();
    };
    try {
      const countsProcesses = canCountProcesses(place);
      const limited = [...limitPrefix(spec.limits, countsProcesses), ...argv];
      const inner = [...gatePrefix, ...(egress?.prefix ?? []), ...limited];
      const command = [...leashPrefix, program, ...OPTIONS_FROM_FILE, ...inner] as const;
      const blocked = await this.#block(command, variables, spec, place);
      const confined = new BubblewrapProcess(blocked.launched, blocked.entry, {
        limits: spec.limits,
        hasChannel: spec.hasChannel,
        mountPoints: mountPoints(place.mounts),
        enforced: enforcedLimits(
          blocked.group === undefined ? undefined : this.#groups?.holds,
          countsProcesses,
        ),
        group: blocked.group,
        egress: egress?.proxy,
        timers: this.#options.timers ?? systemTimers,
        release,
      });
      blocked.openGate();
      if (egress !== undefined) await connectEgress(blocked.launched, egress.proxy, confined, spec.signal);
      return confined;
    } catch (error) {
      await release();
      throw error;
    }
  }

  /** Sets up the sandbox up to the start of the program. On failure, everything is cleaned up. */
  async #block(
    argv: readonly [string, ...string[]],
    variables: Readonly<Record<string, string>>,
    spec: SandboxSpec,
    place: RunPlace,
  ): Promise<BlockedRun> {
    let launched: Launched | undefined;
    let group = this.#makeGroup(spec.limits);
    let joined: Promise<ControlGroup | undefined> | undefined;
    const { user, mounts } = place;
    const enterSandbox = async (): Promise<BlockedRun> => {
      const marker = `/run/${randomBytes(16).toString("hex")}`;
      const options = bubblewrapOptions(spec, mounts, variables, { marker, isRoot: isRootRun(place) });
      const started = await launchBlocked(argv, options, spec, user);
      launched = started;
      joined = this.#join(started.pid, group);
      // Awaited below; this prevents an unhandled rejection until then.
      joined.catch(() => undefined);
      const join = async (pid: number): Promise<void> => {
        // The program inherits the value when bubblewrap starts it.
        preferForKill(pid);
        group = await joined;
        group = await this.#join(pid, group);
      };
      const entry = await enter(started, marker, join, spec.signal);
      rejectReplacedIn(entry, mounts);
      return { launched: started, entry, group, openGate: () => openGate(started) };
    };
    try {
      const sources = [spec.skill, ...mounts.map(({ source }) => source)];
      return await (user === undefined ? enterSandbox() : withOpenStages(sources, user.gid, enterSandbox));
    } catch (error) {
      launched?.kill();
      await launched?.ended;
      await joined?.catch(() => undefined);
      await group?.remove();
      throw error;
    }
  }

  #find(): string {
    return this.#options.bwrap ?? findBubblewrap(this.#options.host ?? currentHost());
  }

  #makeGroup(limits: RunLimits): ControlGroup | undefined {
    if (this.#groups === undefined) this.#groups = findControlGroups() ?? null;
    try {
      return this.#groups?.create(groupLimits(limits));
    } catch (error) {
      throw limitsFailed(error);
    }
  }

  /**
   * The kernel needs some milliseconds to move the first process and almost no time for the second. Moving
   * bubblewrap first hides that delay behind the sandbox setup.
   *
   * Control groups that fail here are not used again, and each run's record shows that.
   */
  async #join(pid: number, group: ControlGroup | undefined): Promise<ControlGroup | undefined> {
    try {
      await group?.add(pid);
      return group;
    } catch (error) {
      if (!NOT_OURS.has(errorCodeOf(error))) throw limitsFailed(error);
      await group?.remove();
      this.#groups = null;
      return undefined;
    }
  }

  async #test(): Promise<SandboxProbe> {
    try {
      const program = this.#find();
      const version = await readVersion(program);
      return judge({ id: this.id, isAvailable: true, version, network: "proxy", ...(await selfTest(this)) });
    } catch (error) {
      if (!(error instanceof SkillError)) throw error;
      const problem = { message: error.message, hint: error.hint };
      return { id: this.id, isAvailable: false, problem, checks: [], enforced: nothingEnforced };
    }
  }
}

function rejectReplacedIn({ init, work }: SandboxEntry, mounts: RunPlace["mounts"]): void {
  try {
    rejectReplaced(init.pid, mounts);
  } catch (error) {
    endInit(init);
    closeSync(work);
    throw error;
  }
}

function openGate(launched: Launched): void {
  launched.pipe(control.leash).end("done\n");
  launched.pipe(control.gate).end("\n");
}

/**
 * A sandbox with a failed check is unavailable. A limit that failed is only reported in each run's record.
 */
function judge(probe: SandboxProbe): SandboxProbe {
  const open = probe.checks.filter(({ name, isConfined }) => !isConfined && !name.startsWith("exceed-"));
  if (open.length === 0) return probe;
  const message = `Bubblewrap does not confine programs on this machine: ${open.map(({ title }) => title).join("; ")}.`;
  return {
    ...probe,
    isAvailable: false,
    problem: { message, hint: "Run `skillhold sandbox test` for details." },
  };
}

const NOT_OURS = new Set(["EACCES", "EPERM", "EROFS"]);

function limitsFailed(cause: unknown): SkillError {
  const message = `Setting the limits of the run failed (${errorCodeOf(cause)}).`;
  return new SkillError("SANDBOX_UNAVAILABLE", message, { cause });
}

/** The way out of a sandbox with a network. */
interface Egress {
  readonly proxy: EgressProxy;
  /** The run, with the interpreter that opens the way. */
  readonly spec: SandboxSpec;
  readonly prefix: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

async function openEgress(asked: SandboxSpec): Promise<Egress | undefined> {
  if (asked.network === "none") return undefined;
  const node = await findRuntime("node");
  const present = asked.runtimes ?? [];
  const added = node.mounts.filter(({ target }) => !present.some((mount) => mount.target === target));
  const spec = { ...asked, runtimes: [...present, ...added] };
  const prefix = egressPrefix(sandboxPaths(spec).of(node.program), control.egress);
  return { proxy: new EgressProxy(egressRules(asked.network)), spec, prefix, variables: egressVariables() };
}

/** Throws SANDBOX_UNAVAILABLE or INTERRUPTED when the way does not open; the program has not run then. */
async function connectEgress(
  launched: Launched,
  proxy: EgressProxy,
  confined: BubblewrapProcess,
  signal: AbortSignal | undefined,
): Promise<void> {
  const stop = (): void => confined.kill();
  signal?.addEventListener("abort", stop);
  try {
    const listener = await launched.handover();
    if (listener !== undefined) return proxy.attach(listener);
    const reason = (await text(launched.stderr)).trim().slice(0, 500);
    await confined.dispose();
    rejectCanceled(signal);
    throw new SkillError("SANDBOX_UNAVAILABLE", `The sandbox could not open its network proxy: ${reason}`, {
      hint: "Run without network, or run `skillhold sandbox test` for details.",
    });
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

/**
 * The kernel counts processes per user, newer kernels per user and namespace. It does not count root's
 * processes.
 */
function canCountProcesses(place: RunPlace): boolean {
  const isCounted = place.user?.isAlone === true || countsPerNamespace();
  return hasResourceLimits() && !isRootRun(place) && isCounted;
}

/** Whether the program is root on the host, without capabilities, because folders of root were granted to it. */
function isRootRun({ user }: RunPlace): boolean {
  return user === undefined && process.getuid?.() === 0;
}

function mountPoints(mounts: readonly Mount[]): ReadonlySet<string> {
  const inWork = mounts.filter(({ target }) => isBelow(target, WORK));
  return new Set(inWork.map(({ target }) => target.slice(WORK.length + 1)));
}

/**
 * The private folders are in memory and count as memory, so the limit includes room for both disks.
 * Bubblewrap and the first process add two processes to the run.
 */
function groupLimits({ memoryBytes, diskBytes, processes }: RunLimits): GroupLimits {
  return { memoryBytes: memoryBytes + 2 * diskBytes, processes: processes + 2 };
}

/** Contract: `holds` is undefined for a run without a group. */
function enforcedLimits(holds: ControlGroups["holds"] | undefined, countsProcesses: boolean): EnforcedLimits {
  return {
    wall: "run",
    output: "run",
    disk: "run",
    cpu: holds?.cpu === true ? "run" : "sampled",
    memory: holds?.memory === true ? "run" : "sampled",
    processes: holds?.processes === true || countsProcesses ? "run" : "none",
  };
}

const nothingEnforced: EnforcedLimits = {
  wall: "none",
  output: "none",
  disk: "none",
  cpu: "none",
  memory: "none",
  processes: "none",
};

async function readVersion(program: string): Promise<string> {
  const launched = await launchBubblewrap([program, "--version"]);
  return (await text(launched.stdout)).trim().replace(/^bubblewrap /, "");
}
