import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pack, treeHash } from "@skillhold/core/bundle";
import { scanGuard } from "@skillhold/deps/guard-scan";
import type { RegistryContext } from "@skillhold/registry/record";
import {
  deleteSkill,
  getRevision,
  getSkill,
  listRevisions,
  publishFolder,
  rollback,
} from "@skillhold/registry/release";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  ada,
  adasAgent,
  admin,
  bob,
  engines,
  openScene,
  type Scene,
  skillText,
  system,
  writeSkill,
} from "./scene.ts";

const other = { "other.txt": "other" };

describe.each(engines)("publishing on %s", (engine) => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await openScene(engine);
  });
  afterEach(async () => {
    await scene.close();
  });

  test("a new skill is revision 1, active, private and owned by its publisher [S-41]", async () => {
    const published = await scene.publish("demo", { "scripts/run.sh*": "#!/bin/sh\n", "a.txt": "a" });
    expect(published).toMatchObject({
      id: "demo",
      revision: 1,
      status: "published",
      isNew: true,
      state: "active",
      visibility: "private",
      trust: "user",
      files: 3,
    });
    const skill = await getSkill("demo", scene.context);
    expect(skill).toMatchObject({ owner: "ada", revision: 1, lastRevision: 1, treeHash: published.treeHash });
    expect(await getSkill(skill.uid, scene.context)).toEqual(skill);
    const tree = await scene.context.store.findTree(published.treeHash);
    expect(tree?.map(({ path, executable }) => [path, executable])).toEqual([
      ["SKILL.md", false],
      ["a.txt", false],
      ["scripts/run.sh", true],
    ]);
    expect(await scene.events()).toMatchObject([
      { type: "skill.published", skill: "demo", revision: 1, hash: published.treeHash, by: ada },
    ]);
  });

  test("the tree hash equals that of the folder, and all bytes can be read back [S-13]", async () => {
    const folder = writeSkill(scene.folder, "demo", {
      "data.bin": new Uint8Array([0, 255, 1]),
      "ü.txt": "ü",
    });
    const published = await publishFolder(folder, { by: ada }, scene.context);
    expect(published.treeHash).toBe((await treeHash(await pack(folder))).hash);
    for (const { path, digest } of (await scene.context.store.findTree(published.treeHash)) ?? [])
      expect(Buffer.from(await scene.context.store.blobs.get(digest))).toEqual(
        readFileSync(join(folder, path)),
      );
  });

  test("publishing the same tree creates no revision or event and restores lost bytes [S-41]", async () => {
    const first = await scene.publish("demo");
    await scene.context.store.blobs.remove([first.skillHash], new Date(Date.now() + 60_000));
    await expect(scene.context.store.blobs.get(first.skillHash)).rejects.toMatchObject({
      code: "INTEGRITY_FAILED",
    });
    const again = await scene.publish("demo");
    expect(again).toMatchObject({ status: "unchanged", revision: 1, uid: first.uid });
    expect(await scene.context.store.blobs.get(first.skillHash)).toBeDefined();
    expect(await scene.events()).toHaveLength(1);
    expect(await listRevisions("demo", scene.context)).toHaveLength(1);
  });

  test("publishing unchanged content scans nothing again and stores nothing [S-41]", async () => {
    const { context } = scene;
    const scanned: string[] = [];
    const report = await scanGuard([], { name: "demo" });
    const counting: RegistryContext = {
      ...context,
      scan: async (files, call) => {
        scanned.push("dependencies");
        return await context.scan(files, call);
      },
      hooks: {
        inspect: async () => {
          scanned.push("guard");
          return report;
        },
      },
    };
    const place = writeSkill(join(scene.folder, "work"), "demo", { "scripts/a.py": "import requests\n" });
    await publishFolder(place, { by: ada }, counting);
    expect(scanned.splice(0).sort()).toEqual(["dependencies", "guard"]);
    const again = await publishFolder(place, { by: ada }, counting);
    expect([again.status, scanned]).toEqual(["unchanged", []]);
    expect(await scene.events()).toHaveLength(1);
    writeFileSync(join(place, "scripts/a.py"), "import httpx\n");
    expect((await publishFolder(place, { by: ada }, counting)).status).toBe("published");
    expect(scanned.sort()).toEqual(["dependencies", "guard"]);
  });

  test("another tree creates the next revision, and a changed script changes the skill [S-13]", async () => {
    await scene.publish("demo", { "scripts/a.py": "1" });
    const second = await scene.publish("demo", { "scripts/a.py": "2" });
    expect(second).toMatchObject({ status: "published", revision: 2, isNew: false });
    expect(await scene.publish("demo", { "scripts/a.py*": "2" })).toMatchObject({ revision: 3 });
    expect((await listRevisions("demo", scene.context)).map(({ revision }) => revision)).toEqual([3, 2, 1]);
  });

  test("warns if any older revision has the same version with other content [S-6]", async () => {
    const version = (number: string, body: string) => ({
      "SKILL.md": skillText("demo", body, { version: number }),
    });
    await scene.publish("demo", version("1.0.0", "one"));
    expect((await scene.publish("demo", version("1.1.0", "two"))).warnings).toEqual([]);
    const third = await scene.publish("demo", version("1.0.0", "three"));
    expect(third.warnings).toEqual(["Version 1.0.0 is already used by revision 1 with other content."]);
    expect(third).toMatchObject({ status: "published", revision: 3, version: "1.0.0" });
  });

  test("trust depends on the publisher, never on the skill [S-14]", async () => {
    const trust = async (id: string, by: typeof ada) =>
      (
        await scene.publish(
          id,
          { "SKILL.md": skillText(id, "x", { trust: "builtin", source: "builtin" }) },
          { by },
        )
      ).trust;
    expect(await trust("one", admin)).toBe("org");
    expect(await trust("two", ada)).toBe("user");
    expect(await trust("three", adasAgent)).toBe("third_party");
    expect(await trust("four", system)).toBe("builtin");
    expect(await trust("five", { ...admin, agent: "helper" })).toBe("third_party");
    const installed = await scene.publish("six", {}, { by: admin, provenance: { source: "git" } });
    expect(installed.trust).toBe("third_party");
  });

  test("the same bytes with higher trust create a revision, with lower trust they do not [S-14]", async () => {
    await scene.publish("demo", {}, { by: adasAgent });
    expect(await scene.publish("demo", {}, { by: ada })).toMatchObject({ revision: 2, trust: "user" });
    expect(await scene.publish("demo", {}, { by: adasAgent })).toMatchObject({
      status: "unchanged",
      trust: "user",
    });
    expect(await scene.publish("demo", {}, { by: admin })).toMatchObject({ revision: 3, trust: "org" });
    expect(await getSkill("demo", scene.context)).toMatchObject({ owner: "ada" });
  });

  test("rejects ids of system skills and of other users without revealing them [S-41]", async () => {
    await scene.publish("core", {}, { by: system });
    await scene.publish("demo");
    await scene.publish("gone");
    await deleteSkill("gone", { by: ada }, scene.context);
    for (const by of [ada, admin, adasAgent])
      await expect(scene.publish("core", other, { by })).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(scene.publish("demo", {}, { by: system })).rejects.toMatchObject({ code: "CONFLICT" });
    for (const id of ["demo", "gone"])
      await expect(scene.publish(id, {}, { by: bob })).rejects.toThrow(`The id ${id} is taken.`);
    expect(await scene.publish("demo", other, { by: admin })).toMatchObject({ revision: 2 });
    expect(await scene.events()).toHaveLength(5);
  });

  test("a system skill is public and owned by the system [S-40]", async () => {
    expect(await scene.publish("core", {}, { by: system })).toMatchObject({
      visibility: "public",
      trust: "builtin",
    });
    expect(await getSkill("core", scene.context)).toMatchObject({ isSystem: true, owner: "system" });
  });

  test("a dry run reports the changes without making them [S-42]", async () => {
    const dry = await scene.publish("demo", {}, { dryRun: true });
    expect(dry).toMatchObject({
      isDryRun: true,
      isNew: true,
      revision: 1,
      uid: undefined,
      status: "published",
    });
    expect(await scene.context.store.findSkill("demo")).toBeUndefined();
    expect(await scene.context.store.findTree(dry.treeHash)).toBeUndefined();
    await expect(scene.context.store.blobs.get(dry.skillHash)).rejects.toMatchObject({
      code: "INTEGRITY_FAILED",
    });
    await scene.publish("demo");
    expect(await scene.publish("demo", {}, { dryRun: true })).toMatchObject({
      status: "unchanged",
      revision: 1,
    });
    expect(await scene.publish("demo", other, { dryRun: true })).toMatchObject({ revision: 2, isNew: false });
    await expect(scene.publish("demo", {}, { dryRun: true, by: bob })).rejects.toMatchObject({
      code: "CONFLICT",
    });
    expect(await scene.events()).toHaveLength(1);
  });

  test("missing dependencies archive an upload and warn the publisher [S-38]", async () => {
    const hooks = { missing: async () => ["pip:openpyxl"] };
    const context = { ...scene.context, hooks };
    const folder = writeSkill(scene.folder, "demo");
    const up = await publishFolder(folder, { by: ada, entry: "upload" }, context);
    expect(up).toMatchObject({ state: "archived", missing: ["pip:openpyxl"] });
    expect(await getSkill("demo", context)).toMatchObject({ status: "archived", reason: "deps" });
    expect(await publishFolder(folder, { by: ada, entry: "upload" }, context)).toMatchObject({
      status: "unchanged",
    });
    const published = await publishFolder(folder, { by: ada }, context);
    expect(published).toMatchObject({ state: "active", status: "published", revision: 2 });
    expect(published.warnings).toEqual(["These dependencies are missing on this machine: pip:openpyxl."]);
    expect(await getSkill("demo", context)).toMatchObject({ reason: undefined, missing: ["pip:openpyxl"] });
  });

  test("an administrator's upload is internal, and later revisions keep the visibility [S-41]", async () => {
    expect(await scene.publish("up", {}, { by: admin, entry: "upload" })).toMatchObject({
      visibility: "internal",
    });
    expect(await scene.publish("up", { "a.txt": "a" }, { by: admin })).toMatchObject({
      visibility: "internal",
    });
    expect(await scene.publish("mine", {}, { entry: "upload" })).toMatchObject({ visibility: "private" });
  });

  test("publishing a deleted skill makes it active and private with the next number [S-41]", async () => {
    await scene.publish("demo", {}, { by: admin, entry: "upload" });
    await deleteSkill("demo", { by: admin }, scene.context);
    const again = await scene.publish("demo", {}, { by: admin });
    expect(again).toMatchObject({ status: "published", revision: 2, state: "active", visibility: "private" });
    expect(await getSkill("demo", scene.context)).toMatchObject({ deletedAt: undefined, lastRevision: 2 });
  });

  test("new numbers follow the highest one, also after a rollback [S-41]", async () => {
    await scene.publish("demo", { "a.txt": "1" });
    await scene.publish("demo", { "a.txt": "2" });
    await rollback("demo", 1, { by: ada }, scene.context);
    expect(await scene.publish("demo", { "a.txt": "1" })).toMatchObject({ status: "unchanged", revision: 1 });
    expect(await scene.publish("demo", { "a.txt": "2" })).toMatchObject({ status: "published", revision: 3 });
  });

  test("stores the dependencies found in the code with the revision [S-41]", async () => {
    await scene.publish("demo", { "scripts/a.py": "import openpyxl\n" });
    const { manifest, provenance, frontmatter } = await getRevision("demo", undefined, scene.context);
    expect(manifest.dependencies.map(({ kind, name }) => `${kind}:${name}`)).toContain("pip:openpyxl");
    expect(provenance).toMatchObject({ source: "folder", origin: "demo", by: ada });
    expect(frontmatter).toMatchObject({ name: "demo" });
  });

  test("a canceled publish stores no skill [S-41]", async () => {
    const signal = AbortSignal.abort();
    await expect(scene.publish("demo", {}, { signal })).rejects.toMatchObject({ code: "INTERRUPTED" });
    expect(await scene.context.store.listSkills()).toEqual([]);
  });
});
