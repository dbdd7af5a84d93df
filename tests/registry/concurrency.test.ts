import { fsck } from "@skillhold/registry/fsck";
import { rollback } from "@skillhold/registry/release";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Acknowledged, startPublisher } from "../soak/publisher-process.ts";
import { ada, engines, openScene, type Scene } from "./scene.ts";

describe.each(engines)("many publishers on %s", (engine) => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await openScene(engine);
  });
  afterEach(async () => {
    await scene.close();
  });

  test("thirty concurrent publishes of one skill get thirty consecutive revisions [S-41]", async () => {
    const numbers = Array.from({ length: 30 }, (_, index) => index + 1);
    const published = await Promise.all(
      numbers.map((number) => scene.publish("demo", { "a.txt": `${number}` })),
    );
    expect(published.filter(({ isNew }) => isNew)).toHaveLength(1);
    await expectWhole(published);
  });

  test("thirty concurrent publishes of the same tree create one revision [S-41]", async () => {
    const published = await Promise.all(Array.from({ length: 30 }, () => scene.publish("demo")));
    expect(published.filter(({ status }) => status === "published")).toHaveLength(1);
    expect(new Set(published.map(({ revision }) => revision))).toEqual(new Set([1]));
    expect(await scene.events()).toHaveLength(1);
  });

  test("after concurrent rollbacks and publishes the current revision matches the last event [S-45]", async () => {
    await scene.publish("demo", { "a.txt": "0" });
    const acts = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0
        ? scene.publish("demo", { "a.txt": `${index + 1}` })
        : rollback("demo", 1, { by: ada }, scene.context),
    );
    await Promise.all(acts);
    expect(await fsck({}, scene.context)).toMatchObject({ findings: [], checked: { revisions: 11 } });
  });

  test("two hundred publishes from four processes are all stored [S-41]", async () => {
    const { url, folder } = scene;
    const options = { url, folder, startedAt: Date.now(), speed: 1, count: 50, mix: "publish" } as const;
    const ended = await Promise.all([1, 2, 3, 4].map(() => startPublisher(options).ended));
    expect(ended.map(({ errors }) => errors)).toEqual(["", "", "", ""]);
    const acknowledged = ended.flatMap((each) => each.acknowledged);
    expect(acknowledged).toHaveLength(200);
    await expectWhole(acknowledged);
  });

  /** Every publish is stored with its content, and revision numbers have no gaps or duplicates. */
  async function expectWhole(acknowledged: readonly Acknowledged[]): Promise<void> {
    const { store } = scene.context;
    for (const id of new Set(acknowledged.map((each) => each.id))) {
      const mine = acknowledged.filter((each) => each.id === id).toSorted((a, b) => b.revision - a.revision);
      expect(mine.map(({ revision }) => revision)).toEqual(mine.map((_, index) => mine.length - index));
      const skill = await store.findSkill(id);
      const rows = await store.listRevisions(skill?.uid ?? "");
      expect(rows.map(({ treeHash }) => treeHash)).toEqual(mine.map(({ treeHash }) => treeHash));
    }
    expect(await fsck({}, scene.context)).toMatchObject({ findings: [], isClean: true });
  }
});
