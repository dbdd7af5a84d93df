import { closeSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import type {
  Collected,
  EnforcedLimits,
  LimitKind,
  RunLimits,
  SandboxExit,
  SandboxProcess,
} from "@skillhold/core/run";
import { defaultLimits } from "@skillhold/protocol/limits";
import { type Entry, endInit, leave } from "./bubblewrap-entry.ts";
import type { ControlGroup } from "./cgroup.ts";
import { collectFiles } from "./collect.ts";
import { exitOf } from "./exit.ts";
import type { Launched } from "./process.ts";

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
  readonly #entry: Entry;
  readonly #confinement: Confinement;
  #exceeded: LimitKind | undefined;
  #hasExited = false;
  #disposal: Promise<void> | undefined;

  constructor(launched: Launched, entry: Entry, confinement: Confinement) {
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
    const exit = exitOf(ending);
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
