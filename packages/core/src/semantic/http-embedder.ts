import { z } from "zod";
import type { Embedder } from "../search/index.ts";
import { askModel, type EndpointPorts, failed, type ModelEndpoint } from "./model-endpoint.ts";

const Answer = z.object({
  data: z.array(
    z.object({ index: z.int().min(0).optional(), embedding: z.array(z.number()).min(1).max(16_384) }),
  ),
});

/** Characters of a text that are sent; the models of the field read fewer. */
const LONGEST_TEXT = 8000;

/** An embedder behind an OpenAI-compatible `/embeddings` endpoint: Ollama, vLLM or a hosted model of any dimension. */
export function httpEmbedder(endpoint: ModelEndpoint, ports: EndpointPorts): Embedder {
  const { url, model } = endpoint;
  return {
    id: `http:${url.replace(/\/+$/, "")}#${model}`,
    embed: async (texts, _kind, signal) => {
      if (texts.length === 0) return [];
      const body = {
        model,
        input: texts.map((text) => text.slice(0, LONGEST_TEXT)),
        encoding_format: "float",
      };
      const { data } = await askModel(endpoint, "/embeddings", body, Answer, { ...ports, signal });
      const vectors: Float32Array[] = [];
      for (const [place, { index = place, embedding }] of data.entries())
        vectors[index] = Float32Array.from(embedding);
      const length = vectors[0]?.length;
      const isWhole = texts.every((_, at) => vectors[at] !== undefined && vectors[at].length === length);
      if (isWhole && vectors.length === texts.length) return vectors;
      throw failed(
        url,
        `it returned ${data.length} vectors for ${texts.length} texts, or vectors of two lengths`,
      );
    },
  };
}
