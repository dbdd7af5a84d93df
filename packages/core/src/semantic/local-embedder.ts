import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { SkillError } from "@skillhold/protocol/error";
import type { Embedder } from "../search/index.ts";
import type { LocalModel } from "./local-model.ts";

/** A request to the thread, and its answer. */
export interface EmbedRequest {
  readonly id: number;
  readonly texts: readonly string[];
}

export type EmbedAnswer =
  | { readonly id: number; readonly vectors: readonly Float32Array[] }
  | { readonly id: number; readonly message: string };

interface Pending {
  resolve(vectors: readonly Float32Array[]): void;
  reject(error: SkillError): void;
}

/** The model on this machine, in a thread of its own: a text takes a third of a second of processor time. */
export class LocalEmbedder implements Embedder {
  readonly id: string;
  readonly #model: LocalModel;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #last = 0;

  constructor(model: LocalModel) {
    this.id = model.id;
    this.#model = model;
  }

  embed(texts: readonly string[]): Promise<readonly Float32Array[]> {
    if (texts.length === 0) return Promise.resolve([]);
    const worker = this.#worker ?? this.#start();
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      // Only work in progress keeps the process running.
      worker.ref();
      worker.postMessage({ id, texts } satisfies EmbedRequest);
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#failAll("it was closed");
    await worker?.terminate();
  }

  #start(): Worker {
    const isSource = import.meta.filename.endsWith(".ts");
    const worker = new Worker(join(import.meta.dirname, `local-embedder-main.${isSource ? "ts" : "js"}`), {
      name: "embedder",
      workerData: this.#model,
      env: {},
      execArgv: isSource ? ["--disable-warning=ExperimentalWarning"] : [],
    });
    worker.on("message", (answer: EmbedAnswer) => this.#take(answer));
    worker.on("error", (error) => this.#failAll(error instanceof Error ? error.message : String(error)));
    worker.on("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
      this.#failAll("its thread ended");
    });
    this.#worker = worker;
    return worker;
  }

  #take(answer: EmbedAnswer): void {
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    if ("vectors" in answer) pending?.resolve(answer.vectors);
    else pending?.reject(this.#failure(answer.message));
    if (this.#pending.size === 0) this.#worker?.unref();
  }

  #failAll(reason: string): void {
    for (const { reject } of this.#pending.values()) reject(this.#failure(reason));
    this.#pending.clear();
  }

  #failure(reason: string): SkillError {
    return new SkillError("REMOTE_FAILED", `The model ${this.id} failed: ${reason}.`, {
      hint: "Install it again with `skillhold search --setup`. Search works without it.",
    });
  }
}
