import { openLayeredLibrary, openMemoryLibrary } from "@skillhold/core/library";
import { skill as skillText } from "@skillhold/core/test/library/library.contract";
import { SkillError } from "@skillhold/protocol";
import { archiveSkill, toggleFolderSkill, toggleSkill, unarchiveSkill } from "@skillhold/registry/access";
import { openRegistryLibrary } from "@skillhold/registry/library";
import type { RegistryContext } from "@skillhold/registry/record";
import { deleteSkill, editSkill, publishFolder } from "@skillhold/registry/release";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  ada,
  adasAgent,
  admin,
  bob,
  engines,
  openScene,
  type Scene,
  system,
  writeSkill,
} from "../registry/scene.ts";
import { host, withAnswers } from "../registry-library/store.fixture.ts";

const owner = { runtime: "test", user: "ada" };

describe.each(engines)("switches on %s", (engine) => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await openScene(engine);
  });
  afterEach(async () => {
    await scene.close();
  });

  const lacking = (missing: readonly string[]): RegistryContext => ({
    ...scene.context,
    hooks: { missing: async () => missing },
  });

  test.each([
    [true, "active", undefined, "visible"],
    [true, "archived", "deps", "visible"],
    [false, "active", undefined, "disabled"],
    [false, "archived", "deps", "disabled"],
    [true, "archived", "out of date", "archived"],
    [false, "archived", "out of date", "disabled"],
  ] as const)("enabled %j, %s for %j is %s [S-44]", async (isEnabled, status, reason, expected) => {
    const { context } = scene;
    const missing = reason === "deps" ? ["pip:x"] : [];
    const folder = writeSkill(scene.folder, "demo");
    await publishFolder(folder, { by: ada, entry: "upload" }, lacking(missing));
    if (status === "archived" && reason !== "deps") await archiveSkill("demo", { by: ada, reason }, context);
    if (!isEnabled) await toggleSkill("demo", false, { by: admin }, context);
    expect(await context.store.findSkill("demo")).toMatchObject({ isEnabled, status });
    const library = await openRegistryLibrary({ host }, context);
    const [explained] = await library.explain(owner, "demo");
    expect(explained?.reason).toBe(expected);
    expect(explained?.warnings.length === 0).toBe(reason !== "deps" || !isEnabled);
    expect((await library.search(owner, "demo")).length).toBe(expected === "visible" ? 1 : 0);
    await library.close();
  });

  test("enabling checks dependencies again: restores a skill that waited for them and archives one that lacks them [S-38] [S-44]", async () => {
    const folder = writeSkill(scene.folder, "demo");
    await publishFolder(folder, { by: ada, entry: "upload" }, lacking(["pip:x"]));
    const off = await toggleSkill("demo", false, { by: ada }, lacking([]));
    expect(off).toMatchObject({ ok: true, enabled: false, status: "archived" });
    expect(await toggleSkill("demo", true, { by: admin }, lacking(["pip:x"]))).toMatchObject({
      ok: true,
      enabled: true,
      status: "archived",
      reason: "deps",
    });
    const on = await toggleSkill("demo", true, { by: admin }, lacking([]));
    expect(on).toMatchObject({ ok: true, enabled: true, status: "active", missing: [] });
    expect((await scene.events()).slice(-3)).toMatchObject([
      { type: "skill.toggled", isEnabled: false, scope: "registry", by: ada },
      { type: "skill.toggled", isEnabled: true, scope: "registry", by: admin },
      { type: "skill.status_changed", status: "active", missing: [], by: admin },
    ]);
    expect(await toggleSkill("demo", true, { by: admin }, lacking(["jq"]))).toMatchObject({
      status: "archived",
      missing: ["jq"],
    });
  });

  test("a skill that a person unarchived stays active when it is switched off and on [S-38] [S-44]", async () => {
    const folder = writeSkill(scene.folder, "demo");
    await publishFolder(folder, { by: ada, entry: "upload" }, lacking(["pip:x"]));
    await unarchiveSkill("demo", { by: ada }, scene.context);
    await toggleSkill("demo", false, { by: ada }, lacking(["pip:x"]));
    expect(await toggleSkill("demo", true, { by: ada }, lacking(["pip:x"]))).toMatchObject({
      status: "active",
      missing: ["pip:x"],
    });
  });

  test("only administrators switch system skills and change their tags [S-44] [S-45]", async () => {
    const { context } = scene;
    const folder = writeSkill(scene.folder, "core");
    await publishFolder(folder, { by: { user: "system", role: "system" } }, context);
    await expect(toggleSkill("core", false, { by: ada }, context)).rejects.toMatchObject({
      code: "CONFLICT",
      hint: expect.stringContaining("Only administrators"),
    });
    expect(await toggleSkill("core", false, { by: admin }, context)).toMatchObject({ enabled: false });
    const tags = ["office"];
    expect(await editSkill("core", { tags }, { by: admin }, context)).toMatchObject({ status: "edited" });
    expect((await context.store.findSkill("core"))?.override).toEqual({ tags });
    await expect(editSkill("core", { tags }, { by: ada }, context)).rejects.toMatchObject({
      code: "CONFLICT",
    });
    await expect(editSkill("core", { tags, name: "x" }, { by: admin }, context)).rejects.toMatchObject({
      code: "CONFLICT",
    });
  });

  test("a failed check leaves the skill enabled with its status and adds a warning [S-44]", async () => {
    await scene.publish("demo");
    await toggleSkill("demo", false, { by: admin }, scene.context);
    const failing: RegistryContext = {
      ...scene.context,
      hooks: { missing: () => Promise.reject(new SkillError("SANDBOX_UNAVAILABLE", "No sandbox.")) },
    };
    expect(await toggleSkill("demo", true, { by: admin }, failing)).toMatchObject({
      enabled: true,
      status: "active",
      warnings: ["The dependencies could not be checked: No sandbox."],
    });
  });

  test("a skill archived by a person stays archived until a person or a new revision changes that [S-38]", async () => {
    const { context } = scene;
    await scene.publish("demo");
    const archived = await archiveSkill("demo", { by: ada, reason: " Out of date. " }, context);
    expect(archived).toMatchObject({ status: "archived", skill: { reason: "Out of date." } });
    expect((await scene.events()).at(-1)).toMatchObject({
      status: "archived",
      reason: "Out of date.",
      by: ada,
    });
    await toggleSkill("demo", false, { by: admin }, context);
    expect(await toggleSkill("demo", true, { by: admin }, lacking([]))).toMatchObject({ status: "archived" });
    expect(await unarchiveSkill("demo", { by: ada }, context)).toMatchObject({ status: "unarchived" });
    expect(await unarchiveSkill("demo", { by: ada }, context)).toMatchObject({ status: "unchanged" });
    await archiveSkill("demo", { by: ada, reason: "Again." }, context);
    expect(await scene.publish("demo", { "a.txt": "a" })).toMatchObject({ state: "active" });
    for (const reason of ["deps", " DEPS ", "", "two\nlines", "x".repeat(501)])
      await expect(archiveSkill("demo", { by: ada, reason }, context)).rejects.toMatchObject({
        code: "USAGE",
      });
  });

  test("only an administrator enables what an administrator disabled, and toggles system skills [S-44]", async () => {
    const { context } = scene;
    await scene.publish("demo");
    await scene.publish("bundled", {}, { by: system });
    await expect(toggleSkill("demo", false, { by: bob }, context)).rejects.toMatchObject({
      code: "SKILL_NOT_FOUND",
    });
    for (const by of [ada, bob])
      await expect(toggleSkill("bundled", false, { by }, context)).rejects.toMatchObject({
        code: "CONFLICT",
      });
    await expect(toggleSkill("demo", false, { by: adasAgent }, context)).rejects.toMatchObject({
      code: "POLICY_DENIED",
    });
    await toggleSkill("demo", false, { by: admin }, context);
    await expect(toggleSkill("demo", true, { by: ada }, context)).rejects.toMatchObject({
      code: "POLICY_DENIED",
    });
    expect(await scene.publish("demo", { "a.txt": "a" })).toMatchObject({ revision: 2 });
    expect(await context.store.findSkill("demo")).toMatchObject({ isEnabled: false });
    await toggleSkill("demo", true, { by: admin }, context);
    await toggleSkill("demo", false, { by: ada }, context);
    expect(await toggleSkill("demo", true, { by: ada }, context)).toMatchObject({ enabled: true });
    await toggleSkill("demo", false, { by: admin }, context);
    await toggleSkill("bundled", false, { by: admin }, context);
    expect(await context.store.findSkill("bundled")).toMatchObject({ isEnabled: false });
    expect(await toggleSkill("bundled", true, { by: admin }, context)).toMatchObject({ enabled: true });
    await deleteSkill("demo", { by: ada }, context);
    await expect(toggleSkill("demo", true, { by: admin }, context)).rejects.toMatchObject({
      code: "CONFLICT",
    });
  });

  test("disabling a folder skill hides it for all users of the registry but not a registry skill with its name [S-44]", async () => {
    const { context } = scene;
    await scene.publish("both");
    const folders = openMemoryLibrary([{ ...skillText("both"), trust: "third_party" }, skillText("local")], {
      host,
    });
    const registry = await openRegistryLibrary({ host }, context);
    const { disabledFolders } = registry;
    const library = openLayeredLibrary([folders, registry], { settings: { disabledFolders } });
    const ids = async () => (await library.list(owner)).map(({ id, source }) => `${source}:${id}`);
    expect(await ids()).toEqual(["registry:both", "memory:local"]);
    expect(await toggleFolderSkill("local", false, { by: ada }, context)).toMatchObject({ by: "ada" });
    await toggleFolderSkill("both", false, { by: ada }, context);
    expect(await ids()).toEqual(["registry:both"]);
    expect((await library.explain(owner, "local"))[0]).toMatchObject({ reason: "disabled" });
    expect((await scene.events()).at(-1)).toMatchObject({ type: "skill.toggled", scope: "folder", by: ada });
    await expect(toggleFolderSkill("local", true, { by: bob }, context)).rejects.toMatchObject({
      code: "POLICY_DENIED",
    });
    await expect(toggleFolderSkill("local", true, { by: adasAgent }, context)).rejects.toMatchObject({
      code: "POLICY_DENIED",
    });
    await expect(toggleFolderSkill("../x", false, { by: ada }, context)).rejects.toMatchObject({
      code: "USAGE",
    });
    await toggleFolderSkill("local", true, { by: ada }, context);
    expect(await ids()).toEqual(["registry:both", "memory:local"]);
    await library.close();
  });

  test("if the store cannot report disabled skills, no skill is shown, not even from folders [S-43]", async () => {
    const { context } = scene;
    await scene.publish("demo");
    let isDown = false;
    const fail = () => Promise.reject(new SkillError("STORE_FAILED", "It is down."));
    const { store } = context;
    const failing = withAnswers(store, {
      eventsAfter: (seq, limit) => (isDown ? fail() : store.eventsAfter(seq, limit)),
      version: () => (isDown ? fail() : store.version()),
      listGrants: (uids) => (isDown ? fail() : store.listGrants(uids)),
    });
    const registry = await openRegistryLibrary({ host }, { ...context, store: failing });
    const folders = openMemoryLibrary([skillText("local")], { host });
    const library = openLayeredLibrary([folders, registry], {
      settings: { disabledFolders: registry.disabledFolders },
    });
    expect(await library.list(owner)).toHaveLength(2);
    isDown = true;
    for (const call of [
      () => library.list(owner),
      () => library.find(owner, "local"),
      () => library.search(owner, "demo"),
      () => library.read(owner, "demo"),
      () => library.resource(owner, "demo", "SKILL.md"),
    ])
      await expect(call()).rejects.toMatchObject({ code: "STORE_FAILED" });
    await library.close();
  });
});
