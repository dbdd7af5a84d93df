import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { SerialQueue } from "@skillhold/core/async";
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
import { rejectCanceled } from "./cancel.ts";
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
 * The sandbox of the package `@anthropic-ai/sandbox-runtime`, for macOS and for networks limited to named
 * hosts. The package has one configuration per process, takes shell text and passes on all variables. So each
 * run sets its own configuration, the text consists of quoted words, and the environment is ours.
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
  /** The last call to the manager, which exists once per process and handles one call at a time. */
  readonly #turns = new SerialQueue();
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
    rejectCanceled(spec.signal);
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
      const command = [...limitPrefix(spec.limits, false), ...argv].map(quoteShellWord).join(" ");
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
      throw new SkillError("SANDBOX_UNAVAILABLE", `Setting up the sandbox failed: ${reason}`, {
        cause: error,
      });
    }
  }

  /** Opens the manager with the first run and closes it after the last, so that the process can exit. */
  #open<T>(
    { manager }: LoadedRuntime,
    id: string,
    hosts: readonly string[],
    wrap: () => Promise<T>,
  ): Promise<T> {
    return this.#turns.run(async () => {
      this.#runs += 1;
      if (this.#runs === 1) await manager.initialize(closedConfig);
      if (hosts.length > 0) manager.registerCommandNetworkLists(id, { allowedDomains: hosts });
      return await wrap();
    });
  }

  #close({ manager }: LoadedRuntime, commandId: string): Promise<void> {
    return this.#turns.run(async () => {
      this.#runs -= 1;
      manager.unregisterCommandNetworkLists(commandId);
      manager.cleanupAfterCommand();
      if (this.#runs === 0) await manager.reset();
    });
  }

  async #test(): Promise<SandboxProbe> {
    try {
      return { id: this.id, isAvailable: true, network: "proxy", ...(await selfTest(this)) };
    } catch (error) {
      if (!(error instanceof SkillError)) throw error;
      const problem = { message: error.message, hint: error.hint };
      return { id: this.id, isAvailable: false, problem, checks: [], enforced: nothingEnforced };
    }
  }
}

function rejectRoot(isRoot: boolean): void {
  if (!isRoot) return;
  throw new SkillError(
    "SANDBOX_UNAVAILABLE",
    "Under root, the sandbox-runtime backend does not protect kernel settings.",
    {
      hint: "Use bubblewrap, which runs programs as other users, or start Skillhold as an ordinary user.",
    },
  );
}

function hostsOf(network: Network): readonly string[] {
  if (network === "none") return [];
  if (network !== "open") return network.hosts;
  throw new SkillError("SANDBOX_UNAVAILABLE", "The sandbox-runtime backend cannot open the whole network.", {
    hint: "List the hosts that the program needs.",
  });
}

function rejectMissing({ manager }: LoadedRuntime, platform: string): void {
  const isKnown = platform === "linux" || platform === "darwin";
  const problems = isKnown && manager.isSupportedPlatform() ? manager.checkDependencies().errors : [platform];
  if (problems.length === 0) return;
  throw new SkillError(
    "SANDBOX_UNAVAILABLE",
    `The sandbox-runtime backend does not work on this machine: ${problems.join("; ")}.`,
    {
      hint: platform === "linux" ? "Install bubblewrap, socat and ripgrep." : "Use Linux or macOS.",
    },
  );
}

async function makeWork(stage: string): Promise<string> {
  const work = join(stage, "work");
  await mkdir(work, { mode: 0o700 });
  return work;
}

/** Paths inside equal the paths on the host. */
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

/**
 * The package allows all reads by default, so everything is denied and the needed paths are allowed again.
 */
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

/** Quotes one shell word. Inside single quotes, only the single quote is special. */
export function quoteShellWord(word: string): string {
  if (word.includes("\0")) throw new SkillError("CONFIG_INVALID", "An argument has a NUL character.");
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The package enforces no limits; Skillhold and the kernel enforce them per process. */
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
