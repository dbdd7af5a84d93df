import { rmSync, writeFileSync } from "node:fs";
import { fsck } from "@skillhold/registry/fsck";
import { publishFolder } from "@skillhold/registry/release";
import { seedSkills } from "@skillhold/registry/seed";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { admin, Bench, engines, eventsOf, fail, getRow, publisher, withoutWrites } from "./store.fixture.ts";

describe.each(engines)("seeding on %s", (engine) => {
  let bench: Bench;
  let bundled: string;
  beforeEach(() => {
    bench = new Bench(engine);
    bundled = bench.path("skills");
    bench.skill("skills/docx");
    bench.skill("skills/pdf");
    bench.write("skills/pdf/scripts/read.mjs", 'import "../_shared/zip.mjs";\n', 0o755);
    bench.write("skills/_shared/zip.mjs", "export {};\n");
    bench.write("skills/_draft/SKILL.md", "---\nname: draft\ndescription: Not one.\n---\n");
  });
  afterEach(() => bench.close());

  test("publishes every bundled skill as a public, read-only system skill [S-40]", async () => {
    const context = await bench.context();
    const { skills } = await seedSkills(bundled, {}, context);
    expect(skills).toEqual([
      { id: "docx", path: "docx", status: "added", revision: 1, restored: [] },
      { id: "pdf", path: "pdf", status: "added", revision: 1, restored: [] },
    ]);
    const pdf = await getRow("pdf", context);
    expect(pdf).toMatchObject({ isSystem: true, visibility: "public", owner: "system", status: "active" });
    const [revision] = await context.store.listRevisions(pdf.uid);
    expect(revision).toMatchObject({
      trust: "builtin",
      provenance: { source: "seed", by: { role: "system" } },
    });
    const tree = await context.store.findTree(revision?.treeHash ?? pdf.treeHash ?? fail());
    expect(tree?.map(({ path }) => path)).toEqual(["SKILL.md", "_shared/zip.mjs", "scripts/read.mjs"]);
    for (const by of [admin, publisher]) {
      await expect(publishFolder(bench.skill("own/pdf"), { by }, context)).rejects.toMatchObject({
        code: "CONFLICT",
      });
    }
  });

  test("does not write unchanged skills [S-40]", async () => {
    const context = await bench.context();
    await seedSkills(bundled, {}, context);
    const before = await context.store.listSkills();
    const { skills } = await seedSkills(bundled, {}, withoutWrites(context));
    expect(skills.map(({ status }) => status)).toEqual(["unchanged", "unchanged"]);
    expect(await context.store.listSkills()).toEqual(before);
  });

  test("makes a new revision only of changed skills [S-40]", async () => {
    const context = await bench.context();
    await seedSkills(bundled, {}, context);
    bench.write("skills/_shared/zip.mjs", "export const x = 1;\n");
    const { skills } = await seedSkills(bundled, {}, context);
    expect(skills).toMatchObject([
      { id: "docx", status: "unchanged", revision: 1 },
      { id: "pdf", status: "updated", revision: 2 },
    ]);
    expect(await getRow("pdf", context)).toMatchObject({ revision: 2, isSystem: true, visibility: "public" });
    expect((await fsck({}, context)).findings).toEqual([]);
  });

  test("fills in a missing tree hash without a new revision [S-40]", async () => {
    const context = await bench.context();
    await seedSkills(bundled, {}, context);
    const { treeHash, ...pdf } = await getRow("pdf", context);
    const bare = { ...pdf, treeHash: undefined };
    const other = {
      ...bare,
      uid: context.ids.next(),
      id: (await getRow("docx", context)).id,
      revision: 7,
      lastRevision: 9,
    };
    const fresh = await bench.context();
    await context.store.transaction((tx) => tx.putSkill(bare));
    await fresh.store.transaction((tx) => tx.putSkill(other));

    expect((await seedSkills(bundled, {}, context)).skills[1]).toMatchObject({
      status: "completed",
      revision: 1,
    });
    expect(await getRow("pdf", context)).toMatchObject({ treeHash, revision: 1, lastRevision: 1 });
    expect(await context.store.listRevisions(pdf.uid)).toHaveLength(1);

    // A row from before revisions gets the record of its revision.
    expect((await seedSkills(bundled, {}, fresh)).skills[0]).toMatchObject({
      status: "completed",
      revision: 7,
    });
    expect(await getRow("docx", fresh)).toMatchObject({ revision: 7, lastRevision: 9 });
    expect(await fresh.store.listRevisions(other.uid)).toMatchObject([{ revision: 7, trust: "builtin" }]);
    expect((await fresh.store.listCurrent(["docx"]))[0]?.revision.record.name).toBe("docx");
    expect((await seedSkills(bundled, {}, withoutWrites(fresh))).skills[0]?.status).toBe("unchanged");
  });

  test("makes a new revision if a row without a hash had another tree [S-40]", async () => {
    const context = await bench.context();
    await seedSkills(bundled, {}, context);
    const pdf = await getRow("pdf", context);
    await context.store.transaction((tx) => tx.putSkill({ ...pdf, treeHash: undefined }));
    bench.skill("skills/pdf", "# Other steps\n");
    expect((await seedSkills(bundled, {}, context)).skills[1]).toMatchObject({
      status: "updated",
      revision: 2,
    });
  });

  test("keeps a user's skill with the same id and reports it [S-40]", async () => {
    const context = await bench.context();
    await publishFolder(bench.skill("own/pdf", "# Mine\n"), { by: publisher }, context);
    const before = await getRow("pdf", context);
    const { skills } = await seedSkills(bundled, {}, context);
    expect(skills).toMatchObject([
      { id: "docx", status: "added" },
      { id: "pdf", status: "failed", error: { code: "CONFLICT" } },
    ]);
    expect(await getRow("pdf", context)).toEqual(before);
  });

  test("continues after a broken skill and keeps its last revision [S-40]", async () => {
    const context = await bench.context();
    await seedSkills(bundled, {}, context);
    const before = await getRow("docx", context);
    bench.write("skills/docx/SKILL.md", "no frontmatter");
    bench.skill("skills/twin", "# Twin\n", "description: Takes another's id.\nslug: pdf");
    bench.skill("skills/xlsx");
    const { skills } = await seedSkills(bundled, {}, context);
    expect(skills).toMatchObject([
      { id: undefined, path: "docx", status: "failed", error: { code: "SKILL_INVALID" } },
      { id: "pdf", status: "unchanged" },
      { id: "pdf", path: "twin", status: "failed", error: { code: "CONFLICT" } },
      { id: "xlsx", status: "added" },
    ]);
    expect(await getRow("docx", context)).toEqual(before);
  });

  test("a failing hook rejects only its own skill [S-40]", async () => {
    const hooks = {
      guard: async ({ id }: { readonly id: string }) => {
        if (id === "docx") throw new TypeError("the guard is broken");
        return [];
      },
    };
    const { skills } = await seedSkills(bundled, {}, await bench.context({ hooks }));
    expect(skills).toMatchObject([
      { path: "docx", status: "failed", error: { code: "INTERNAL" } },
      { id: "pdf", status: "added" },
    ]);
  });

  test("reports a missing folder without failing [S-40]", async () => {
    const { skills, checks } = await seedSkills(bench.path("nowhere"), {}, await bench.context());
    expect(skills).toMatchObject([{ path: ".", status: "failed", error: { code: "PATH_NOT_FOUND" } }]);
    await checks;
  });

  test("restores lost files by their hash [S-40]", async () => {
    const context = await bench.context();
    const { store } = context;
    await seedSkills(bundled, {}, context);
    const pdf = await getRow("pdf", context);
    const tree = pdf.treeHash ?? fail();
    const script = (await store.findTree(tree))?.find(({ path }) => path === "scripts/read.mjs") ?? fail();
    await store.blobs.remove([script.digest], new Date(Date.now() + 60_000));
    await store.transaction((tx) => tx.removeTrees([tree]));
    const { skills } = await seedSkills(bundled, {}, context);
    expect(skills[1]).toMatchObject({ status: "unchanged", revision: 1, restored: ["scripts/read.mjs"] });
    expect((await store.blobs.get(script.digest)).length).toBe(script.size);
    expect(await store.findTree(tree)).toHaveLength(3);
    expect(await getRow("pdf", context)).toEqual(pdf);
    expect((await fsck({}, context)).findings).toEqual([]);
    expect((await seedSkills(bundled, {}, withoutWrites(context))).skills[1]).toMatchObject({ restored: [] });
  });

  test("two gateways that start together make one revision of each skill [S-40]", async () => {
    const url = await bench.url();
    const [first, second] = [await bench.context({ url }), await bench.context({ url })];
    const reports = await Promise.all([seedSkills(bundled, {}, first), seedSkills(bundled, {}, second)]);
    for (const { skills } of reports) {
      for (const skill of skills) expect(skill).toMatchObject({ revision: 1 });
    }
    const events = await eventsOf(first);
    expect(events.map(({ type }) => type)).toEqual(["skill.published", "skill.published"]);
  });
});

test("restores damaged bytes on disk [S-40]", async () => {
  const bench = new Bench("sqlite");
  try {
    const url = await bench.url();
    const context = await bench.context({ url });
    bench.skill("skills/pdf");
    await seedSkills(bench.path("skills"), {}, context);
    const [tree] = await context.store.listTrees({ limit: 1 });
    const hex = tree?.files[0]?.digest.slice("sha256:".length) ?? fail();
    const blob = `${url.slice("sqlite:".length)}.d/blobs/${hex.slice(0, 2)}/${hex}`;
    rmSync(blob);
    writeFileSync(blob, "something else");
    const { skills } = await seedSkills(bench.path("skills"), {}, context);
    expect(skills).toMatchObject([{ status: "unchanged", restored: ["SKILL.md"] }]);
  } finally {
    await bench.close();
  }
});
