import { openMemoryLibrary } from "@skillhold/core/library";
import { skill } from "@skillhold/core/test/library/library.contract";
import { withRawRegistry } from "@skillhold/store/test/table/registry-store";
import { afterAll, describe, expect, test } from "vitest";
import { changeRow, putSkills } from "./put-skills.ts";
import { anyone, engines, FreshStores, host, withAnswers } from "./store.fixture.ts";

const fences = (id: string) => skill(id, "description: Paints fences.");

describe.each(engines)("the search of a registry in %s", (engine) => {
  const stores = new FreshStores(engine);
  afterAll(() => stores.close());

  test("overrides replace the text of SKILL.md in the search [S-45]", async () => {
    const store = await stores.open();
    await putSkills([fences("a"), fences("b")], store);
    const library = await stores.library(store);
    await library.search(anyone, "fences");
    await changeRow("a", { override: { description: "Mends umbrellas.", tags: ["rain"] } }, store);
    expect(await library.find(anyone, "a")).toMatchObject({
      description: "Mends umbrellas.",
      tags: ["rain"],
    });
    expect((await library.search(anyone, "umbrellas"))[0]?.entry.id).toBe("a");
    expect((await library.search(anyone, "fences")).map(({ entry }) => entry.id)).toEqual(["b"]);
    await changeRow("a", { override: {} }, store);
    expect(await library.search(anyone, "umbrellas")).toEqual([]);
  });

  test("a changed reference changes the search text of a skill [S-13] [S-61]", async () => {
    const store = await stores.open();
    const withReference = (text: string) => ({
      ...skill("a"),
      files: { ...skill("a").files, "references/x.md": text },
    });
    await putSkills([withReference("About penguins.")], store);
    const library = await stores.library(store);
    expect((await library.search(anyone, "penguins"))[0]?.entry.id).toBe("a");
    await putSkills([withReference("About walruses.")], store);
    expect((await library.search(anyone, "walruses"))[0]?.entry).toMatchObject({ id: "a", revision: 2 });
    expect(await library.search(anyone, "penguins")).toEqual([]);
  });

  test("ranks like the same skills in memory [S-61]", async () => {
    const skills = corpus();
    const store = await stores.open();
    await putSkills(skills, store);
    const [library, memory] = [await stores.library(store), openMemoryLibrary(skills, { host })];
    for (const query of ["merge pdf files", "send mail", "pdf", "a chart of sales", "spreadshet", "文件"]) {
      const of = async (each: typeof library | typeof memory) =>
        (await each.search(anyone, query, { limit: 10 })).map(({ entry, hit, snippet }) => [
          entry.id,
          hit.score,
          snippet,
        ]);
      expect(await of(library)).toEqual(await of(memory));
    }
  });

  test("keeps the index between starts and reads only changed skills [S-61]", async () => {
    const kept = new Map<string, Uint8Array>();
    const cache = {
      load: (key: string) => kept.get(key),
      save: (key: string, bytes: Uint8Array) => void kept.set(key, bytes.slice()),
    };
    const store = await stores.open();
    await putSkills(corpus(), store);
    const first = await stores.library(store, { cache, name: "one" });
    const before = await first.search(anyone, "merge pdf files");
    await first.close();
    let trees = 0;
    const counting = withAnswers(store, {
      findTree: (hash) => {
        trees += 1;
        return store.findTree(hash);
      },
    });
    const second = await stores.library(counting, { cache, name: "one" });
    expect(await second.search(anyone, "zebra")).toEqual([]);
    expect(trees).toBe(0);
    expect(await second.search(anyone, "merge pdf files")).toEqual(before);
    await putSkills([skill("new-one", "description: Feeds a zebra.")], store);
    trees = 0;
    expect((await second.search(anyone, "zebra"))[0]?.entry.id).toBe("new-one");
    expect(trees).toBe(1);
  });
});

describe("the search of gateways that share a registry", () => {
  const stores = new FreshStores("postgres");
  afterAll(() => stores.close());

  test("a second gateway does not build the index again, and rebuilds a damaged one [S-61] [S-73]", async () => {
    const url = await stores.url();
    const [store, other] = [await stores.open(url), await stores.open(url)];
    await putSkills(corpus(), store);
    const before = await (await stores.library(store)).search(anyone, "merge pdf files");
    let trees = 0;
    const counting = withAnswers(other, {
      findTree: (hash) => {
        trees += 1;
        return other.findTree(hash);
      },
    });
    const second = await stores.library(counting);
    expect(await second.search(anyone, "zebra")).toEqual([]);
    expect(trees).toBe(0);
    expect(await second.search(anyone, "merge pdf files")).toEqual(before);
    await withRawRegistry(url, {}, ({ db }) =>
      db.transaction((tx) => tx.script("update search_piece set content = 'x'")),
    );
    trees = 0;
    const third = await stores.library(counting);
    expect(await third.search(anyone, "merge pdf files")).toEqual(before);
    expect(trees).toBeGreaterThanOrEqual(corpus().length);
  });

  test("a failure of the shared index is reported, and the search works [S-61]", async () => {
    const store = await stores.open();
    await putSkills(corpus(), store);
    const failure = new Error("no index");
    const fail = () => Promise.reject(failure);
    const errors: unknown[] = [];
    const library = await stores.library(withAnswers(store, { searchIndex: { load: fail, save: fail } }), {
      onError: (error) => errors.push(error),
    });
    expect((await library.search(anyone, "merge pdf files"))[0]?.entry.id).toBe("pdf-tools");
    expect(errors).toEqual([failure, failure]);
  });
});

function corpus() {
  return [
    skill("pdf-tools", "description: Merge and split PDF files.\ntags: [pdf, merge]", "Use qpdf to merge.\n"),
    skill("mail", "description: Send mail.", "Use an SMTP relay for delivery of files.\n"),
    skill("charts", "description: Draws a chart.", "Sales, by month, as a chart.\n"),
    skill("spreadsheet", "description: Reads tables.", "Merge cells with care.\n"),
    skill("wenjian", "description: 处理文件的技能。", "合并文件。\n"),
  ];
}
