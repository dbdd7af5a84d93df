import { randomBytes } from "node:crypto";
import { text } from "node:stream/consumers";
import { errorCodeOf } from "@skillhold/core/bundle";
import type {
  EnforcedLimits,
  Mount,
  Network,
  RunLimits,
  Sandbox,
  SandboxProbe,
  SandboxProcess,
  SandboxSpec,
} from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";
import { enter, type SandboxEntry } from "./bubblewrap-entry.ts";
import { bubblewrapOptions, control, gatePrefix, isBelow, sandboxPaths, WORK } from "./bubblewrap-option.ts";
import { BubblewrapProcess, launchBlocked, launchBubblewrap } from "./bubblewrap-process.ts";
import { rejectCanceled } from "./cancel.ts";
import { type ControlGroup, type ControlGroups, findControlGroups, type GroupLimits } from "./cgroup.ts";
import { programEnvironment } from "./environment.ts";
import { type BubblewrapHost, currentHost, findBubblewrap } from "./find-bubblewrap.ts";
import type { Launched } from "./process.ts";
import { countsPerNamespace, hasResourceLimits, limitPrefix } from "./resource-limit.ts";
import { findPlace, type RunPlace } from "./run-place.ts";
import { selfTest } from "./self-test.ts";
import { withOpenStages } from "./stage.ts";

export interface BubblewrapOptions {
  /** The path of bubblewrap; searched for when absent. */
  readonly bwrap?: string;
  readonly host?: BubblewrapHost;
  /** Control groups that limit a whole run; detected when absent, unused when null. */
  readonly groups?: ControlGroups | null;
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

  async start(spec: SandboxSpec): Promise<SandboxProcess> {
    rejectCanceled(spec.signal);
    const program = this.#find();
    rejectHosts(spec.network);
    const { argv, env } = spec.command(sandboxPaths(spec));
    const variables = programEnvironment(WORK, env);
    const place = await findPlace(spec);
    try {
      const countsProcesses = canCountProcesses(place);
      const inner = [...gatePrefix, ...limitPrefix(spec.limits, countsProcesses), ...argv];
      const blocked = await this.#block([program, ...OPTIONS_FROM_FILE, ...inner], variables, spec, place);
      const confined = new BubblewrapProcess(blocked.launched, blocked.entry, {
        limits: spec.limits,
        hasChannel: spec.hasChannel,
        mountPoints: mountPoints(place.mounts),
        enforced: enforcedLimits(blocked.group !== undefined, countsProcesses),
        group: blocked.group,
        release: place.release,
      });
      blocked.openGate();
      return confined;
    } catch (error) {
      await place.release();
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
      const options = bubblewrapOptions(spec, mounts, variables, marker);
      const started = await launchBlocked(argv, options, spec, user);
      launched = started;
      joined = this.#join(started.pid, group);
      // Awaited below; this prevents an unhandled rejection until then.
      joined.catch(() => undefined);
      const join = async (pid: number): Promise<void> => {
        group = await joined;
        group = await this.#join(pid, group);
      };
      const entry = await enter(started, marker, join, spec.signal);
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
      return judge({ id: this.id, isAvailable: true, version, ...(await selfTest(this)) });
    } catch (error) {
      if (!(error instanceof SkillError)) throw error;
      const problem = { message: error.message, hint: error.hint };
      return { id: this.id, isAvailable: false, problem, checks: [], enforced: nothingEnforced };
    }
  }
}

function openGate(launched: Launched): void {
  launched.pipe(control.block).end("x");
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

function rejectHosts(network: Network): void {
  if (typeof network === "string") return;
  throw new SkillError("SANDBOX_UNAVAILABLE", "Bubblewrap cannot limit the network to a list of hosts.", {
    hint: "Use the sandbox-runtime backend, which supports a list of hosts, or run without network.",
  });
}

/**
 * The kernel counts processes per user, newer kernels per user and namespace. It does not count root's
 * processes.
 */
function canCountProcesses({ user }: RunPlace): boolean {
  const isRoot = user === undefined && process.getuid?.() === 0;
  return hasResourceLimits() && !isRoot && (user?.isAlone === true || countsPerNamespace());
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

function enforcedLimits(hasGroup: boolean, countsProcesses: boolean): EnforcedLimits {
  const each = hasResourceLimits() ? "process" : "none";
  return {
    wall: "run",
    output: "run",
    disk: "run",
    cpu: hasGroup ? "run" : each,
    memory: hasGroup ? "run" : each,
    processes: hasGroup || countsProcesses ? "run" : "none",
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
