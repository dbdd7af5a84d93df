import { LRUCache } from "lru-cache";
import type { Clock } from "../port.ts";
import { type Embedder, type PackedVector, packVector, type SemanticQuery } from "../search/index.ts";
import { type VectorStore, vectorKey } from "./vector-store.ts";

export interface SkillVectorPorts {
  readonly embedder: Embedder;
  readonly store?: VectorStore | undefined;
  readonly clock: Clock;
}

/** The state of the semantic half, for people. */
export interface VectorState {
  readonly embedder: string;
  /** Skills with a vector, and skills that wait for one. */
  readonly ready: number;
  readonly waiting: number;
  /** The last failure; search goes on by words alone. */
  readonly problem: string | undefined;
}

const BATCH = 16;
/** After a failure the embedder is left alone for this long, so that it does not delay every search. */
const RETRY_MS = 30_000;
const MOST_QUERIES = 256;

/**
 * The vectors of the skills of one library. Documents are embedded in the background and never while a search waits;
 * a query is embedded by the search. Every failure leaves the search to the words alone.
 */
export class SkillVectors {
  readonly #ports: SkillVectorPorts;
  /** The key of the text of each document, by the name of the document. */
  readonly #keys = new Map<string, string>();
  readonly #vectors = new Map<string, PackedVector>();
  readonly #waiting = new Map<string, string>();
  readonly #queries = new LRUCache<string, PackedVector>({ max: MOST_QUERIES });
  readonly #closing = new AbortController();
  #work: Promise<void> | undefined;
  #problem: string | undefined;
  #retryAt = 0;

  constructor(ports: SkillVectorPorts) {
    this.#ports = ports;
  }

  get state(): VectorState {
    const { id } = this.#ports.embedder;
    return { embedder: id, ready: this.#vectors.size, waiting: this.#waiting.size, problem: this.#problem };
  }

  /** Sets the texts of documents, undefined for one that is gone, and embeds the new ones in the background. */
  async update(texts: ReadonlyMap<string, string | undefined>): Promise<void> {
    const wanted = new Map<string, string>();
    for (const [name, text] of texts) {
      if (text === undefined) {
        this.#keys.delete(name);
        continue;
      }
      const key = vectorKey(text);
      this.#keys.set(name, key);
      if (!this.#vectors.has(key)) wanted.set(key, text);
    }
    if (wanted.size > 0) {
      const kept = await this.#load([...wanted.keys()]);
      for (const [key, vector] of kept) this.#vectors.set(key, vector);
      for (const [key, text] of wanted) if (!kept.has(key)) this.#waiting.set(key, text);
    }
    this.#start();
  }

  /** The semantic half of a search; undefined when the embedder fails, the text is blank or no vector exists. */
  async query(text: string): Promise<SemanticQuery | undefined> {
    this.#start();
    if (this.#vectors.size === 0 || text.trim() === "") return undefined;
    const query = this.#queries.get(text) ?? (await this.#embedQuery(text));
    if (query === undefined) return undefined;
    const vectorOf = (name: string) => this.#vectors.get(this.#keys.get(name) ?? "");
    return { query, vectorOf };
  }

  /** Waits for the documents that are being embedded now. */
  async settled(): Promise<void> {
    while (this.#work !== undefined) await this.#work;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.settled();
  }

  async #load(keys: readonly string[]): Promise<ReadonlyMap<string, PackedVector>> {
    try {
      return (await this.#ports.store?.load(this.#ports.embedder.id, keys)) ?? new Map();
    } catch (error) {
      this.#fail(error);
      return new Map();
    }
  }

  async #embedQuery(text: string): Promise<PackedVector | undefined> {
    if (this.#isResting()) return undefined;
    try {
      const { signal } = this.#closing;
      const [vector] = await untilAborted(this.#ports.embedder.embed([text], "query", signal), signal);
      if (vector === undefined) return undefined;
      const packed = packVector(vector);
      this.#dropOthers(packed.length);
      this.#queries.set(text, packed);
      return packed;
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  /** Vectors of another length are of another model behind the same name: they cannot be compared with the query. */
  #dropOthers(length: number): void {
    let dropped = 0;
    for (const [key, vector] of this.#vectors) {
      if (vector.length === length) continue;
      this.#vectors.delete(key);
      dropped += 1;
    }
    if (dropped === 0) return;
    this.#problem = `${dropped} stored vectors are not of the model behind ${this.#ports.embedder.id} (it returns ${length} dimensions) and are not used.`;
  }

  #start(): void {
    if (this.#work !== undefined || this.#waiting.size === 0 || this.#isResting()) return;
    this.#work = this.#embedWaiting().finally(() => {
      this.#work = undefined;
    });
  }

  async #embedWaiting(): Promise<void> {
    const { embedder, store } = this.#ports;
    try {
      while (this.#waiting.size > 0 && !this.#closing.signal.aborted) {
        const batch = [...this.#waiting].slice(0, BATCH);
        const texts = batch.map(([, text]) => text);
        const { signal } = this.#closing;
        const vectors = await untilAborted(embedder.embed(texts, "document", signal), signal);
        const made = new Map(batch.map(([key], at) => [key, packVector(vectors[at] ?? new Float32Array())]));
        for (const [key, vector] of made) {
          this.#vectors.set(key, vector);
          this.#waiting.delete(key);
        }
        await store?.save(embedder.id, made);
        this.#problem = undefined;
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #isResting(): boolean {
    return this.#closing.signal.aborted || this.#ports.clock.now().getTime() < this.#retryAt;
  }

  #fail(error: unknown): void {
    if (this.#closing.signal.aborted) return;
    this.#problem = error instanceof Error ? error.message : String(error);
    this.#retryAt = this.#ports.clock.now().getTime() + RETRY_MS;
  }
}

/** Fails as soon as the signal is aborted, also for work that does not look at it. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
