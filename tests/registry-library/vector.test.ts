import { openMemoryLibrary } from "@skillhold/core/library";
import type { Embedder } from "@skillhold/core/search";
import { skill } from "@skillhold/core/test/library/library.contract";
import { embedTopics } from "@skillhold/core/test/semantic/model-server.fixture";
import { afterAll, describe, expect, test } from "vitest";
import { changeRow, putSkills } from "./put-skills.ts";
import { anyone, engines, FreshStores, host } from "./store.fixture.ts";

const topics = [
  ["car", "automobile", "vehicle"],
  ["doctor", "physician", "hospital"],
];
const skills = [
  skill("garage", "description: Repairs an automobile."),
  skill("clinic", "description: Finds a physician."),
  skill("notes", "description: Writes about a vehicle, a doctor and a car."),
];

function counting(): Embedder & { readonly texts: string[] } {
  const texts: string[] = [];
  return {
    id: "topics",
    texts,
    embed: async (given, kind) => {
      if (kind === "document") texts.push(...given);
      return given.map((text) => Float32Array.from(embedTopics(text, topics)));
    },
  };
}

const clock = { now: () => new Date(0) };

describe.each(engines)("vectors of a registry in %s", (engine) => {
  const stores = new FreshStores(engine);
  afterAll(() => stores.close());

  test("are kept in the store, and rank as in memory [S-61]", async () => {
    const store = await stores.open();
    await putSkills(skills, store);
    const embedder = counting();
    const first = await stores.library(store, { models: { embedder, clock } });
    expect((await first.prepareSearch()).vectors).toMatchObject({ ready: 3, waiting: 0, problem: undefined });
    const memory = openMemoryLibrary(skills, { host, models: { embedder: counting(), clock } });
    await memory.prepareSearch();
    for (const query of ["hospital", "a car for my doctor", "vehicle", "repairs"]) {
      const of = async (library: typeof first | typeof memory) =>
        (await library.search(anyone, query)).map(({ entry, hit }) => [entry.id, hit.score, hit.parts]);
      expect(await of(first)).toEqual(await of(memory));
    }
    await first.close();
    const again = counting();
    const second = await stores.library(store, { models: { embedder: again, clock } });
    expect((await second.prepareSearch()).vectors?.ready).toBe(3);
    expect([embedder.texts.length, again.texts.length]).toEqual([3, 0]);
    await second.close();
  });

  test("are not computed for skills that are off or archived [S-61]", async () => {
    const store = await stores.open();
    await putSkills(skills, store);
    await changeRow("garage", { isEnabled: false }, store);
    await changeRow("notes", { status: "archived" }, store);
    const embedder = counting();
    const library = await stores.library(store, { models: { embedder, clock } });
    await library.prepareSearch();
    expect(embedder.texts).toEqual(["clinic\nFinds a physician."]);
    await changeRow("garage", { isEnabled: true }, store);
    await library.prepareSearch();
    expect(embedder.texts).toHaveLength(2);
    await library.close();
  });
});
