import { expect, test } from "vitest";
import type { ModelPorts } from "../index.ts";
import { openMemoryLibrary } from "../library/open-library.ts";
import type { Embedder, Reranker } from "../search/index.ts";
import { bareHost, skill } from "../session/session.fixture.ts";
import { embedTopics } from "./model-server.fixture.ts";
import { SkillVectors } from "./skill-vectors.ts";
import { cacheVectors } from "./vector-store.ts";

const viewer = { runtime: "test" };
const topics = [
  ["car", "cars", "automobile", "vehicle"],
  ["doctor", "physician", "hospital"],
];
const skills = [
  skill("garage", { yaml: "description: Repairs an automobile." }),
  skill("clinic", { yaml: "description: Finds a physician." }),
  skill("notes", { yaml: "description: Writes down a vehicle of thought." }),
];

/** An embedder that counts its calls and fails on request. */
function scripted(): Embedder & { calls: string[]; isDown: boolean; size: number } {
  return {
    id: "scripted",
    calls: [],
    isDown: false,
    size: 0,
    async embed(texts, kind) {
      this.calls.push(`${kind} ${texts.length}`);
      if (this.isDown) throw new Error("The model is down.");
      return texts.map((text) =>
        Float32Array.from([...embedTopics(text, topics), ...Array.from({ length: this.size }, () => 0)]),
      );
    },
  };
}

function clockAt(time: { ms: number }): ModelPorts["clock"] {
  return { now: () => new Date(time.ms) };
}

const open = (models: ModelPorts) => openMemoryLibrary(skills, { host: bareHost, models });

test("a query finds a skill by its meaning, also without a word in common [S-61]", async () => {
  const embedder = scripted();
  const library = open({ embedder, clock: clockAt({ ms: 0 }) });
  await library.prepareSearch();
  const [first] = await library.search(viewer, "hospital");
  expect(first).toMatchObject({ entry: { id: "clinic" }, hit: { parts: { bm25: 0, semantic: 1 } } });
  expect(library.searchState).toMatchObject({ documents: 3, vectors: { ready: 3, waiting: 0 } });
  await library.close();
});

test("documents are embedded once, and a repeated query is not embedded again [S-61]", async () => {
  const embedder = scripted();
  const library = open({ embedder, clock: clockAt({ ms: 0 }) });
  await library.prepareSearch();
  await library.search(viewer, "car");
  await library.search(viewer, "car");
  expect(embedder.calls).toEqual(["document 3", "query 1"]);
  library.replace([...skills, skill("wards", { yaml: "description: Plans a hospital." })]);
  await library.prepareSearch();
  expect(embedder.calls).toEqual(["document 3", "query 1", "document 1"]);
  await library.close();
});

test("without its model a search ranks by words, says so, and tries again later [S-61]", async () => {
  const embedder = scripted();
  const time = { ms: 0 };
  const library = open({ embedder, clock: clockAt(time) });
  const plain = openMemoryLibrary(skills, { host: bareHost });
  await library.prepareSearch();
  embedder.isDown = true;
  expect(await library.search(viewer, "repairs")).toEqual(await plain.search(viewer, "repairs"));
  expect(library.searchState.vectors?.problem).toBe("The model is down.");
  await library.search(viewer, "finds");
  expect(embedder.calls).toEqual(["document 3", "query 1"]);
  embedder.isDown = false;
  time.ms += 60_000;
  expect((await library.search(viewer, "hospital"))[0]?.entry.id).toBe("clinic");
  await library.close();
});

test("vectors of another model behind the same name are not compared, and are reported [S-61]", async () => {
  const embedder = scripted();
  const library = open({ embedder, clock: clockAt({ ms: 0 }) });
  await library.prepareSearch();
  embedder.size = 4;
  const found = await library.search(viewer, "repairs an automobile");
  expect(found[0]?.entry.id).toBe("garage");
  expect(library.searchState.vectors?.problem).toContain("7 dimensions");
  await library.close();
});

test("a hidden skill changes no score of an answer with vectors [S-43] [S-61]", async () => {
  const models = () => ({ embedder: scripted(), clock: clockAt({ ms: 0 }) });
  const more = [...skills, skill("secret", { yaml: "description: A car, a vehicle, an automobile." })];
  const [all, some] = [openMemoryLibrary(more, { host: bareHost, models: models() }), open(models())];
  await all.prepareSearch();
  await some.prepareSearch();
  const limited = { ...viewer, allow: ["garage", "clinic", "notes"] };
  for (const query of ["vehicle", "car", "physician in an automobile", "secret"])
    expect(await all.search(limited, query)).toEqual(await some.search(viewer, query));
  await all.close();
  await some.close();
});

test("kept vectors are loaded and not computed again [S-61]", async () => {
  const kept = new Map<string, Uint8Array>();
  const store = cacheVectors({
    load: (key) => kept.get(key)?.slice(),
    save: (key, bytes) => void kept.set(key, bytes.slice()),
  });
  const texts = new Map([
    ["a", "car"],
    ["b", "doctor"],
  ]);
  const calls: string[][] = [];
  for (let start = 0; start < 2; start += 1) {
    const embedder = scripted();
    const vectors = new SkillVectors({ embedder, store, clock: clockAt({ ms: 0 }) });
    await vectors.update(texts);
    await vectors.settled();
    expect((await vectors.query("car"))?.vectorOf("a")).toHaveLength(3);
    calls.push(embedder.calls);
    await vectors.close();
  }
  expect(calls).toEqual([["document 2", "query 1"], ["query 1"]]);
});

test.each([
  ["nothing", new Uint8Array()],
  ["other bytes", Uint8Array.from([1, 2, 3, 4, 5, 6])],
  ["a cut entry", new TextEncoder().encode(`skv1${"x".repeat(40)}`)],
])("a cache with %s has no vectors [S-61]", async (_, bytes) => {
  const store = cacheVectors({ load: () => bytes, save: () => {} });
  expect(await store.load("m", ["00"])).toEqual(new Map());
});

function reversing(): Reranker & { calls: number; isDown: boolean } {
  return {
    id: "reversing",
    calls: 0,
    isDown: false,
    async rerank(_, cards) {
      this.calls += 1;
      if (this.isDown) throw new Error("The reranker is down.");
      return cards.map((_, at) => at);
    },
  };
}

test("a reranker orders the best hits, once for each query and content [S-61]", async () => {
  const reranker = reversing();
  const library = open({ reranker, clock: clockAt({ ms: 0 }) });
  const plain = openMemoryLibrary(skills, { host: bareHost });
  const ids = async (each: typeof library) =>
    (await each.search(viewer, "repairs a vehicle")).map(({ entry }) => entry.id);
  const expected = (await ids(plain)).toReversed();
  expect(expected.length).toBeGreaterThan(1);
  expect(await ids(library)).toEqual(expected);
  expect(await ids(library)).toEqual(expected);
  expect(reranker.calls).toBe(1);
  library.replace([skill("garage", { yaml: "description: Repairs one vehicle." }), ...skills.slice(1)]);
  await ids(library);
  expect(reranker.calls).toBe(2);
  await library.close();
});

test("without its reranker a search keeps its order, says so, and tries again later [S-61]", async () => {
  const reranker = reversing();
  const time = { ms: 0 };
  const library = open({ reranker, clock: clockAt(time) });
  const plain = openMemoryLibrary(skills, { host: bareHost });
  reranker.isDown = true;
  const query = "repairs a vehicle";
  expect(await library.search(viewer, query)).toEqual(await plain.search(viewer, query));
  expect(library.searchState.reranker?.problem).toBe("The reranker is down.");
  await library.search(viewer, "repairs vehicle");
  expect(reranker.calls).toBe(1);
  time.ms += 60_000;
  await library.search(viewer, "repairs vehicle");
  expect(reranker.calls).toBe(2);
  await library.close();
});
