import { getCompileCacheDir } from "node:module";
import { dirname, join } from "node:path";
import type { DependencyManifest, Scan, ScanFile } from "@skillhold/core/dependency";
import { type CancelTimer, systemTimers, type Timers } from "@skillhold/core/port";
import { SkillError } from "@skillhold/protocol/error";
import { type Launched, launch } from "@skillhold/sandbox/backend";
import type { GuardFile, GuardReport, GuardScan } from "@skillhold/skill/guard";
// Only modules without parsers, which are large.
import { isScanned } from "../scan/file-type.ts";
import { DependencyTally } from "../scan/tally.ts";
import {
  ANSWERS,
  encodeMessage,
  REQUESTS,
  readMessages,
  type ScanAnswer,
  type ScanRequest,
} from "./scan-message.ts";

export interface ScanProcessOptions {
  /** The wall-clock limit per bundle. The default is well above the scanner's own limit. */
  readonly limitMs?: number;
  /** The time until an idle process ends, because the memory of its parsers does not shrink. */
  readonly idleMs?: number;
  readonly timers?: Timers;
  /** Starts the process. */
  readonly launch?: typeof launch;
}

/**
 * Scans skills for dependencies and capabilities in a process of its own, one at a time. The parsers are large, so the
 * process starts with the first skill and ends when idle. A skill that takes too long kills the process.
 *
 * Contract: the owner closes it.
 */
export class ScanProcess {
  readonly #limitMs: number;
  readonly #idleMs: number;
  readonly #timers: Timers;
  readonly #launch: typeof launch;
  readonly #closing = new AbortController();
  readonly #waiting = new Set<Waiting>();
  #isBusy = false;
  #child: Child | undefined;
  #idle: CancelTimer | undefined;

  constructor(options: ScanProcessOptions = {}) {
    this.#limitMs = options.limitMs ?? MAX_MILLISECONDS;
    this.#idleMs = options.idleMs ?? IDLE_MILLISECONDS;
    this.#timers = options.timers ?? systemTimers;
    this.#launch = options.launch ?? launch;
  }

  /** Finds dependencies. A bundle that takes too long has unknown ones. */
  readonly scan: Scan = async (files, { signal, ...options } = {}) => {
    const sent = files.map(({ path, bytes }) => ({ path, bytes: isScanned(path) ? bytes : undefined }));
    const outcome = await this.#ask({ kind: "dependencies", files: sent, options }, signal);
    if (outcome.kind === "value") {
      // This kind of request gets this kind of answer.
      return outcome.value as DependencyManifest;
    }
    if (outcome.kind === "killed") return unreadableManifest(files);
    throw new Error(outcome.problem);
  };

  /** Scans for findings and capabilities. Throws GUARD_FAILED when the scan fails, so that the skill is refused. */
  readonly guard: GuardScan = async (files, { name = "", signal } = {}) => {
    const outcome = await this.#ask({ kind: "guard", files, name }, signal);
    if (outcome.kind === "value") {
      // This kind of request gets this kind of answer.
      return outcome.value as GuardReport;
    }
    const reason =
      outcome.kind === "killed" ? `took longer than ${this.#limitMs} ms or was killed` : "failed";
    const cause = outcome.kind === "failed" ? { cause: new Error(outcome.problem) } : {};
    throw new SkillError("GUARD_FAILED", `The content guard ${reason} on ${name}.`, cause);
  };

  /** Ends the process. Pending scans reject with INTERRUPTED. */
  async close(): Promise<void> {
    this.#closing.abort();
    const child = this.#child;
    this.#end();
    await child?.launched.then(({ exited }) => exited).catch(() => undefined);
  }

  async #ask(request: ScanRequest, called: AbortSignal | undefined): Promise<Outcome> {
    const closing = this.#closing.signal;
    const signal = called === undefined ? closing : AbortSignal.any([called, closing]);
    await this.#turn(request.files, signal);
    try {
      return await this.#send(request, signal);
    } finally {
      this.#isBusy = false;
      this.#startNext();
    }
  }

  async #turn(files: readonly (ScanFile | GuardFile)[], signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw canceled(signal);
    const waiting = { size: sizeOf(files), turn: Promise.withResolvers<void>() };
    const cancel = () => {
      if (this.#waiting.delete(waiting)) waiting.turn.reject(canceled(signal));
    };
    signal.addEventListener("abort", cancel, { once: true });
    this.#waiting.add(waiting);
    this.#startNext();
    await waiting.turn.promise.finally(() => signal.removeEventListener("abort", cancel));
  }

  /**
   * Smallest bundle first: scan time is proportional to size, so small bundles do not wait behind large ones.
   */
  #startNext(): void {
    if (this.#isBusy) return;
    const [next] = [...this.#waiting].sort((a, b) => a.size - b.size);
    if (next === undefined) return;
    this.#isBusy = true;
    this.#waiting.delete(next);
    next.turn.resolve();
  }

  async #send(request: ScanRequest, signal: AbortSignal): Promise<Outcome> {
    if (signal.aborted) throw canceled(signal);
    this.#idle?.();
    this.#child ??= this.#start();
    const child = this.#child;
    const stop = Promise.withResolvers<Outcome>();
    const onAbort = () => stop.resolve({ kind: "killed" });
    const late = this.#timers.after(this.#limitMs, onAbort);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const outcome = await Promise.race([child.ask(request), stop.promise]);
      if (signal.aborted) throw canceled(signal);
      return outcome;
    } finally {
      late();
      signal.removeEventListener("abort", onAbort);
      if (child.isIdle) this.#idle = this.#timers.after(this.#idleMs, () => this.#end(child), BACKGROUND);
      else this.#end(child);
    }
  }

  #start(): Child {
    // Sources are TypeScript, and so are the workspace packages they import; published files are compiled.
    const isSource = import.meta.filename.endsWith(".ts");
    const main = join(import.meta.dirname, `scan-process-main.${isSource ? "ts" : "js"}`);
    const source = isSource
      ? ["--conditions=@skillhold/source", "--disable-warning=ExperimentalWarning"]
      : [];
    const argv = [process.execPath, `--max-old-space-size=${MAX_HEAP_MB}`, ...source, main] as const;
    return new Child(this.#launch([...argv], { env: compileCache(), pipes: [REQUESTS, ANSWERS] }));
  }

  #end(child = this.#child): void {
    this.#idle?.();
    child?.kill();
    if (this.#child === child) this.#child = undefined;
  }
}

/** The folder in which this process keeps compiled code, if any. Compiling the scanners takes longer than most scans. */
function compileCache(): Readonly<Record<string, string>> {
  const folder = getCompileCacheDir();
  // Node adds a folder for its version.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

const BACKGROUND = { isBackground: true } as const;
const MAX_MILLISECONDS = 30_000;
const IDLE_MILLISECONDS = 5_000;
const MAX_HEAP_MB = 1024;
const ANSWER_BYTES = 256 * 1024 * 1024;

type Outcome =
  | { readonly kind: "value"; readonly value: DependencyManifest | GuardReport }
  | { readonly kind: "failed"; readonly problem: string }
  | { readonly kind: "killed" };

/** One process, which answers one request at a time. */
class Child {
  readonly launched: Promise<Launched>;
  #pending: ((outcome: Outcome) => void) | undefined;
  #isOver = false;

  constructor(launched: Promise<Launched>) {
    this.launched = launched.then((process) => this.#connect(process));
    this.launched.catch(() => this.#settle({ kind: "killed" }));
  }

  get isIdle(): boolean {
    return this.#pending === undefined && !this.#isOver;
  }

  async ask(request: ScanRequest): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.#pending = resolve;
    const { pipe } = await this.launched;
    if (this.#isOver) return { kind: "killed" };
    pipe(REQUESTS).write(encodeMessage(request));
    return await promise;
  }

  kill(): void {
    this.#isOver = true;
    // A process that did not start needs no end.
    this.launched.then((process) => process.kill()).catch(() => {});
  }

  #connect(process: Launched): Launched {
    process.stdin.end();
    process.stdout.resume();
    process.stderr.resume();
    readMessages<ScanAnswer>(process.pipe(ANSWERS), ANSWER_BYTES, (answer) => {
      this.#settle(
        "value" in answer
          ? { kind: "value", value: answer.value }
          : { kind: "failed", problem: answer.problem },
      );
    });
    void process.exited.then(() => {
      this.#isOver = true;
      this.#settle({ kind: "killed" });
    });
    return process;
  }

  #settle(outcome: Outcome): void {
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.(outcome);
  }
}

interface Waiting {
  readonly size: number;
  readonly turn: PromiseWithResolvers<void>;
}

function sizeOf(files: readonly (ScanFile | GuardFile)[]): number {
  return files.reduce((sum, { path, bytes }) => sum + (isScanned(path) ? (bytes?.length ?? 0) : 0), 0);
}

function canceled(signal: AbortSignal): SkillError {
  return new SkillError("INTERRUPTED", "The scan was canceled.", { cause: signal.reason });
}

/** The manifest of a bundle that took too long, with a note for each file. */
function unreadableManifest(files: readonly ScanFile[]): DependencyManifest {
  const tally = new DependencyTally();
  for (const { path, bytes } of files) if (bytes !== undefined && isScanned(path)) tally.addUnparsed(path);
  return tally.manifest(new Set());
}
