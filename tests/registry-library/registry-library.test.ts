import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type LibraryChange, openLayeredLibrary, openMemoryLibrary } from "@skillhold/core/library";
import { until } from "@skillhold/core/test/library/fake-folders";
import { skill } from "@skillhold/core/test/library/library.contract";
import { afterAll, describe, expect, test } from "vitest";
import { changeRow, putSkills } from "./put-skills.ts";
import { anyone, engines, FreshStores, host, withAnswers } from "./store.fixture.ts";

const fences = (id: string) => skill(id, "description: Paints fences.");

describe.each(engines)("a registry in %s", (engine) => {
  const stores = new FreshStores(engine);
  afterAll(() => stores.close());

  test("the next call sees a publish of another process, and listeners are notified without a call [S-18] [S-41]", async () => {
    const url = await stores.url();
    const store = await stores.open(url);
    const [library, watching] = [await stores.library(store), await stores.library(store, { watch: true })];
    const changes: LibraryChange[] = [];
    watching.onChange((change) => changes.push(change));
    expect(await library.list(anyone)).toEqual([]);
    const folder = join(stores.folder, engine, "letters");
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, "SKILL.md"),
      "---\nname: letters\ndescription: Writes letters.\n---\nDear all.\n",
    );
    await publishElsewhere(url, folder);
    const ada = { ...anyone, user: "ada" };
    expect((await library.read(ada, "letters")).body).toBe("Dear all.\n");
    expect((await library.search(ada, "letters"))[0]?.entry).toMatchObject({ id: "letters", revision: 1 });
    await until(() => changes.length > 0);
    expect(changes).toEqual([{ added: ["letters"], changed: [], removed: [], broken: [] }]);
  });

  test.each([
    ["disabled", { isEnabled: false }],
    ["archived", { status: "archived", reason: "out of date" }],
    [undefined, { status: "deleted", reason: undefined }],
  ] as const)(
    "a skill that is %s disappears from every call at once [S-43] [S-44]",
    async (reason, change) => {
      const store = await stores.open();
      await putSkills([fences("a"), fences("b")], store);
      const library = await stores.library(store);
      expect((await library.search(anyone, "fences")).map(({ entry }) => entry.id).sort()).toEqual([
        "a",
        "b",
      ]);
      await changeRow("a", change, store);
      expect((await library.search(anyone, "fences")).map(({ entry }) => entry.id)).toEqual(["b"]);
      await changeRow("b", change, store);
      expect(await library.list(anyone)).toEqual([]);
      expect(await library.find(anyone, "a")).toBeUndefined();
      const gone = { code: "SKILL_NOT_FOUND" };
      await expect(library.read(anyone, "a")).rejects.toMatchObject(gone);
      await expect(library.files(anyone, "a")).rejects.toMatchObject(gone);
      await expect(library.resource(anyone, "a", "SKILL.md")).rejects.toMatchObject(gone);
      await expect(library.copy(anyone, "a", stores.folder)).rejects.toMatchObject(gone);
      expect((await library.explain(anyone, "a"))[0]?.reason).toBe(reason);
      await changeRow("a", { isEnabled: true, status: "active", reason: undefined }, store);
      expect((await library.read(anyone, "a")).body).toBe("# Steps\n");
    },
  );

  test("a skill with missing dependencies stays listed with a warning [S-38]", async () => {
    const store = await stores.open();
    await putSkills([skill("sheets")], store);
    const library = await stores.library(store);
    await changeRow("sheets", { status: "archived", reason: "deps", missing: ["pip:openpyxl"] }, store);
    const [entry] = await library.list(anyone);
    expect(entry?.readiness).toEqual({ state: "missing-deps", reasons: ["pip:openpyxl is missing"] });
    const [explained] = await library.explain(anyone, "sheets");
    expect(explained).toMatchObject({ state: "visible" });
    expect(explained?.warnings).toContain("The skill is archived until its dependencies are installed.");
  });

  test("every call fails if the store is unreachable [S-43]", async () => {
    const store = await stores.open();
    await putSkills([skill("a")], store);
    const library = await stores.library(store);
    await library.search(anyone, "fences");
    await store.close();
    for (const call of [
      () => library.list(anyone),
      () => library.find(anyone, "a"),
      () => library.search(anyone, "fences"),
      () => library.read(anyone, "a"),
      () => library.files(anyone, "a"),
      () => library.resource(anyone, "a", "SKILL.md"),
      () => library.copy(anyone, "a", stores.folder),
      () => library.explain(anyone),
    ])
      await expect(call()).rejects.toMatchObject({ code: "STORE_FAILED" });
  });

  test("is layered with folders by trust [S-15]", async () => {
    const store = await stores.open();
    await putSkills(
      [
        { ...fences("a"), trust: "org" },
        { ...fences("b"), trust: "builtin" },
      ],
      store,
    );
    const local = openMemoryLibrary(
      [
        { ...fences("a"), trust: "user" },
        { ...fences("b"), trust: "org" },
      ],
      { host },
    );
    const registry = await stores.library(store, { watch: true });
    const library = openLayeredLibrary([local, registry]);
    const sources = async () => (await library.list(anyone)).map(({ id, source }) => [id, source]);
    expect(await sources()).toEqual([
      ["a", "memory"],
      ["b", "memory"],
    ]);
    const changes: LibraryChange[] = [];
    library.onChange((change) => changes.push(change));
    local.replace([]);
    expect(changes).toEqual([{ added: [], changed: ["a", "b"], removed: [], broken: [] }]);
    expect(await sources()).toEqual([
      ["a", "registry"],
      ["b", "registry"],
    ]);
    await changeRow("a", { isEnabled: false }, store);
    expect((await library.search(anyone, "fences")).map(({ entry }) => entry.id)).toEqual(["b"]);
    await library.close();
  });

  test("concurrent calls share one refresh, and a call after a commit gets its own [S-43]", async () => {
    const whole = await stores.open();
    await putSkills([skill("a")], whole);
    let looks = 0;
    let hold: Promise<void> = Promise.resolve();
    const store = withAnswers(whole, {
      eventsAfter: async (seq, limit) => {
        looks += 1;
        const events = await whole.eventsAfter(seq, limit);
        await hold;
        return events;
      },
      version: async () => undefined,
    });
    const library = await stores.library(store);
    looks = 0;
    await Promise.all(Array.from({ length: 50 }, () => library.list(anyone)));
    expect(looks).toBe(1);
    let release = () => {};
    hold = new Promise((resolve) => {
      release = resolve;
    });
    const early = library.list(anyone);
    await until(() => looks === 2);
    await changeRow("a", { isEnabled: false }, whole);
    const late = library.list(anyone);
    release();
    expect(await early).toHaveLength(1);
    expect(await late).toEqual([]);
  });

  test("reads a store again that was reset to an earlier state [S-64]", async () => {
    const [old, young] = [await stores.open(), await stores.open()];
    await putSkills([skill("a"), skill("b")], old);
    await changeRow("a", { isEnabled: false }, old);
    await putSkills([skill("b"), skill("c")], young);
    let current = old;
    const store = withAnswers(old, {
      version: async () => undefined,
      lastEvent: () => current.lastEvent(),
      eventsAfter: (seq, limit) => current.eventsAfter(seq, limit),
      listCurrent: (ids) => current.listCurrent(ids),
    });
    const library = await stores.library(store);
    const changes: LibraryChange[] = [];
    library.onChange((change) => changes.push(change));
    expect((await library.list(anyone)).map(({ id }) => id)).toEqual(["b"]);
    current = young;
    expect((await library.list(anyone)).map(({ id }) => id)).toEqual(["b", "c"]);
    expect(changes).toEqual([{ added: ["c"], changed: ["b"], removed: ["a"], broken: [] }]);
    // The same number of events with other content.
    current = old;
    expect((await library.list(anyone)).map(({ id }) => id)).toEqual(["b"]);
  });
});

async function publishElsewhere(url: string, folder: string): Promise<void> {
  const script = join(import.meta.dirname, "publish-elsewhere.ts");
  await promisify(execFile)(process.execPath, ["--conditions=@skillhold/source", script, url, folder]);
}
