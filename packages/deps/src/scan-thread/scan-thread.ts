import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { DependencyManifest, Scan, ScanFile } from "@skillhold/core/dependency";
import { SkillError } from "@skillhold/protocol/error";
import { isScanned, unreadableManifest } from "../scan/scan.ts";
import type { ScanRequest } from "./scan-thread-main.ts";

export interface ScanThreadOptions {
  /** The wall-clock limit per bundle. The default is well above the scanner's own limit. */
  readonly limitMs?: number;
  /** The time until an idle worker ends, because the memory of its parsers does not shrink. */
  readonly idleMs?: number;
}

/**
 * Runs the scanner in a worker thread, so that no bundle blocks the process. The worker starts with the first
 * bundle, does not keep the process alive, and ends when idle. A bundle that exceeds the limit terminates the
 * worker.
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
      this.#startNext();
    }
  };

  /** Ends the worker. Pending scans reject with INTERRUPTED. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#end();
    await this.#ended;
  }

  async #turn(files: readonly ScanFile[], signal: AbortSignal): Promise<void> {
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

  async #ask(request: ScanRequest, signal: AbortSignal): Promise<DependencyManifest> {
    if (signal.aborted) throw canceled(signal);
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
      // The worker sends only manifests.
      return manifest as DependencyManifest;
    } catch (error) {
      this.#end();
      await worker.terminate();
      if (signal.aborted) throw canceled(signal);
      if (late.aborted || isExhausted(error)) return unreadableManifest(request.files);
      throw error;
    }
  }

  #start(): Worker {
    // Sources are TypeScript, and so are the workspace packages they import; published files are compiled.
    const isSource = import.meta.filename.endsWith(".ts");
    const worker = new Worker(join(import.meta.dirname, `scan-thread-main.${isSource ? "ts" : "js"}`), {
      name: "dependency-scan",
      env: {},
      execArgv: isSource ? ["--conditions=@skillhold/source", "--disable-warning=ExperimentalWarning"] : [],
    });
    worker.unref();
    // A worker that fails while idle is replaced for the next bundle.
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

/** Posts copies, because the caller keeps using the bytes, which may be part of a larger buffer. */
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

function canceled(signal: AbortSignal): SkillError {
  return new SkillError("INTERRUPTED", "The dependency scan was canceled.", { cause: signal.reason });
}
