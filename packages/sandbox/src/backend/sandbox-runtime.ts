import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import type {
  EnforcedLimits,
  Network,
  Sandbox,
  SandboxPaths,
  SandboxProbe,
  SandboxSpec,
} from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";
import { isBelow } from "./bubblewrap-option.ts";
import { rejectCalledOff } from "./called-off.ts";
import { programEnvironment } from "./environment.ts";
import { HostProcess } from "./host-process.ts";
import { findSource } from "./mount-source.ts";
import { launch } from "./process.ts";
import { hasResourceLimits, limitPrefix } from "./resource-limit.ts";
import {
  type LiteralPath,
  type LoadedRuntime,
  loadSandboxRuntime,
  type RuntimeConfig,
} from "./sandbox-runtime-module.ts";
import { selfTest } from "./self-test.ts";
import { makeStage, removeStage } from "./stage.ts";

export interface SandboxRuntimePorts {
  readonly load: () => Promise<LoadedRuntime>;
  readonly platform: string;
  readonly isRoot: boolean;
}

/**
 * The sandbox of the package `@anthropic-ai/sandbox-runtime`: for macOS, and where a program may reach some hosts
 * and no others. It has one configuration for the whole process, takes a shell's text, and hands down all variables:
 * each run brings its own configuration, the text is made of quoted words, and the variables are ours.
 */
export function sandboxRuntime(ports: Partial<SandboxRuntimePorts> = {}): Sandbox {
  return new SandboxRuntime({
    load: loadSandboxRuntime,
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    ...ports,
  });
}

const PROBE_MS = 60 * 60 * 1000;
const SHELL = "/bin/bash";

class SandboxRuntime implements Sandbox {
  readonly id = "sandbox-runtime";
  readonly #ports: SandboxRuntimePorts;
  #runs = 0;
  /** What was asked of the manager last: it is one for the process, and is asked one thing at a time. */
  #turn: Promise<unknown> = Promise.resolve();
  #probe: { readonly at: number; readonly answer: Promise<SandboxProbe> } | undefined;

  constructor(ports: SandboxRuntimePorts) {
    this.#ports = ports;
  }

  probe(): Promise<SandboxProbe> {
    const now = Date.now();
    if (this.#probe === undefined || now - this.#probe.at > PROBE_MS) {
      this.#probe = { at: now, answer: this.#test() };
    }
    return this.#probe.answer;
  }

  async start(spec: SandboxSpec): Promise<HostProcess> {
    rejectRoot(this.#ports.isRoot);
    rejectCalledOff(spec.signal);
    for (const mount of spec.mounts) findSource(mount);
    const hosts = hostsOf(spec.network);
    const runtime = await this.#ports.load();
    rejectMissing(runtime, this.#ports.platform);
    const stage = await makeStage();
    const commandId = randomBytes(32).toString("hex");
    let isOpen = false;
    const close = async (): Promise<void> => {
      if (isOpen) await this.#close(runtime, commandId);
      await removeStage(stage);
    };
    try {
      const work = await realpath(await makeWork(stage));
      const { argv, env } = spec.command(pathsOf(spec, work));
      const config = configOf(spec, work, hosts, runtime.folder);
      isOpen = true;
      const command = [...limitPrefix(spec.limits, false), ...argv].map(quote).join(" ");
      const wrapped = await this.#open(runtime, commandId, hosts, () =>
        runtime.manager.wrapWithSandboxArgv(command, SHELL, config, undefined, work, { commandId }),
      );
      const launched = await launch([SHELL, ...wrapped.argv.slice(1)], {
        env: { ...programEnvironment(work, env), TMPDIR: work },
        cwd: work,
        pipes: spec.hasChannel ? [3, 4] : [],
        signal: spec.signal,
      });
      return new HostProcess(launched, { spec, work, enforced: enforcedLimits(), close });
    } catch (error) {
      await close();
      if (error instanceof SkillError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new SkillError("SANDBOX_UNAVAILABLE", `The sandbox could not be set up: ${reason}`, {
        cause: error,
      });
    }
  }

  /** The manager listens while there are runs and no longer, so that the process can end. */
  #open<T>(
    { manager }: LoadedRuntime,
    id: string,
    hosts: readonly string[],
    wrap: () => Promise<T>,
  ): Promise<T> {
    return this.#inTurn(async () => {
      this.#runs += 1;
      if (this.#runs === 1) await manager.initialize(closedConfig);
      if (hosts.length > 0) manager.registerCommandNetworkLists(id, { allowedDomains: hosts });
      return await wrap();
    });
  }

  #close({ manager }: LoadedRuntime, commandId: string): Promise<void> {
    return this.#inTurn(async () => {
      this.#runs -= 1;
      manager.unregisterCommandNetworkLists(commandId);
      manager.cleanupAfterCommand();
      if (this.#runs === 0) await manager.reset();
    });
  }

  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(action);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #test(): Promise<SandboxProbe> {
    try {
      return { id: this.id, isAvailable: true, ...(await selfTest(this)) };
    } catch (error) {
      if (!(error instanceof SkillError)) throw error;
      const problem = { message: error.message, hint: error.hint };
      return { id: this.id, isAvailable: false, problem, checks: [], enforced: nothingEnforced };
    }
  }
}

function rejectRoot(isRoot: boolean): void {
  if (!isRoot) return;
  throw new SkillError("SANDBOX_UNAVAILABLE", "As root, this sandbox leaves settings of the kernel open.", {
    hint: "Use bubblewrap, which runs programs as other users, or start Skillhold as an ordinary user.",
  });
}

function hostsOf(network: Network): readonly string[] {
  if (network === "none") return [];
  if (network !== "open") return network.hosts;
  throw new SkillError("SANDBOX_UNAVAILABLE", "This sandbox opens the network to named hosts alone.", {
    hint: "Name the hosts that the program needs.",
  });
}

function rejectMissing({ manager }: LoadedRuntime, platform: string): void {
  const isKnown = platform === "linux" || platform === "darwin";
  const problems = isKnown && manager.isSupportedPlatform() ? manager.checkDependencies().errors : [platform];
  if (problems.length === 0) return;
  throw new SkillError("SANDBOX_UNAVAILABLE", `The sandbox does not work here: ${problems.join("; ")}.`, {
    hint: platform === "linux" ? "Install bubblewrap, socat and ripgrep." : "Use Linux or macOS.",
  });
}

async function makeWork(stage: string): Promise<string> {
  const work = join(stage, "work");
  await mkdir(work, { mode: 0o700 });
  return work;
}

/** Nothing is moved: what is shown lies inside where it lies outside. */
function pathsOf(spec: SandboxSpec, work: string): SandboxPaths {
  const shown = [spec.skill, ...sourcesOf(spec), ...systemFolders()];
  return {
    skill: spec.skill,
    work,
    of: (hostPath) => {
      if (shown.some((folder) => isBelow(hostPath, folder))) return hostPath;
      throw new SkillError("INTERNAL", `${hostPath} is not in the sandbox.`, { details: { path: hostPath } });
    },
  };
}

function sourcesOf({ mounts, runtimes = [] }: SandboxSpec): readonly string[] {
  return [...runtimes, ...mounts].map((mount) => mount.source);
}

const SYSTEM = {
  linux: [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/dev",
    "/proc",
    "/etc/ld.so.cache",
    "/etc/alternatives",
  ],
  network: ["/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/etc/localtime", "/private/etc/ssl"],
  darwin: ["/System", "/Library", "/private/var/db/timezone", "/private/var/db/dyld", "/opt/homebrew"],
};

function systemFolders(): readonly string[] {
  return Object.values(SYSTEM)
    .flat()
    .filter((path) => existsSync(path));
}

const literal = (path: string): LiteralPath => ({ path, literal: true });

const closedConfig: RuntimeConfig = {
  network: { allowedDomains: [], deniedDomains: [] },
  filesystem: { denyRead: [literal("/")], allowRead: [], allowWrite: [], denyWrite: [] },
};

/** All reading is allowed unless it is denied: everything is, and what the program needs is allowed again. */
function configOf(spec: SandboxSpec, work: string, hosts: readonly string[], folder: string): RuntimeConfig {
  const writable = spec.mounts.filter((mount) => mount.isWritable).map((mount) => mount.source);
  const readOnly = sourcesOf(spec).filter((source) => !writable.includes(source));
  return {
    network: { allowedDomains: hosts, deniedDomains: [] },
    filesystem: {
      denyRead: [literal("/")],
      allowRead: [...systemFolders(), folder, spec.skill, work, ...sourcesOf(spec)].map(literal),
      allowWrite: [work, ...writable].map(literal),
      denyWrite: [spec.skill, ...readOnly].map(literal),
    },
  };
}

/** One word for the shell, whatever is in it: nothing is special between single quotes but the quote itself. */
export function quote(word: string): string {
  if (word.includes("\0")) throw new SkillError("CONFIG_INVALID", "An argument has a NUL character.");
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The package holds no limits; what is held is held by us and by the kernel for each process. */
function enforcedLimits(): EnforcedLimits {
  const each = hasResourceLimits() ? "process" : "none";
  return { wall: "run", output: "run", cpu: each, memory: each, disk: "none", processes: "none" };
}

const nothingEnforced: EnforcedLimits = {
  wall: "none",
  output: "none",
  cpu: "none",
  memory: "none",
  disk: "none",
  processes: "none",
};
