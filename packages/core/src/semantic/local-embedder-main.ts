import { parentPort, workerData } from "node:worker_threads";
import type { EmbedAnswer, EmbedRequest } from "./local-embedder.ts";
import type { LocalModel } from "./local-model.ts";

/** The part of the engine's interface that is used here. */
interface Engine {
  embed(texts: string[]): Promise<number[][]>;
}

/** The engine starts threads of its own for more texts than this. */
const TEXTS_AT_ONCE = 8;
/** Characters of a text; the model reads 256 tokens. */
const LONGEST_TEXT = 2000;

// `LocalEmbedder` starts this thread with the model as its data.
const model = workerData as LocalModel;
const engine = openEngine();

parentPort?.on("message", async (request: EmbedRequest) => {
  parentPort?.postMessage(await answer(request));
});

/** Never throws: a failure is an answer with a message. */
async function answer({ id, texts }: EmbedRequest): Promise<EmbedAnswer> {
  try {
    return { id, vectors: await embed(texts) };
  } catch (error) {
    return { id, message: error instanceof Error ? error.message : String(error) };
  }
}

async function openEngine(): Promise<Engine> {
  const [{ createEmbedder }, weights] = await Promise.all([
    import(model.engineUrl),
    import(model.weightsUrl),
  ]);
  return await createEmbedder({ model: weights.default });
}

async function embed(texts: readonly string[]): Promise<readonly Float32Array[]> {
  const opened = await engine;
  const vectors: Float32Array[] = [];
  for (let start = 0; start < texts.length; start += TEXTS_AT_ONCE) {
    const some = texts.slice(start, start + TEXTS_AT_ONCE).map((text) => text.slice(0, LONGEST_TEXT));
    for (const vector of await opened.embed(some)) vectors.push(Float32Array.from(vector));
  }
  return vectors;
}
