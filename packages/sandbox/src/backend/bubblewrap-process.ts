import { closeSync, constants, openSync } from "node:fs";
import { unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { errorCodeOf } from "@skillhold/core/bundle";
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
import { endInit, leave, type SandboxEntry } from "./bubblewrap-entry.ts";
import { control, groupFile, hostsFile, passwdFile } from "./bubblewrap-option.ts";
import type { ControlGroup } from "./cgroup.ts";
import { collectFiles } from "./collect.ts";
import { type Launched, type LaunchOptions, launch, sandboxExit } from "./process.ts";
import type { RunUser } from "./run-place.ts";
import { seccompFilter } from "./seccomp.ts";
import { makeStage, removeStage } from "./stage.ts";

export interface Confinement {
  readonly limits: RunLimits;
  readonly enforced: EnforcedLimits;
  readonly hasChannel: boolean;
  /** Paths in the working folder at which something of the host was mounted. */
  readonly mountPoints: ReadonlySet<string>;
  readonly group: ControlGroup | undefined;
  /** Gives back what else was taken for the run. */
  readonly release: () => Promise<void>;
}

const CPU_LOOK_MS = 100;

/** A program that runs in a sandbox of bubblewrap. */
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
  #exceeded: LimitKind | undefined;
  #hasExited = false;
  #disposal: Promise<void> | undefined;

  constructor(launched: Launched, entry: SandboxEntry, confinement: Confinement) {
    this.#launched = launched;
    this.#entry = entry;
    this.#confinement = confinement;
    this.stdin = launched.stdin;
    this.stdout = launched.stdout;
    this.stderr = launched.stderr;
    this.channel = confinement.hasChannel ? { send: launched.pipe(3), receive: launched.pipe(4) } : undefined;
    this.enforced = confinement.enforced;
    this.exited = this.#finish();
  }

  kill(): void {
    this.#launched.kill();
    // It dies with bubblewrap only from the moment on at which it has asked for that.
    endInit(this.#entry.init);
  }

  async collect(target: string): Promise<Collected> {
    if (!this.#hasExited || this.#disposal !== undefined) {
      throw new Error("Files are collected after the exit and before the disposal.");
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
    const look = setInterval(() => this.#watchProcessor(), CPU_LOOK_MS);
    look.unref();
    const ending = await this.#launched.ended;
    clearInterval(look);
    await leave(this.#entry.init);
    this.#hasExited = true;
    const exit = sandboxExit(ending);
    const exceeded = this.#findExceeded(exit);
    return exceeded === undefined ? exit : { ...exit, exceeded };
  }

  /** The kernel holds each process to its time alone; this holds them all together. */
  #watchProcessor(): void {
    const { group, limits } = this.#confinement;
    if ((group?.cpuMs() ?? 0) <= limits.cpuMs) return;
    this.#exceeded = "cpu";
    this.kill();
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

/** Starts bubblewrap with its options. It sets the sandbox up and holds the program back until it is told. */
export async function launchHeld(
  argv: readonly [string, ...string[]],
  options: readonly string[],
  { hasChannel, signal }: SandboxSpec,
  user: RunUser | undefined,
): Promise<Launched> {
  sealed ??= sealAll();
  const files = openAll(await sealed.catch(forget));
  try {
    const { gate, block, status, options: said } = control;
    const pipes = [...(hasChannel ? [3, 4] : []), gate, block, status, said];
    const who = user === undefined ? {} : { user: { uid: user.uid, gid: user.gid } };
    const launched = await launchBubblewrap(argv, { pipes, files, signal, ...who });
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
    // Its variables are readable inside, as those of the first process: it has none.
    return await launch(argv, { ...options, env: {} });
  } catch (error) {
    if (error instanceof SkillError) throw error;
    throw new SkillError("SANDBOX_UNAVAILABLE", `Bubblewrap could not be started (${errorCodeOf(error)}).`, {
      cause: error,
    });
  }
}

/** What every run gets, by descriptor. */
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

/** What failed once may work the next time. */
function forget(error: unknown): never {
  sealed = undefined;
  throw error;
}

/** Bytes that programs are handed as an open file. Nobody can change them: the file has no name any more. */
export interface SealedFile {
  /** A descriptor that starts at the beginning. Whoever gets it closes it. */
  open(): number;
}

/** Contract: made once for what is the same in every run; it is kept as long as this process lives. */
export async function sealFile(bytes: string | Uint8Array): Promise<SealedFile> {
  const stage = await makeStage();
  try {
    const path = join(stage, "file");
    await writeFile(path, bytes, { flag: "wx", mode: 0o400 });
    const anchor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    await unlink(path);
    // By way of its number it is opened anew: a descriptor that was handed on shares its place in the file.
    return { open: () => openSync(`/proc/self/fd/${anchor}`, "r") };
  } finally {
    await removeStage(stage);
  }
}

/** Opens all, or none. */
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
