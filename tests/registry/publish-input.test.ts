import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withLimits } from "@skillhold/protocol";
import { getRevision, getSkill, publishFolder } from "@skillhold/registry/release";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ada, adasAgent, engines, openScene, type Scene, skillText, writeSkill } from "./scene.ts";

describe.each(engines)("input for publishing on %s", (engine) => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await openScene(engine);
  });
  afterEach(async () => {
    await scene.close();
  });

  test("the id comes from the slug or the name, or must be given [S-5]", async () => {
    const as = async (fields: Record<string, string>, id?: string) =>
      (
        await scene.publish(
          "folder",
          { "SKILL.md": skillText("x", "b", fields) },
          id === undefined ? {} : { id },
        )
      ).id;
    expect(await as({ name: "My Awesome Skill" })).toBe("my-awesome-skill");
    expect(await as({ name: "Another", slug: "from-slug" })).toBe("from-slug");
    expect(await as({ name: "技能" }, "chosen")).toBe("chosen");
    await expect(as({ name: "技能" })).rejects.toMatchObject({
      code: "USAGE",
      hint: expect.stringContaining("--id"),
    });
    const badSlug = { code: "USAGE", message: 'The slug "Not An Id" is not a valid id.' };
    await expect(as({ name: "fine", slug: "Not An Id" })).rejects.toMatchObject(badSlug);
    await expect(as({ name: "ok" }, "../up")).rejects.toMatchObject({ code: "USAGE" });
    await expect(as({ name: "upload" })).rejects.toMatchObject({ code: "SKILL_INVALID" });
    const uid = (await getSkill("chosen", scene.context)).uid;
    await expect(as({ name: "ok" }, uid)).rejects.toMatchObject({ code: "USAGE" });
    expect(await getRevision("my-awesome-skill", 1, scene.context)).toMatchObject({
      record: { name: "My Awesome Skill" },
    });
  });

  test("rejects an invalid skill with its diagnostics and stores no data [S-41]", async () => {
    const refused = scene.publish("demo", { "SKILL.md": "---\nname: demo\n---\n" });
    await expect(refused).rejects.toMatchObject({
      code: "SKILL_INVALID",
      details: { diagnostics: expect.arrayContaining([expect.objectContaining({ code: "DESC_MISSING" })]) },
    });
    const guard = async () => [
      { code: "GUARD_X", severity: "error" as const, line: 1, column: 1, message: "No.", fix: "" },
    ];
    const folder = writeSkill(scene.folder, "demo");
    const guarded = { ...scene.context, hooks: { guard } };
    await expect(publishFolder(folder, { by: ada }, guarded)).rejects.toMatchObject({
      code: "SKILL_INVALID",
    });
    await expect(publishFolder(join(scene.folder, "work"), { by: ada }, scene.context)).rejects.toMatchObject(
      {
        code: "SKILL_INVALID",
      },
    );
    await expect(
      publishFolder(join(scene.folder, "nowhere"), { by: ada }, scene.context),
    ).rejects.toMatchObject({
      code: "PATH_NOT_FOUND",
    });
    expect(await scene.context.store.listSkills()).toEqual([]);
  });

  test.each(["1\0", "1.0.0\ud800"])(
    "a version that cannot be stored is an error of the skill [S-6]",
    async (version) => {
      for (const field of [
        `version: ${JSON.stringify(version)}`,
        `metadata: { version: ${JSON.stringify(version)} }`,
      ]) {
        const text = `---\nname: demo\ndescription: Does things.\n${field}\n---\n# A\n`;
        await expect(scene.publish("demo", { "SKILL.md": text })).rejects.toMatchObject({
          code: "SKILL_INVALID",
          details: { diagnostics: [{ code: "VERSION_NOT_SEMVER", severity: "error" }] },
        });
      }
    },
  );

  test("rejects a SKILL.md over 100 KB and a skill over 20 MB and names the limit [S-11]", async () => {
    const long = skillText("demo", "x ".repeat(60_000));
    await expect(scene.publish("demo", { "SKILL.md": long })).rejects.toMatchObject({
      details: {
        diagnostics: expect.arrayContaining([expect.objectContaining({ code: "WRITTEN_FILE_TOO_LARGE" })]),
      },
    });
    const big = { "a.bin": new Uint8Array(800_000), "b.bin": new Uint8Array(800_000) };
    const context = { ...scene.context, limits: withLimits({ archiveBytes: 1024 * 1024 }) };
    const folder = writeSkill(scene.folder, "big", big);
    await expect(publishFolder(folder, { by: ada }, context)).rejects.toMatchObject({
      code: "LIMIT_EXCEEDED",
      details: { limit: "archiveBytes" },
    });
  });

  test("omits and lists links, and includes no file from outside the folder [S-41]", async () => {
    writeFileSync(join(scene.folder, "secret.txt"), "secret");
    const folder = writeSkill(scene.folder, "demo");
    symlinkSync("../secret.txt", join(folder, "link.txt"));
    linkSync(join(scene.folder, "secret.txt"), join(folder, "hard.txt"));
    const published = await publishFolder(folder, { by: ada }, scene.context);
    expect(published.omitted.map(({ path, reason }) => [path, reason])).toEqual([
      ["hard.txt", "hard-link"],
      ["link.txt", "link"],
    ]);
    expect(published.files).toBe(1);
  });

  test("an agent can publish only from its workspace, however the path is written [S-41]", async () => {
    const workspace = join(scene.folder, "workspace");
    const inside = writeSkill(workspace, "demo", { "scripts/a.mjs": 'import "../_shared/x.mjs";\n' });
    const outside = writeSkill(scene.folder, "outside");
    mkdirSync(join(scene.folder, "workspace-2"));
    symlinkSync(outside, join(workspace, "trick"));
    const options = { by: adasAgent, roots: [workspace] };
    expect(await publishFolder(inside, options, scene.context)).toMatchObject({ trust: "third_party" });
    for (const path of [
      outside,
      join(workspace, "trick"),
      join(workspace, "..", "outside"),
      join(scene.folder, "workspace-2"),
    ])
      await expect(publishFolder(path, options, scene.context)).rejects.toMatchObject({
        code: "POLICY_DENIED",
      });
    expect(await getRevision("demo", 1, scene.context)).toMatchObject({
      provenance: { source: "agent", by: adasAgent },
    });
  });

  test("copies shared helpers only from the root of the skill [S-13]", async () => {
    const library = join(scene.folder, "library");
    const folder = writeSkill(library, "demo", { "scripts/a.mjs": 'import "../_shared/x.mjs";\n' });
    mkdirSync(join(library, "_shared"));
    writeFileSync(join(library, "_shared", "x.mjs"), "export {};\n");
    expect(await publishFolder(folder, { by: ada }, scene.context)).toMatchObject({ files: 3 });
    expect(await publishFolder(folder, { by: ada, within: folder }, scene.context)).toMatchObject({
      files: 2,
    });
  });
});
