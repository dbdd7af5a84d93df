import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type {
  Collected,
  EnforcedLimits,
  SandboxExit,
  SandboxProcess,
  SandboxSpec,
} from "@skillhold/core/run";
import { defaultLimits } from "@skillhold/protocol/limits";
import { collectFiles } from "./collect.ts";
import { exitOf } from "./exit.ts";
import type { Launched } from "./process.ts";

export interface HostRun {
  readonly spec: SandboxSpec;
  /** The host's folder that is the program's own. */
  readonly work: string;
  readonly enforced: EnforcedLimits;
  /** Takes away what was set up for the run. */
  readonly close: () => Promise<void>;
}

/** How long output is waited for after the end, which a process that got away may hold open for ever. */
const OUTPUT_MS = 500;

/** A program whose working folder is one of the host's, and whose end is that of its first process. */
export class HostProcess implements SandboxProcess {
  readonly stdin: SandboxProcess["stdin"];
  /** Apart from those of the process, so that they can end when those do not. */
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly channel: SandboxProcess["channel"];
  readonly enforced: EnforcedLimits;
  readonly exited: Promise<SandboxExit>;
  readonly #launched: Launched;
  readonly #run: HostRun;
  #disposal: Promise<void> | undefined;

  constructor(launched: Launched, run: HostRun) {
    this.#launched = launched;
    this.#run = run;
    this.stdin = launched.stdin;
    launched.stdout.pipe(this.stdout);
    launched.stderr.pipe(this.stderr);
    this.channel = run.spec.hasChannel ? { send: launched.pipe(3), receive: launched.pipe(4) } : undefined;
    this.enforced = run.enforced;
    this.exited = this.#finish();
  }

  kill(): void {
    this.#launched.kill();
  }

  collect(target: string): Promise<Collected> {
    const limits = { files: defaultLimits.bundleFiles, bytes: this.#run.spec.limits.diskBytes };
    return collectFiles(this.#run.work, target, limits);
  }

  dispose(): Promise<void> {
    this.#disposal ??= this.#dispose();
    return this.#disposal;
  }

  async #dispose(): Promise<void> {
    this.kill();
    await this.exited;
    await this.#run.close();
  }

  async #finish(): Promise<SandboxExit> {
    const exit = exitOf(await this.#launched.exited);
    this.#launched.killGroup();
    const isRead = await Promise.race([this.#launched.ended.then(() => true), sleep(OUTPUT_MS, false)]);
    if (!isRead) this.#letGo();
    if (exit.signal === "SIGXCPU") return { ...exit, exceeded: "cpu" };
    return exit.signal === "SIGXFSZ" ? { ...exit, exceeded: "disk" } : exit;
  }

  #letGo(): void {
    for (const name of ["stdout", "stderr"] as const) {
      this.#launched[name].unpipe().destroy();
      this[name].end();
    }
  }
}
