import { afterEach, describe, expect, test } from "vitest";
import { httpEmbedder } from "./http-embedder.ts";
import { chatReranker, rerankEndpoint } from "./http-reranker.ts";
import { type ModelRequest, openModelServer } from "./model-server.fixture.ts";

let close: () => unknown = () => {};
afterEach(() => close());

async function serve(answer: (request: ModelRequest) => unknown) {
  const server = await openModelServer(answer);
  close = server.close;
  const endpoint = { url: server.url, model: "m", key: "secret", timeoutMs: 30_000 };
  return { ...server, endpoint };
}

const cards = ["one", "two", "three"].map((name) => ({
  name,
  description: `About ${name}.`,
  excerpt: "Text.",
}));

describe("an embedder over HTTP", () => {
  test("sends texts and key, and orders the vectors by their index [S-61]", async () => {
    const { endpoint, requests } = await serve(() => ({
      data: [
        { index: 1, embedding: [0, 1] },
        { index: 0, embedding: [1, 0] },
      ],
    }));
    const vectors = await httpEmbedder(endpoint, { fetch }).embed(["a", "b"], "document");
    expect(vectors.map((vector) => [...vector])).toEqual([
      [1, 0],
      [0, 1],
    ]);
    expect(requests).toMatchObject([
      { path: "/v1/embeddings", authorization: "Bearer secret", body: { model: "m", input: ["a", "b"] } },
    ]);
  });

  test.each([
    ["a status", 500, "status 500"],
    ["no JSON", "<html>", "not JSON"],
    ["other fields", { vectors: [] }, "expected fields"],
    ["too few vectors", { data: [{ embedding: [1] }] }, "1 vectors for 2 texts"],
    ["vectors of two lengths", { data: [{ embedding: [1] }, { embedding: [1, 2] }] }, "two lengths"],
  ])(
    "an answer with %s is a failure that names the endpoint and not the key [S-61]",
    async (_, data, words) => {
      const { endpoint } = await serve(() => data);
      const failure = await httpEmbedder(endpoint, { fetch })
        .embed(["a", "b"], "query")
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: "REMOTE_FAILED", message: expect.stringContaining(words) });
      expect(String(failure)).toContain("127.0.0.1");
      expect(String(failure)).not.toContain("secret");
    },
  );

  test("an endpoint that does not answer in time, or is not there, is a failure [S-61]", async () => {
    const { endpoint } = await serve(() => undefined);
    await expect(
      httpEmbedder({ ...endpoint, timeoutMs: 1000 }, { fetch }).embed(["a"], "query"),
    ).rejects.toMatchObject({ message: expect.stringContaining("within 1000 ms") });
    await close();
    await expect(httpEmbedder(endpoint, { fetch }).embed(["a"], "query")).rejects.toMatchObject({
      code: "REMOTE_FAILED",
      message: expect.stringContaining("ECONNREFUSED"),
    });
  });
});

describe("a reranker over HTTP", () => {
  test("a rerank endpoint scores each card [S-61]", async () => {
    const { endpoint, requests } = await serve(() => ({
      results: [2, 0, 1].map((index) => ({ index, relevance_score: index / 10 })),
    }));
    expect(await rerankEndpoint(endpoint, { fetch }).rerank("q", cards)).toEqual([0, 0.1, 0.2]);
    expect(requests).toMatchObject([{ path: "/v1/rerank", body: { query: "q", top_n: 3 } }]);
  });

  test("a rerank endpoint that leaves a card out is a failure [S-61]", async () => {
    const { endpoint } = await serve(() => ({ results: [{ index: 0, relevance_score: 1 }] }));
    await expect(rerankEndpoint(endpoint, { fetch }).rerank("q", cards)).rejects.toMatchObject({
      code: "REMOTE_FAILED",
    });
  });

  const say = (content: string) => ({ choices: [{ message: { content } }] });

  test.each([
    ["a list", "[3, 1, 2]", ["three", "one", "two"]],
    ["a list in a sentence", "The order is [2,3,1].", ["two", "three", "one"]],
    ["a part of the list", "[3]", ["three", "one", "two"]],
    ["numbers twice and out of range", "[9, 2, 2, 0, 1]", ["two", "one", "three"]],
  ])("a chat model orders the cards by %s [S-61]", async (_, content, expected) => {
    const { endpoint, requests } = await serve(() => say(content));
    const scores = await chatReranker(endpoint, { fetch }).rerank("q", cards);
    const order = cards.map(({ name }, at) => ({ name, score: scores[at] ?? 0 }));
    expect(order.toSorted((a, b) => b.score - a.score).map(({ name }) => name)).toEqual(expected);
    expect(requests[0]?.path).toBe("/v1/chat/completions");
  });

  test("a chat model that answers without numbers is a failure [S-61]", async () => {
    const { endpoint } = await serve(() => say("I cannot decide."));
    await expect(chatReranker(endpoint, { fetch }).rerank("q", cards)).rejects.toMatchObject({
      code: "REMOTE_FAILED",
    });
  });
});
