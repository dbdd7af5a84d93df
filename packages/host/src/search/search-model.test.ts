import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openModels } from "./search-model.ts";

const folder = mkdtempSync(join(tmpdir(), "skillhold-models-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const open = (env: Readonly<Record<string, string>>) =>
  openModels({ env: { SKILLHOLD_DATA: folder, ...env } });

test("without settings and without an installed model a search uses words alone [S-61]", async () => {
  expect((await open({})).ports).toBeUndefined();
  expect((await open({ SKILLHOLD_EMBEDDER: "off" })).ports).toBeUndefined();
});

test("the environment names an embedder and a reranker [S-61]", async () => {
  const { ports } = await open({
    SKILLHOLD_EMBEDDER: "http://localhost:11434/v1/",
    SKILLHOLD_EMBEDDER_MODEL: "nomic",
    SKILLHOLD_RERANKER: "https://models.example/v1/rerank",
    SKILLHOLD_RERANKER_MODEL: "judge",
    SKILLHOLD_RERANKER_KEY: "secret",
  });
  expect([ports?.embedder?.id, ports?.reranker?.id]).toEqual([
    "http:http://localhost:11434/v1#nomic",
    "rerank:https://models.example/v1#judge",
  ]);
});

test.each([
  [{ SKILLHOLD_EMBEDDER: "local" }, "no local model"],
  [{ SKILLHOLD_EMBEDDER: "ftp://x" }, "not an address"],
  [{ SKILLHOLD_EMBEDDER: "http://u:p@x/v1" }, "not an address"],
  [{ SKILLHOLD_EMBEDDER: "http://x/v1" }, "SKILLHOLD_EMBEDDER_MODEL is not set"],
  [
    { SKILLHOLD_RERANKER: "http://x/v1", SKILLHOLD_RERANKER_MODEL: "m", SKILLHOLD_RERANKER_KEY: "k" },
    "without TLS",
  ],
])("%j is refused with the setting to change [S-61]", async (env, words) => {
  await expect(open(env as Readonly<Record<string, string>>)).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message: expect.stringContaining(words),
  });
});
