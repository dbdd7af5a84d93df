import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { DependencyManifest, Scan, ScanFile } from "@skillhold/core/dependency";
import { SkillError } from "@skillhold/protocol/error";
import { isScanned, unreadable } from "../scan/scan.ts";
import type { ScanRequest } from "./scan-thread-main.ts";

export interface ScanThreadOptions {
  /** How long a bundle may take, by the clock; twice what the scanner allows itself, unless the machine is busy. */
  readonly limitMs?: number;
  /** How long the thread is kept for another bundle: the memory of its parsers does not shrink. */
  readonly idleMs?: number;
}

/**
 * The scanner in a thread of its own, so that no bundle keeps a process from its other work. The thread starts with the
 * first bundle, holds no process open, and ends when no other comes for a while. A bundle that takes too long ends with it.
 */
export class ScanThread {
  readonly #limitMs: number;
  readonly #idleMs: number;
  readonly #closing = new AbortController();
  readonly #waiting = new Set<Waiting>();
  #isBusy = false;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #ended: Promise<void> = Promise.resolve();

  constructor({ limitMs = MAX_MILLISECONDS, idleMs = IDLE_MILLISECONDS }: ScanThreadOptions = {}) {
    this.#limitMs = limitMs;
    this.#idleMs = idleMs;
  }

  readonly scan: Scan = async (files, { signal: called, ...options } = {}) => {
    const closing = this.#closing.signal;
    const signal = called === undefined ? closing : AbortSignal.any([called, closing]);
    await this.#turn(files, signal);
    try {
      return await this.#ask({ files, options }, signal);
    } finally {
      this.#isBusy = false;
      this.#giveTurn();
    }
  };

  /** Ends the thread; who waits for it is told so. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#end();
    await this.#ended;
  }

  async #turn(files: readonly ScanFile[], signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw calledOff(signal);
    const waiting = { size: sizeOf(files), turn: Promise.withResolvers<void>() };
    const leave = () => {
      if (this.#waiting.delete(waiting)) waiting.turn.reject(calledOff(signal));
    };
    signal.addEventListener("abort", leave, { once: true });
    this.#waiting.add(waiting);
    this.#giveTurn();
    await waiting.turn.promise.finally(() => signal.removeEventListener("abort", leave));
  }

  /** The smallest first: time is in proportion to the bytes, and nobody is to wait long behind one who sends many. */
  #giveTurn(): void {
    if (this.#isBusy) return;
    const [next] = [...this.#waiting].sort((a, b) => a.size - b.size);
    if (next === undefined) return;
    this.#isBusy = true;
    this.#waiting.delete(next);
    next.turn.resolve();
  }

  async #ask(request: ScanRequest, signal: AbortSignal): Promise<DependencyManifest> {
    if (signal.aborted) throw calledOff(signal);
    clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const late = AbortSignal.timeout(this.#limitMs);
    try {
      worker.ref();
      post(worker, request);
      const [manifest] = await once(worker, "message", { signal: AbortSignal.any([signal, late]) });
      worker.unref();
      this.#idle = setTimeout(() => this.#end(), this.#idleMs).unref();
      // The thread sends nothing else.
      return manifest as DependencyManifest;
    } catch (error) {
      this.#end();
      await worker.terminate();
      if (signal.aborted) throw calledOff(signal);
      if (late.aborted || isExhausted(error)) return unreadable(request.files);
      throw error;
    }
  }

  #start(): Worker {
    // The sources are TypeScript, and so are those of the packages that they name; what is published has been compiled.
    const isSource = import.meta.filename.endsWith(".ts");
    const worker = new Worker(join(import.meta.dirname, `scan-thread-main.${isSource ? "ts" : "js"}`), {
      name: "dependency-scan",
      env: {},
      execArgv: isSource ? ["--conditions=@skillhold/source", "--disable-warning=ExperimentalWarning"] : [],
    });
    worker.unref();
    // A thread that ends while nobody waits for it is replaced for the next bundle.
    worker.on("error", () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }

  #end(): void {
    clearTimeout(this.#idle);
    this.#ended = Promise.all([this.#ended, this.#worker?.terminate()]).then(() => {});
    this.#worker = undefined;
  }
}

const MAX_MILLISECONDS = 30_000;
const IDLE_MILLISECONDS = 60_000;

interface Waiting {
  readonly size: number;
  readonly turn: PromiseWithResolvers<void>;
}

function sizeOf(files: readonly ScanFile[]): number {
  return files.reduce((sum, { path, bytes }) => sum + (isScanned(path) ? (bytes?.length ?? 0) : 0), 0);
}

/** Sends copies: the caller goes on to use the bytes, which may be a part of something large. */
function post(worker: Worker, { files, options }: ScanRequest): void {
  const copies = files.map(({ path, bytes }) => ({
    path,
    bytes: bytes === undefined || !isScanned(path) ? undefined : new Uint8Array(bytes),
  }));
  const request: ScanRequest = { files: copies, options };
  worker.postMessage(
    request,
    copies.flatMap(({ bytes }) => (bytes === undefined ? [] : [bytes.buffer])),
  );
}

function isExhausted(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
}

function calledOff(signal: AbortSignal): SkillError {
  return new SkillError("INTERRUPTED", "It was called off before it was scanned.", { cause: signal.reason });
}
