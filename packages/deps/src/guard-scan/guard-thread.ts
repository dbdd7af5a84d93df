import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { GuardFile, GuardReport, GuardScanOptions } from "@skillhold/core/guard";
import { SkillError } from "@skillhold/protocol/error";
import type { GuardRequest } from "./guard-thread-main.ts";

const MAX_MILLISECONDS = 30_000;

/**
 * The content guard in a thread of its own. One skill is scanned at a time. A scan that takes too long, runs out of
 * memory or fails ends the thread and throws GUARD_FAILED, so that the skill is refused.
 */
export class GuardThread {
  readonly #limitMs: number;
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ limitMs = MAX_MILLISECONDS }: { readonly limitMs?: number } = {}) {
    this.#limitMs = limitMs;
  }

  readonly scan = async (
    files: readonly GuardFile[],
    { name = "", signal }: GuardScanOptions = {},
  ): Promise<GuardReport> => {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    try {
      return await this.#ask({ files, name }, signal);
    } finally {
      resolve();
    }
  };

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  async #ask(request: GuardRequest, signal: AbortSignal | undefined): Promise<GuardReport> {
    this.#worker ??= start();
    const worker = this.#worker;
    const late = AbortSignal.timeout(this.#limitMs);
    try {
      worker.ref();
      worker.postMessage(request);
      const stop = signal === undefined ? late : AbortSignal.any([signal, late]);
      const [report] = await once(worker, "message", { signal: stop });
      worker.unref();
      // The thread sends only reports.
      return report as GuardReport;
    } catch (error) {
      await this.close();
      if (signal?.aborted === true)
        throw new SkillError("INTERRUPTED", "The scan was interrupted.", { cause: error });
      const why = late.aborted ? `took longer than ${this.#limitMs} ms` : "failed";
      throw new SkillError("GUARD_FAILED", `The content guard ${why} on ${request.name}.`, { cause: error });
    }
  }
}

function start(): Worker {
  const isSource = import.meta.filename.endsWith(".ts");
  const worker = new Worker(join(import.meta.dirname, `guard-thread-main.${isSource ? "ts" : "js"}`), {
    name: "content-guard",
    env: {},
    execArgv: isSource ? ["--conditions=@skillhold/source", "--disable-warning=ExperimentalWarning"] : [],
  });
  worker.unref();
  // A failure between scans is seen by the next one, which finds no answer.
  worker.on("error", () => {});
  return worker;
}
