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
import { type Entry, enter } from "./bubblewrap-entry.ts";
import { launchBubblewrap, launchHeld } from "./bubblewrap-launch.ts";
import { bubblewrapOptions, control, gatePrefix, isBelow, WORK } from "./bubblewrap-option.ts";
import { BubblewrapProcess } from "./bubblewrap-process.ts";
import { rejectCalledOff } from "./called-off.ts";
import { type ControlGroup, type ControlGroups, findControlGroups, type GroupLimits } from "./cgroup.ts";
import { programEnvironment } from "./environment.ts";
import { type BubblewrapHost, currentHost, findBubblewrap } from "./find-bubblewrap.ts";
import type { Launched } from "./process.ts";
import { countsPerNamespace, hasResourceLimits, limitPrefix } from "./resource-limit.ts";
import { findPlace, type RunPlace } from "./run-place.ts";
import { sandboxPaths } from "./sandbox-path.ts";
import { selfTest } from "./self-test.ts";
import { withOpenStages } from "./stage.ts";

export interface BubblewrapOptions {
  /** Where bubblewrap is, when it is not to be looked for. */
  readonly bwrap?: string;
  readonly host?: BubblewrapHost;
  /** Groups that hold limits for a whole run; looked for unless given. Null: do without. */
  readonly groups?: ControlGroups | null;
}

/** Linux: namespaces, a root that holds only what was named, a system call filter and resource limits. */
export function bubblewrap(options: BubblewrapOptions = {}): Sandbox {
  return new Bubblewrap(options);
}

/** Comes before the program and its arguments. */
const HELD = ["--args", String(control.options), "--"] as const;

/** A sandbox in which the program waits. */
interface Held {
  readonly launched: Launched;
  readonly entry: Entry;
  readonly group: ControlGroup | undefined;
  readonly letGo: () => void;
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
    // What is missing may be there the next time.
    if (!answer.isAvailable) this.#probe = undefined;
    return answer;
  }

  async start(spec: SandboxSpec): Promise<SandboxProcess> {
    rejectCalledOff(spec.signal);
    const program = this.#find();
    rejectHosts(spec.network);
    const { argv, env } = spec.command(sandboxPaths(spec));
    const variables = programEnvironment(WORK, env);
    const place = await findPlace(spec);
    try {
      const countsProcesses = canCountProcesses(place);
      const inner = [...gatePrefix, ...limitPrefix(spec.limits, countsProcesses), ...argv];
      const held = await this.#hold([program, ...HELD, ...inner], variables, spec, place);
      const confined = new BubblewrapProcess(held.launched, held.entry, {
        limits: spec.limits,
        hasChannel: spec.hasChannel,
        mountPoints: mountPoints(place.mounts),
        enforced: enforcedLimits(held.group !== undefined, countsProcesses),
        group: held.group,
        release: place.release,
      });
      held.letGo();
      return confined;
    } catch (error) {
      await place.release();
      throw error;
    }
  }

  /** Sets the sandbox up, up to the moment at which the program starts. When it cannot, nothing is left of it. */
  async #hold(
    argv: readonly [string, ...string[]],
    variables: Readonly<Record<string, string>>,
    spec: SandboxSpec,
    place: RunPlace,
  ): Promise<Held> {
    let launched: Launched | undefined;
    let group = this.#makeGroup(spec.limits);
    let joined: Promise<ControlGroup | undefined> | undefined;
    const { user, mounts } = place;
    const enterSandbox = async (): Promise<Held> => {
      const marker = `/run/${randomBytes(16).toString("hex")}`;
      const options = bubblewrapOptions(spec, mounts, variables, marker);
      const started = await launchHeld(argv, options, spec, user);
      launched = started;
      joined = this.#join(started.pid, group);
      // Waited for below; until then a failure is nobody's yet.
      joined.catch(() => undefined);
      const join = async (pid: number): Promise<void> => {
        group = await joined;
        group = await this.#join(pid, group);
      };
      const entry = await enter(started, marker, join, spec.signal);
      return { launched: started, entry, group, letGo: () => letGo(started) };
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
      throw notHeld(error);
    }
  }

  /**
   * The kernel takes some milliseconds for the first process that is moved and next to nothing for the second: it
   * has got over it with bubblewrap itself when the first process of the sandbox is there.
   *
   * Groups that turn out not to be ours to use are done without from then on, and each run's record says so.
   */
  async #join(pid: number, group: ControlGroup | undefined): Promise<ControlGroup | undefined> {
    try {
      await group?.add(pid);
      return group;
    } catch (error) {
      if (!NOT_OURS.has(errorCodeOf(error))) throw notHeld(error);
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

function letGo(launched: Launched): void {
  launched.pipe(control.block).end("x");
  launched.pipe(control.gate).end("\n");
}

/** A sandbox out of which something got is none. A limit that does not hold is told in the record of each run. */
function judge(probe: SandboxProbe): SandboxProbe {
  const open = probe.checks.filter(({ name, isConfined }) => !isConfined && !name.startsWith("exceed-"));
  if (open.length === 0) return probe;
  const message = `Bubblewrap does not confine here: ${open.map(({ title }) => title).join("; ")}.`;
  return {
    ...probe,
    isAvailable: false,
    problem: { message, hint: "Run `skillhold sandbox test` for details." },
  };
}

const NOT_OURS = new Set(["EACCES", "EPERM", "EROFS"]);

function notHeld(cause: unknown): SkillError {
  const message = `The limits of the run could not be set (${errorCodeOf(cause)}).`;
  return new SkillError("SANDBOX_UNAVAILABLE", message, { cause });
}

function rejectHosts(network: Network): void {
  if (typeof network === "string") return;
  throw new SkillError("SANDBOX_UNAVAILABLE", "Bubblewrap cannot open the network to some hosts alone.", {
    hint: "Use the sandbox-runtime backend, which has a list of hosts, or ask for no network.",
  });
}

/** The kernel counts by user, and in newer ones by user and namespace. As root it does not count. */
function canCountProcesses({ user }: RunPlace): boolean {
  const isRoot = user === undefined && process.getuid?.() === 0;
  return hasResourceLimits() && !isRoot && (user?.isAlone === true || countsPerNamespace());
}

function mountPoints(mounts: readonly Mount[]): ReadonlySet<string> {
  const inWork = mounts.filter(({ target }) => isBelow(target, WORK));
  return new Set(inWork.map(({ target }) => target.slice(WORK.length + 1)));
}

/**
 * The private folders lie in memory and are counted as such: without room for both, a program that fills its disk
 * would be ended for its memory. Bubblewrap and the first process of the sandbox are two that the run did not ask for.
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
