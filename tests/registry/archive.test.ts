import { randomBytes } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ArchiveBytes, archiveInMemory, openArchiveFile, writeArchive } from "@skillhold/core/archive";
import { hashSkillFile } from "@skillhold/core/bundle";
import { forgeZip } from "@skillhold/core/test/archive/forge.fixture";
import { SkillError } from "@skillhold/protocol";
import { getRevision, getSkill, publishArchive } from "@skillhold/registry/release";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  ada,
  adasAgent,
  admin,
  engines,
  openScene,
  type Scene,
  type SkillFiles,
  skillText,
} from "./scene.ts";

describe.each(engines)("archives on %s", (engine) => {
  let scene: Scene;
  let temporary: string;
  beforeEach(async () => {
    scene = await openScene(engine);
    // Archives are unpacked in memory, so the folder for temporary files is not needed.
    temporary = join(scene.folder, "missing");
    vi.stubEnv("TMPDIR", temporary);
  });
  afterEach(async () => {
    expect(existsSync(temporary)).toBe(false);
    await scene.close();
  });
  const publish = (archive: Uint8Array, options: object = {}) =>
    publishArchive(archiveInMemory(archive), { by: ada, ...options }, scene.context);

  test.each(["zip", "tar.gz"] as const)(
    "a skill from %s equals the skill from its folder [S-42]",
    async (format) => {
      const files = { "SKILL.md": skillText("demo"), "scripts/run.sh*": "#!/bin/sh\n" };
      const folder = await scene.publish("demo", files);
      for (const prefix of ["", "demo/", "repo-main/skills/demo/"]) {
        const archive = await pack(format, prefix, files);
        const { skills, archiveDigest } = await publish(archive);
        expect(skills).toMatchObject([{ id: "demo", status: "unchanged", treeHash: folder.treeHash }]);
        expect(archiveDigest).toBe(hashSkillFile(archive));
      }
    },
  );

  test("lists the entries of macOS that were dropped, per skill [S-42] [S-13]", async () => {
    const entries = {
      "a/SKILL.md": skillText("a"),
      "a/.DS_Store": "x",
      "a/docs/._b": "x",
      "b/SKILL.md": skillText("b"),
      "b/._SKILL.md": "x",
      "__MACOSX/b/._SKILL.md": "x",
    };
    const { skills } = await publish(
      forgeZip(Object.entries(entries).map(([name, data]) => ({ name, data: Buffer.from(data) }))),
    );
    const paths = skills.map((each) =>
      each.status === "failed" ? each.error : each.omitted.map(({ path, reason }) => `${reason} ${path}`),
    );
    expect(paths).toEqual([
      ["junk .DS_Store", "junk __MACOSX/b/._SKILL.md", "junk docs/._b"],
      ["junk ._SKILL.md"],
    ]);
  });

  test("publishes an archive from a file and rejects one that changes while it is read [S-42]", async () => {
    const files = { "SKILL.md": skillText("demo"), "a.bin": randomBytes(9_000_000) };
    const archive = await pack("zip", "", files);
    const path = join(scene.folder, "demo.zip");
    writeFileSync(path, archive);
    const opened = await openArchiveFile(path);
    try {
      let read = 0;
      const changing: ArchiveBytes = {
        size: opened.size,
        read: async (start, into) => {
          // Changes the first bytes after the whole file was read once.
          if (read === opened.size) writeFileSync(path, "PK!!", { flag: "r+" });
          read += into.length;
          await opened.read(start, into);
        },
      };
      await expect(publishArchive(changing, { by: ada }, scene.context)).rejects.toMatchObject({
        code: "IO_FAILED",
      });
      expect(await scene.context.store.listSkills()).toEqual([]);
      writeFileSync(path, archive);
      const { skills, archiveDigest } = await publishArchive(opened, { by: ada }, scene.context);
      expect(skills).toMatchObject([{ id: "demo", status: "published" }]);
      expect(archiveDigest).toBe(hashSkillFile(archive));
    } finally {
      await opened.close();
    }
  });

  test("records the origin of a skill, and trust depends on the publisher [S-41]", async () => {
    const archive = await pack("zip", "", { "SKILL.md": skillText("demo") });
    const { archiveDigest } = await publish(archive, { by: adasAgent, provenance: { origin: "demo.zip" } });
    expect(await getRevision("demo", 1, scene.context)).toMatchObject({
      trust: "third_party",
      provenance: { source: "archive", archiveDigest, origin: "demo.zip", by: adasAgent },
    });
    const uploaded = await publish(await pack("zip", "", { "SKILL.md": skillText("up") }), {
      by: admin,
      entry: "upload",
    });
    expect(uploaded.skills).toMatchObject([{ visibility: "internal", trust: "org" }]);
  });

  test("each skill of an archive has its own result [S-42]", async () => {
    const archive = await writeArchive("zip", [
      ...entries("good/", { "SKILL.md": skillText("good") }),
      ...entries("bad/", { "SKILL.md": "---\nname: bad\n---\n" }),
      ...entries("double/", { "SKILL.md": skillText("good", "other") }),
      ...entries("last/", { "SKILL.md": skillText("last") }),
    ]);
    const { skills } = await publish(archive);
    expect(skills.map(({ id, status }) => [id, status])).toEqual([
      [undefined, "failed"],
      ["good", "published"],
      ["good", "failed"],
      ["last", "published"],
    ]);
    expect(skills).toContainEqual(
      expect.objectContaining({
        path: "bad",
        error: expect.objectContaining({ code: "SKILL_INVALID" }),
        diagnostics: expect.arrayContaining([expect.objectContaining({ code: "DESC_MISSING" })]),
      }),
    );
    expect(skills).toContainEqual(
      expect.objectContaining({ status: "failed", error: expect.objectContaining({ code: "CONFLICT" }) }),
    );
    expect((await scene.context.store.listSkills()).map(({ id }) => id)).toEqual(["good", "last"]);
  });

  test.each(["STORE_FAILED", "INTERRUPTED"] as const)(
    "a failure of the whole operation (%s) stops all skills [S-42]",
    async (code) => {
      const archive = await writeArchive("zip", [
        ...entries("a/", { "SKILL.md": skillText("a") }),
        ...entries("b/", { "SKILL.md": skillText("b") }),
      ]);
      const guard = async () => {
        throw new SkillError(code, "Not now.");
      };
      const context = { ...scene.context, hooks: { guard } };
      await expect(publishArchive(archiveInMemory(archive), { by: ada }, context)).rejects.toMatchObject({
        code,
      });
    },
  );

  test("an id can be given only for an archive with one skill [S-5]", async () => {
    const one = await pack("zip", "", { "SKILL.md": skillText("技能") });
    expect((await publish(one, { id: "chosen" })).skills).toMatchObject([{ id: "chosen" }]);
    expect((await publish(one)).skills).toMatchObject([{ status: "failed", error: { code: "USAGE" } }]);
    const two = await writeArchive("zip", [
      ...entries("a/", { "SKILL.md": skillText("a") }),
      ...entries("b/", { "SKILL.md": skillText("b") }),
    ]);
    await expect(publish(two, { id: "chosen" })).rejects.toMatchObject({ code: "USAGE" });
  });

  test("a dry run of an archive reports the changes without making them [S-42]", async () => {
    const archive = await pack("tar.gz", "", { "SKILL.md": skillText("demo") });
    expect((await publish(archive, { dryRun: true })).skills).toMatchObject([
      { id: "demo", isDryRun: true, revision: 1 },
    ]);
    expect(await scene.events()).toEqual([]);
    await expect(getSkill("demo", scene.context)).rejects.toMatchObject({ code: "SKILL_NOT_FOUND" });
  });

  test("rejects an invalid archive as a whole [S-42]", async () => {
    const archive = Buffer.from(await pack("zip", "", { "SKILL.md": skillText("demo"), "aa/aa": "x" }));
    for (let at = archive.indexOf("aa/aa"); at !== -1; at = archive.indexOf("aa/aa", at + 1))
      archive.write("../up", at);
    await expect(publish(archive)).rejects.toMatchObject({ code: "ARCHIVE_INVALID" });
    await expect(publish(new Uint8Array([1, 2, 3]))).rejects.toMatchObject({ code: "ARCHIVE_INVALID" });
    await expect(publish(await pack("zip", "", { "a.txt": "a" }))).rejects.toMatchObject({
      code: "ARCHIVE_INVALID",
    });
    expect(await scene.context.store.listSkills()).toEqual([]);
  });
});

async function pack(format: "zip" | "tar.gz", prefix: string, files: SkillFiles): Promise<Uint8Array> {
  return await writeArchive(format, entries(prefix, files));
}

function entries(prefix: string, files: SkillFiles) {
  return Object.entries(files).map(([name, content]) => ({
    path: `${prefix}${name.replace(/\*$/, "")}`,
    executable: name.endsWith("*"),
    content: typeof content === "string" ? Buffer.from(content) : content,
  }));
}
