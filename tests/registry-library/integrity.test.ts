import { readFileSync } from "node:fs";
import { join } from "node:path";
import { skill } from "@skillhold/core/test/library/library.contract";
import { afterAll, describe, expect, test } from "vitest";
import { changeRow, putSkills } from "./put-skills.ts";
import { anyone, engines, FreshStores, withAnswers } from "./store.fixture.ts";

describe.each(engines)("content of a registry in %s", (engine) => {
  const stores = new FreshStores(engine);
  afterAll(() => stores.close());

  test("does not deliver damaged bytes, and other skills still work [S-13]", async () => {
    const whole = await stores.open();
    await putSkills([skill("a", "description: Paints."), skill("b", "description: Paints.")], whole);
    const digest = (await whole.listCurrent(["a"]))[0]?.revision.skillHash;
    const damaged: typeof whole.blobs = {
      put: (blobs) => whole.blobs.put(blobs),
      missing: (digests) => whole.blobs.missing(digests),
      list: () => whole.blobs.list(),
      remove: (digests, before) => whole.blobs.remove(digests, before),
      sweep: (before) => whole.blobs.sweep(before),
      get: async (wanted) => {
        const bytes = await whole.blobs.get(wanted);
        return wanted === digest ? bytes.subarray(1) : bytes;
      },
    };
    const library = await stores.library(withAnswers(whole, { blobs: damaged }));
    await expect(library.read(anyone, "a")).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
    await expect(library.resource(anyone, "a", "SKILL.md")).rejects.toMatchObject({
      code: "INTEGRITY_FAILED",
    });
    expect((await library.search(anyone, "paints")).map(({ entry }) => entry.id)).toEqual(["b"]);
    expect((await library.read(anyone, "b")).body).toBe("# Steps\n");
  });

  test("rejects a file list that does not match the tree hash [S-13]", async () => {
    const whole = await stores.open();
    await putSkills([skill("a")], whole);
    const library = await stores.library(
      withAnswers(whole, {
        findTree: async (hash) =>
          (await whole.findTree(hash))?.map((file) => ({ ...file, executable: true })),
      }),
    );
    await expect(library.files(anyone, "a")).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
    await expect(library.copy(anyone, "a", stores.folder)).rejects.toMatchObject({
      code: "INTEGRITY_FAILED",
    });
  });

  test("reads the current revision if the bytes are purged while it is looked up [S-41]", async () => {
    const store = await stores.open();
    await putSkills([skill("a", "description: x", "Old.\n")], store);
    const old = (await store.listCurrent(["a"]))[0]?.skill.treeHash;
    const library = await stores.library(
      withAnswers(store, {
        findTree: async (hash) => {
          if (hash !== old) return await store.findTree(hash);
          await putSkills([skill("a", "description: x", "New.\n")], store);
          return undefined;
        },
      }),
    );
    const content = await library.read(anyone, "a");
    expect(content).toMatchObject({ body: "New.\n", entry: { revision: 2 } });
  });

  test("reads a row without a tree hash by its revision [S-40]", async () => {
    const store = await stores.open();
    await putSkills([skill("a")], store);
    await changeRow("a", { treeHash: undefined }, store);
    const library = await stores.library(store);
    expect((await library.list(anyone))[0]).not.toHaveProperty("treeHash");
    expect((await library.read(anyone, "a")).body).toBe("# Steps\n");
    expect((await library.resource(anyone, "a", "SKILL.md")).content).toContain("# Steps");
  });

  test("writes a verified read-only copy if a folder for copies is given [S-41]", async () => {
    const store = await stores.open();
    await putSkills([{ ...skill("a"), files: { ...skill("a").files, "scripts/x.sh": "echo hi" } }], store);
    const copies = join(stores.folder, "copies");
    const library = await stores.library(store, { copies });
    const { folder, entry } = await library.read(anyone, "a");
    expect(folder).toBe(entry.path);
    expect(readFileSync(join(entry.path, "scripts/x.sh"), "utf8")).toBe("echo hi");
    const bare = await stores.library(store);
    expect(await bare.read(anyone, "a")).toMatchObject({
      folder: undefined,
      entry: { path: "registry:a@1" },
    });
  });
});
