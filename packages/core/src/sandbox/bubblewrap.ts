import { randomBytes } from "node:crypto";
import { text } from "node:stream/consumers";
import { SkillError } from "@skillhold/protocol/error";
import { errorCodeOf } from "../bundle/contain.ts";
import { enter } from "./bubblewrap-entry.ts";
import { bubblewrapOptions, control, groupFile, hostsFile, passwdFile, WORK } from "./bubblewrap-option.ts";
import { BubblewrapProcess } from "./bubblewrap-process.ts";
import { type ControlGroup, type ControlGroups, findControlGroups, type GroupLimits } from "./cgroup.ts";
import { programEnvironment } from "./environment.ts";
import { type BubblewrapHost, currentHost, findBubblewrap } from "./find-bubblewrap.ts";
import { type Launched, type LaunchOptions, launch } from "./process.ts";
import { countsPerNamespace, hasResourceLimits, limitPrefix } from "./resource-limit.ts";
import type {
  EnforcedLimits,
  Network,
  RunLimits,
  Sandbox,
  SandboxProbe,
  SandboxProcess,
  SandboxSpec,
} from "./sandbox.ts";
import { sandboxPaths } from "./sandbox-path.ts";
import { seccompFilter } from "./seccomp.ts";
import { selfTest } from "./self-test.ts";
import { type PoolUser, takeUser } from "./user-pool.ts";

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
    const program = this.#find();
    rejectHosts(spec.network);
    const { argv, env } = spec.command(sandboxPaths(spec));
    // What was granted of the host belongs to us: only as ourselves can the program reach it.
    const user = isRoot() && spec.mounts.length === 0 ? takeUser() : undefined;
    const countsProcesses =
      hasResourceLimits() && (user !== undefined || (!isRoot() && countsPerNamespace()));
    let launched: Launched | undefined;
    let group: ControlGroup | undefined;
    try {
      const marker = `/run/${randomBytes(16).toString("hex")}`;
      const options = bubblewrapOptions(spec, programEnvironment(WORK, env), marker);
      const inner = [...limitPrefix(spec.limits, countsProcesses), ...argv];
      launched = await launchHeld([program, "--args", String(control.options), "--", ...inner], spec, user);
      feed(launched, options);
      group = this.#makeGroup(spec.limits);
      const entry = await enter(launched, marker, async (pid) => {
        group = await this.#join(pid, group);
      });
      const enforced = enforcedLimits(group !== undefined, countsProcesses);
      const release = (): void => user?.release();
      const { limits, hasChannel } = spec;
      const confined = new BubblewrapProcess(launched, entry, {
        limits,
        hasChannel,
        enforced,
        group,
        release,
      });
      launched.pipe(control.block).end("x");
      return confined;
    } catch (error) {
      launched?.kill();
      await launched?.ended;
      await group?.remove();
      user?.release();
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

  /** Groups that turn out not to be ours to use are done without from then on, and each run's record says so. */
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

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

async function launchHeld(
  argv: readonly [string, ...string[]],
  spec: SandboxSpec,
  user: PoolUser | undefined,
): Promise<Launched> {
  const pipes = [...(spec.hasChannel ? [3, 4] : []), ...Object.values(control)];
  const who = user === undefined ? {} : { user: { uid: user.uid, gid: user.gid } };
  return await launchBubblewrap(argv, { pipes, ...who });
}

async function launchBubblewrap(
  argv: readonly [string, ...string[]],
  options: Omit<LaunchOptions, "env"> = {},
): Promise<Launched> {
  try {
    // Its variables are readable inside, as those of the first process: it has none.
    return await launch(argv, { ...options, env: {} });
  } catch (error) {
    throw new SkillError("SANDBOX_UNAVAILABLE", `Bubblewrap could not be started (${errorCodeOf(error)}).`, {
      cause: error,
    });
  }
}

function feed(launched: Launched, options: readonly string[]): void {
  const send = (descriptor: number, data: string | Uint8Array): void => {
    launched.pipe(descriptor).end(data);
  };
  send(control.options, options.map((option) => `${option}\0`).join(""));
  send(control.seccomp, seccompFilter());
  send(control.passwd, passwdFile);
  send(control.group, groupFile);
  send(control.hosts, hostsFile);
}

/**
 * The private folders lie in memory and are counted as such: without room for both, a program that fills its disk
 * would be ended for its memory. The first process of the sandbox is one that the run did not ask for.
 */
function groupLimits({ memoryBytes, diskBytes, processes }: RunLimits): GroupLimits {
  return { memoryBytes: memoryBytes + 2 * diskBytes, processes: processes + 1 };
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
