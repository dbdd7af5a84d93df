import { closeSync, constants, openSync } from "node:fs";
import { unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { errorCodeOf } from "@skillhold/core/bundle";
import type { Timers } from "@skillhold/core/port";
import type {
  Collected,
  EnforcedLimits,
  LimitKind,
  RunLimits,
  SandboxExit,
  SandboxProcess,
  SandboxSpec,
} from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import type { EgressProxy } from "../egress/index.ts";
import { endInit, type SandboxEntry, waitForEnd } from "./bubblewrap-entry.ts";
import { control, groupFile, hostsFile, passwdFile } from "./bubblewrap-option.ts";
import type { ControlGroup } from "./cgroup.ts";
import { collectFiles } from "./collect.ts";
import { type Launched, type LaunchOptions, launch, sandboxExit } from "./process.ts";
import type { RunUser } from "./run-place.ts";
import { CpuSample, exceedsInodes, exceedsMemory } from "./run-sample.ts";
import { seccompFilter } from "./seccomp.ts";
import { makeStage, removeStage } from "./stage.ts";

export interface Confinement {
  readonly limits: RunLimits;
  readonly enforced: EnforcedLimits;
  readonly hasChannel: boolean;
  /** Paths in the working folder where host folders are mounted. */
  readonly mountPoints: ReadonlySet<string>;
  readonly group: ControlGroup | undefined;
  /** Undefined without a network. */
  readonly egress: EgressProxy | undefined;
  readonly timers: Timers;
  /** Releases other resources of the run. */
  readonly release: () => Promise<void>;
}

const LOOK_MS = 100;

/** A program in a bubblewrap sandbox. */
export class BubblewrapProcess implements SandboxProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly channel: SandboxProcess["channel"];
  readonly enforced: EnforcedLimits;
  readonly exited: Promise<SandboxExit>;
  readonly #launched: Launched;
  readonly #entry: SandboxEntry;
  readonly #confinement: Confinement;
  readonly #cpu: CpuSample;
  #exceeded: LimitKind | undefined;
  #hasExited = false;
  #disposal: Promise<void> | undefined;

  constructor(launched: Launched, entry: SandboxEntry, confinement: Confinement) {
    this.#launched = launched;
    this.#entry = entry;
    this.#confinement = confinement;
    this.#cpu = new CpuSample(entry.init.pid);
    this.stdin = launched.stdin;
    this.stdout = launched.stdout;
    this.stderr = launched.stderr;
    this.channel = confinement.hasChannel ? { send: launched.pipe(3), receive: launched.pipe(4) } : undefined;
    this.enforced = confinement.enforced;
    this.exited = this.#finish();
  }

  kill(): void {
    this.#launched.kill();
    // The first process dies with bubblewrap only after it has requested that, so kill it too.
    endInit(this.#entry.init);
  }

  refusedHosts(): readonly string[] {
    return this.#confinement.egress?.refusedHosts() ?? [];
  }

  async collect(target: string): Promise<Collected> {
    if (!this.#hasExited || this.#disposal !== undefined) {
      throw new Error("Collect files after the exit and before the disposal.");
    }
    const { limits, mountPoints } = this.#confinement;
    const most = { files: defaultLimits.bundleFiles, bytes: limits.diskBytes };
    return await collectFiles(`/proc/self/fd/${this.#entry.work}`, target, most, mountPoints);
  }

  dispose(): Promise<void> {
    this.#disposal ??= this.#dispose();
    return this.#disposal;
  }

  async #dispose(): Promise<void> {
    this.kill();
    await this.exited;
    closeSync(this.#entry.work);
    await this.#confinement.group?.remove();
    await this.#confinement.release();
  }

  async #finish(): Promise<SandboxExit> {
    const stopWatching = this.#confinement.timers.every(LOOK_MS, () => this.#watch());
    const ending = await this.#launched.ended;
    stopWatching();
    await waitForEnd(this.#entry.init);
    this.#hasExited = true;
    const exit = sandboxExit(ending);
    const exceeded = this.#findExceeded(exit);
    return exceeded === undefined ? exit : { ...exit, exceeded };
  }

  /** The kernel limits the CPU time and memory of each process, and no number of files; this limits the totals. */
  #watch(): void {
    const exceeded = this.#findExceededNow();
    if (exceeded === undefined) return;
    this.#exceeded ??= exceeded;
    this.kill();
  }

  #findExceededNow(): LimitKind | undefined {
    const { group, limits, enforced } = this.#confinement;
    const { pid } = this.#entry.init;
    const cpuMs = enforced.cpu === "sampled" ? this.#cpu.ms() : (group?.cpuMs() ?? 0);
    if (cpuMs > limits.cpuMs) return "cpu";
    if (exceedsInodes([`/proc/self/fd/${this.#entry.work}`, `/proc/${pid}/root/tmp`])) return "disk";
    return enforced.memory === "sampled" && exceedsMemory(pid, limits.memoryBytes) ? "memory" : undefined;
  }

  #findExceeded({ signal }: SandboxExit): LimitKind | undefined {
    const { group, limits } = this.#confinement;
    if (group?.wasOutOfMemory() === true) return "memory";
    if (this.#exceeded !== undefined) return this.#exceeded;
    if (signal === "SIGXCPU") return "cpu";
    if (signal === "SIGXFSZ") return "disk";
    return signal === "SIGKILL" && (group?.cpuMs() ?? 0) >= limits.cpuMs ? "cpu" : undefined;
  }
}

/** Starts bubblewrap, which sets up the sandbox and blocks the program until the gate opens. */
export async function launchBlocked(
  argv: readonly [string, ...string[]],
  options: readonly string[],
  { hasChannel, network, signal }: SandboxSpec,
  user: RunUser | undefined,
): Promise<Launched> {
  sealed ??= sealAll();
  const files = openAll(await sealed.catch(forget));
  try {
    const { leash, gate, block, status, options: optionFile } = control;
    const pipes = [...(hasChannel ? [3, 4] : []), leash, gate, block, status, optionFile];
    const who = user === undefined ? {} : { user: { uid: user.uid, gid: user.gid } };
    const way = network === "none" ? {} : { handover: control.egress };
    const launched = await launchBubblewrap(argv, { pipes, files, signal, ...who, ...way });
    // Ends the rest of a failed setup, which has the output open.
    void launched.exited.then(() => launched.pipe(leash).destroy());
    launched.pipe(control.options).end(options.map((option) => `${option}\0`).join(""));
    return launched;
  } finally {
    for (const descriptor of Object.values(files)) closeSync(descriptor);
  }
}

export async function launchBubblewrap(
  argv: readonly [string, ...string[]],
  options: Omit<LaunchOptions, "env"> = {},
): Promise<Launched> {
  try {
    // Bubblewrap's variables are readable inside the sandbox through its first process, so its environment is empty.
    return await launch(argv, { ...options, env: {} });
  } catch (error) {
    if (error instanceof SkillError) throw error;
    throw new SkillError("SANDBOX_UNAVAILABLE", `Bubblewrap did not start (${errorCodeOf(error)}).`, {
      cause: error,
    });
  }
}

/** Files that every run receives, by descriptor. */
type SealedFiles = Readonly<Record<number, SealedFile>>;

let sealed: Promise<SealedFiles> | undefined;

async function sealAll(): Promise<SealedFiles> {
  const contents = [
    [control.seccomp, seccompFilter()],
    [control.passwd, passwdFile],
    [control.group, groupFile],
    [control.hosts, hostsFile],
  ] as const;
  const files = contents.map(async ([descriptor, bytes]) => [descriptor, await sealFile(bytes)] as const);
  return Object.fromEntries(await Promise.all(files));
}

/** A failure is not cached, because the next attempt may succeed. */
function forget(error: unknown): never {
  sealed = undefined;
  throw error;
}

/** Bytes that programs receive as an open file. The file has no name, so no other process can change it. */
export interface SealedFile {
  /** Returns a descriptor at the start of the file. The caller closes it. */
  open(): number;
}

/** Contract: called once per constant content. The file stays open while this process runs. */
export async function sealFile(bytes: string | Uint8Array): Promise<SealedFile> {
  const stage = await makeStage();
  try {
    const path = join(stage, "file");
    await writeFile(path, bytes, { flag: "wx", mode: 0o400 });
    const anchor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    await unlink(path);
    // Opens the file again by its number, because copies of a descriptor share one read position.
    return { open: () => openSync(`/proc/self/fd/${anchor}`, "r") };
  } finally {
    await removeStage(stage);
  }
}

/** Opens all files. If one fails, closes the others. */
export function openAll(files: Readonly<Record<number, SealedFile>>): Readonly<Record<number, number>> {
  const opened: Record<number, number> = {};
  try {
    for (const [place, file] of Object.entries(files)) opened[Number(place)] = file.open();
    return opened;
  } catch (error) {
    for (const descriptor of Object.values(opened)) closeSync(descriptor);
    throw error;
  }
}
