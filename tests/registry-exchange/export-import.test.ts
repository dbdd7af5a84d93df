import { gunzipSync } from "node:zlib";
import { archiveInMemory, writeArchive } from "@skillhold/core/archive";
import { hashSkillFile } from "@skillhold/core/bundle";
import { exportSkills, importSkills } from "@skillhold/registry/exchange";
import { fsck } from "@skillhold/registry/fsck";
import type { RegistryContext } from "@skillhold/registry/record";
import { deleteSkill, editSkill, publishFolder } from "@skillhold/registry/release";
import { seedSkills } from "@skillhold/registry/seed";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openArchive } from "./open-archive.fixture.ts";
import { admin, agent, Bench, engines, fail, getRow, publisher } from "./store.fixture.ts";

describe.each(engines)("export and import on %s", (engine) => {
  let bench: Bench;
  let context: RegistryContext;
  beforeEach(async () => {
    bench = new Bench(engine);
    context = await bench.context();
    const report = bench.skill(
      "own/report",
      "# Steps\n",
      "description: Reports.\nversion: 1.4.0\ntags: [a, b]",
    );
    bench.write("own/report/scripts/run.sh", "#!/bin/sh\n", 0o755);
    bench.write("own/report/assets/größe 📎.bin", new Uint8Array([0, 255, 1, 2]));
    bench.write("own/report/.gitignore", "*.log\n");
    bench.write("own/report/empty.txt", "");
    const provenance = { origin: "report", originUrl: "https://git.example/report", ref: "v1.4.0" };
    await publishFolder(report, { by: publisher, provenance }, context);
    await publishFolder(bench.skill("own/plain"), { by: admin, id: "other-name" }, context);
    const edit = {
      name: "Report",
      description: "Said otherwise.",
      tags: ["x"],
      visibility: "public",
    } as const;
    await editSkill("report", edit, { by: admin }, context);
  });
  afterEach(() => bench.close());

  test.each(["zip", "tar.gz"] as const)(
    "exporting as %s, importing and exporting again gives the same bytes [S-46]",
    async (format) => {
      const first = await exportSkills("all", format, context);
      const elsewhere = await bench.context();
      const { skills, hasManifest } = await importSkills(
        archiveInMemory(first.archive),
        { by: admin },
        elsewhere,
      );
      expect(hasManifest).toBe(true);
      expect(skills).toMatchObject([
        { id: "other-name", status: "published", isNew: true, restored: [] },
        { id: "report", status: "published", restored: ["visibility", "name", "description", "tags"] },
      ]);
      const second = await exportSkills("all", format, elsewhere);
      expect(Buffer.compare(second.archive, first.archive)).toBe(0);
      expect(second.skills).toEqual(first.skills);
      expect(await getRow("report", elsewhere)).toMatchObject({
        treeHash: (await getRow("report", context)).treeHash,
        visibility: "public",
        override: { name: "Report", description: "Said otherwise.", tags: ["x"] },
      });
      expect((await fsck({}, elsewhere)).findings).toEqual([]);
      const again = await importSkills(archiveInMemory(first.archive), { by: admin }, elsewhere);
      expect(again.skills.map(({ status }) => status)).toEqual(["unchanged", "unchanged"]);
    },
  );

  test("an export does not reveal the publisher, the time or the machine [S-46]", async () => {
    const { archive } = await exportSkills("all", "tar.gz", context);
    const text = gunzipSync(archive).toString("latin1");
    for (const word of [publisher.user, admin.user, bench.root, new Date().getFullYear()])
      expect(text).not.toMatch(new RegExp(`\\b${word}\\b`));
    const manifest = JSON.parse((await openArchive(archive)).get("skillhold-export.json") ?? "");
    expect(manifest.skills[1]).toEqual({
      id: "report",
      treeHash: (await getRow("report", context)).treeHash,
      skillHash: expect.stringMatching(/^sha256:/),
      version: "1.4.0",
      trust: "user",
      visibility: "public",
      override: { name: "Report", description: "Said otherwise.", tags: ["x"] },
      grants: [],
      provenance: { originUrl: "https://git.example/report", ref: "v1.4.0" },
    });
  });

  test("records an import with its archive and the claimed origin [S-46]", async () => {
    const { archive } = await exportSkills(["report"], "zip", context);
    const elsewhere = await bench.context();
    const { archiveDigest } = await importSkills(archiveInMemory(archive), { by: publisher }, elsewhere);
    const { uid } = await getRow("report", elsewhere);
    expect(archiveDigest).toBe(hashSkillFile(archive));
    expect(await elsewhere.store.findRevision(uid, 1)).toMatchObject({
      trust: "third_party",
      provenance: {
        source: "import",
        originUrl: "https://git.example/report",
        ref: "v1.4.0",
        archiveDigest,
        by: publisher,
      },
    });
  });

  test("permissions and settings depend on the importer, and only administrators restore them [S-14]", async () => {
    const { archive } = await exportSkills(["report"], "zip", context);
    for (const by of [agent, publisher, { ...admin, agent: "helper" }]) {
      const elsewhere = await bench.context();
      const { skills } = await importSkills(archiveInMemory(archive), { by }, elsewhere);
      expect(skills).toMatchObject([{ trust: "third_party", visibility: "private", restored: [] }]);
      expect(await getRow("report", elsewhere)).toMatchObject({ visibility: "private", override: {} });
    }
    const stranger = { user: "sam", role: "publisher" } as const;
    expect((await importSkills(archiveInMemory(archive), { by: stranger }, context)).skills).toMatchObject([
      { id: "report", status: "failed", error: { code: "CONFLICT" } },
    ]);
  });

  test("an import keeps existing visibility and overrides [S-46]", async () => {
    const { archive } = await exportSkills(["report"], "zip", context);
    await publishFolder(bench.skill("own/report", "# New\n"), { by: publisher }, context);
    await editSkill("report", { description: "Ours.", visibility: "private" }, { by: admin }, context);
    const kept = await importSkills(archiveInMemory(archive), { by: admin }, context);
    // The import is a new revision, so the overrides of the old one end.
    expect(kept.skills).toMatchObject([
      { status: "published", revision: 3, visibility: "private", restored: [] },
    ]);
    expect((await getRow("report", context)).override).toEqual({});
    await editSkill("report", { description: "Ours." }, { by: admin }, context);
    const again = await importSkills(archiveInMemory(archive), { by: admin }, context);
    expect(again.skills).toMatchObject([{ status: "unchanged", restored: [] }]);
    expect((await getRow("report", context)).override).toEqual({ description: "Ours." });
  });

  test("a dry run reports the import without making it [S-42]", async () => {
    const { archive } = await exportSkills("all", "zip", context);
    const elsewhere = await bench.context();
    const { skills } = await importSkills(archiveInMemory(archive), { by: admin, dryRun: true }, elsewhere);
    expect(skills).toMatchObject([
      { id: "other-name", status: "published", isDryRun: true },
      { id: "report", status: "published", isDryRun: true, restored: [] },
    ]);
    expect(await elsewhere.store.listSkills()).toEqual([]);
  });

  test("exporting all skills excludes system and deleted ones [S-46]", async () => {
    bench.skill("skills/pdf");
    await seedSkills(bench.path("skills"), {}, context);
    await deleteSkill("other-name", { by: admin }, context);
    const { skills } = await exportSkills("all", "zip", context);
    expect(skills.map(({ id }) => id)).toEqual(["report"]);
    expect((await exportSkills(["pdf"], "zip", context)).skills).toMatchObject([{ id: "pdf" }]);
    for (const id of ["other-name", "nobody"]) {
      await expect(exportSkills([id], "zip", context)).rejects.toMatchObject({ code: "SKILL_NOT_FOUND" });
    }
  });

  test("publishes an archive without a manifest like any other [S-46]", async () => {
    const elsewhere = await bench.context();
    const content = new TextEncoder().encode("---\nname: loose\ndescription: Does things.\n---\n# A\n");
    const archive = await writeArchive("zip", [{ path: "loose/SKILL.md", executable: false, content }]);
    const report = await importSkills(archiveInMemory(archive), { by: admin }, elsewhere);
    expect(report).toMatchObject({
      hasManifest: false,
      skills: [{ id: "loose", status: "published", restored: [] }],
    });
  });

  test("does not export damaged bytes [S-46]", async () => {
    const tree = (await getRow("report", context)).treeHash ?? fail();
    const [file] = (await context.store.findTree(tree)) ?? fail();
    await context.store.blobs.remove([file?.digest ?? fail()], new Date(Date.now() + 60_000));
    await expect(exportSkills("all", "zip", context)).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
  });
});

test("rejects an export that could not be imported and names the limit [S-66]", async () => {
  const bench = new Bench("sqlite");
  try {
    const context = await bench.context();
    for (const id of ["one", "two"]) await publishFolder(bench.skill(`own/${id}`), { by: admin }, context);
    for (const limits of [
      { archiveSkills: 1 },
      { bundleFiles: 1 },
      { unpackedBytes: 99 },
      { archiveBytes: 99 },
    ]) {
      const small = { ...context, limits: { ...context.limits, ...limits } };
      await expect(exportSkills("all", "zip", small)).rejects.toMatchObject({
        code: "LIMIT_EXCEEDED",
        details: { limit: Object.keys(limits)[0] },
      });
    }
  } finally {
    await bench.close();
  }
});

test("an export for ClawHub has only text, no manifest and a license note [S-46]", async () => {
  const bench = new Bench("sqlite");
  try {
    const context = await bench.context();
    const folder = bench.skill("own/one", "# A\n", "description: b\nlicense: Apache-2.0");
    bench.write("own/one/.hidden", "x");
    bench.write("own/one/notes.txt", "kept out");
    bench.write("own/one/.clawhubignore", "notes.txt\n");
    await publishFolder(folder, { by: admin }, context);
    const { archive, notes } = await exportSkills("all", "clawhub", context);
    expect([...(await openArchive(archive)).keys()]).toEqual(["one/SKILL.md"]);
    expect(notes).toEqual([
      expect.stringContaining("MIT-0"),
      expect.stringContaining("Apache-2.0"),
      "one/.clawhubignore was left out (hidden).",
      "one/.hidden was left out (hidden).",
    ]);
    bench.write("own/one/logo.png", new Uint8Array([0x89, 0]));
    await publishFolder(folder, { by: admin }, context);
    await expect(exportSkills("all", "clawhub", context)).rejects.toThrow(/one: logo.png \(not-text\)/);
  } finally {
    await bench.close();
  }
});
