import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import { errorCodeOf } from "../bundle/contain.ts";
import { collectFiles } from "./collect.ts";
import { programEnvironment } from "./environment.ts";
import { exitOf } from "./exit.ts";
import { type Launched, launch } from "./process.ts";
import { hasResourceLimits, limitPrefix } from "./resource-limit.ts";
import type {
  Collected,
  EnforcedLimits,
  RunLimits,
  Sandbox,
  SandboxExit,
  SandboxProcess,
  SandboxSpec,
} from "./sandbox.ts";
import { makeStage, removeStage } from "./stage.ts";

/**
 * No sandbox: the program does what its user can do. It has a scrubbed environment and a folder of its own, and
 * each of its processes is limited where the system can do that; the network and all files are open to it.
 */
export function unconfined(): Sandbox {
  const probe = async () =>
    ({ id: "none", isAvailable: true, checks: [], enforced: enforcedLimits() }) as const;
  return { id: "none", probe, start };
}

function enforcedLimits(): EnforcedLimits {
  const each = hasResourceLimits() ? "process" : "none";
  return { wall: "run", output: "run", cpu: each, memory: each, disk: "none", processes: "none" };
}

async function start(spec: SandboxSpec): Promise<SandboxProcess> {
  const stage = await makeStage();
  try {
    const work = join(stage, "work");
    await mkdir(work, { mode: 0o700 });
    const { argv, env } = spec.command({ skill: spec.skill, work, of: (path) => path });
    const [program, ...rest] = [...limitPrefix(spec.limits, false), ...argv];
    const options = {
      env: { ...programEnvironment(work, env), TMPDIR: work },
      cwd: work,
      pipes: spec.hasChannel ? [3, 4] : [],
    };
    const launched = await launch([program ?? argv[0], ...rest], options);
    return new UnconfinedProcess(launched, spec, stage, work);
  } catch (error) {
    await removeStage(stage);
    if (error instanceof SkillError) throw error;
    throw new SkillError("SANDBOX_UNAVAILABLE", `The program could not be started (${errorCodeOf(error)}).`, {
      hint: "Check that the program exists and can be run.",
      cause: error,
    });
  }
}

/** How long output is waited for after the end, which a process that got away may hold open for ever. */
const OUTPUT_MS = 500;

class UnconfinedProcess implements SandboxProcess {
  readonly stdin: SandboxProcess["stdin"];
  /** Apart from those of the process, so that they can end when those do not. */
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly channel: SandboxProcess["channel"];
  readonly enforced = enforcedLimits();
  readonly exited: Promise<SandboxExit>;
  readonly #launched: Launched;
  readonly #limits: RunLimits;
  readonly #stage: string;
  readonly #work: string;
  #disposal: Promise<void> | undefined;

  constructor(launched: Launched, spec: SandboxSpec, stage: string, work: string) {
    this.#launched = launched;
    this.#limits = spec.limits;
    this.#stage = stage;
    this.#work = work;
    this.stdin = launched.stdin;
    launched.stdout.pipe(this.stdout);
    launched.stderr.pipe(this.stderr);
    this.channel = spec.hasChannel ? { send: launched.pipe(3), receive: launched.pipe(4) } : undefined;
    this.exited = this.#finish();
  }

  kill(): void {
    this.#launched.kill();
  }

  collect(target: string): Promise<Collected> {
    const limits = { files: defaultLimits.bundleFiles, bytes: this.#limits.diskBytes };
    return collectFiles(this.#work, target, limits);
  }

  dispose(): Promise<void> {
    this.#disposal ??= this.#dispose();
    return this.#disposal;
  }

  async #dispose(): Promise<void> {
    this.kill();
    await this.exited;
    await removeStage(this.#stage);
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
