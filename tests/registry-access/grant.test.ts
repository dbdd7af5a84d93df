import type { Actor } from "@skillhold/protocol";
import {
  addAgent,
  changeAgent,
  explainAccess,
  grantSkill,
  listAgents,
  listGrants,
  removeAgent,
  revokeSkill,
  viewerFor,
} from "@skillhold/registry/access";
import type { Grantee } from "@skillhold/registry/record";
import { deleteSkill, editSkill, purgeSkill, restoreSkill, rollback } from "@skillhold/registry/release";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ada, adasAgent, admin, bob, engines, openScene, type Scene, system } from "../registry/scene.ts";
import { host } from "../registry-library/store.fixture.ts";

const helper: Grantee = { kind: "agent", key: "helper" };
const toBob: Grantee = { kind: "user", key: "bob" };
const eve: Actor = { user: "eve", role: "publisher" };

describe.each(engines)("grants on %s", (engine) => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await openScene(engine);
    await scene.publish("demo");
    await addAgent({ key: "helper", runtime: "test" }, { by: ada }, scene.context);
  });
  afterEach(async () => {
    await scene.close();
  });

  const access = async (viewer: { readonly agent?: string; readonly user?: string }) =>
    await explainAccess("demo", { runtime: "test", ...viewer }, host, scene.context);

  test("stores a grant with its author and records it in the same transaction [S-43] [S-62]", async () => {
    const { context } = scene;
    const granted = await grantSkill("demo", helper, { by: ada, pin: 1 }, context);
    expect(granted).toMatchObject({ id: "demo", status: "granted", visibility: "internal" });
    expect(await listGrants("demo", { by: ada }, context)).toMatchObject([
      { grantee: helper, canManage: false, pin: 1, grantedBy: "ada" },
    ]);
    expect((await scene.events()).at(-1)).toMatchObject({
      type: "grant.given",
      skill: "demo",
      by: ada,
      grantee: helper,
      pin: 1,
      visibility: "internal",
    });
    const events = (await scene.events()).length;
    expect(await grantSkill("demo", helper, { by: ada, pin: 1 }, context)).toMatchObject({
      status: "unchanged",
    });
    expect(await scene.events()).toHaveLength(events);
    await revokeSkill("demo", helper, { by: ada }, context);
    expect((await scene.events()).at(-1)).toMatchObject({ type: "grant.revoked", visibility: "private" });
    expect(await revokeSkill("demo", helper, { by: ada }, context)).toMatchObject({ status: "unchanged" });
  });

  test("explains access by the rule that decides it [S-19] [S-43]", async () => {
    const { context } = scene;
    await grantSkill("demo", helper, { by: ada }, context);
    await grantSkill("demo", toBob, { by: ada, pin: 1 }, context);
    await scene.publish("demo", { "a.txt": "a" });
    expect(await access({ user: "ada" })).toMatchObject({
      rule: "owner",
      message: "The skill is visible: ada owns it.",
    });
    expect(await access({ agent: "helper" })).toMatchObject({
      isVisible: true,
      rule: "agent-grant",
      revision: 2,
    });
    expect(await access({ user: "bob" })).toMatchObject({
      rule: "user-grant",
      revision: 1,
      message: "The skill is visible: granted to the user bob. The viewer is pinned to revision 1.",
    });
    expect(await access({ user: "helper", agent: "bob" })).toMatchObject({
      isVisible: false,
      reason: "no-grant",
      message: expect.stringContaining("the agent bob or the user helper"),
    });
    await editSkill("demo", { visibility: "public" }, { by: ada }, context);
    expect(await access({})).toMatchObject({ rule: "public", revision: 2 });
    expect(await access({ user: "bob" })).toMatchObject({ rule: "public", revision: 1 });
    await expect(explainAccess("none", { runtime: "test" }, host, context)).rejects.toMatchObject({
      code: "SKILL_NOT_FOUND",
    });
  });

  test("only a grantee with management rights can do what the owner can [S-43]", async () => {
    const { context } = scene;
    await scene.publish("demo", { "a.txt": "a" });
    await grantSkill("demo", toBob, { by: ada }, context);
    await expect(scene.publish("demo", { "a.txt": "b" }, { by: bob })).rejects.toMatchObject({
      code: "CONFLICT",
    });
    await expect(grantSkill("demo", helper, { by: bob }, context)).rejects.toMatchObject({
      code: "SKILL_NOT_FOUND",
    });
    await expect(listGrants("demo", { by: bob }, context)).rejects.toMatchObject({ code: "SKILL_NOT_FOUND" });
    await grantSkill("demo", toBob, { by: ada, canManage: true }, context);
    expect(await scene.publish("demo", { "a.txt": "b" }, { by: bob })).toMatchObject({ revision: 3 });
    await editSkill("demo", { description: "Bob's words." }, { by: bob }, context);
    await rollback("demo", 1, { by: bob }, context);
    await grantSkill("demo", helper, { by: bob }, context);
    await deleteSkill("demo", { by: bob }, context);
    await restoreSkill("demo", { by: bob }, context);
    expect(await context.store.findSkill("demo")).toMatchObject({ owner: "ada", visibility: "internal" });
    await revokeSkill("demo", toBob, { by: ada }, context);
    await expect(rollback("demo", 2, { by: bob }, context)).rejects.toMatchObject({
      code: "SKILL_NOT_FOUND",
    });
  });

  test("an agent cannot get the right to manage a skill [S-43] [S-65]", async () => {
    const { context } = scene;
    const events = (await scene.events()).length;
    await expect(grantSkill("demo", helper, { by: ada, canManage: true }, context)).rejects.toMatchObject({
      code: "USAGE",
      message: "The agent helper cannot manage a skill: only users can.",
    });
    expect(await context.store.listGrants()).toEqual([]);
    expect(await scene.events()).toHaveLength(events);
  });

  test("an agent cannot extend its own permissions [S-43]", async () => {
    const { context } = scene;
    await grantSkill("demo", helper, { by: ada }, context);
    const throughAgent: Actor = { user: "ada", agent: "helper", role: "publisher" };
    const events = (await scene.events()).length;
    for (const by of [adasAgent, throughAgent]) {
      const denied = { code: "POLICY_DENIED" };
      await expect(grantSkill("demo", helper, { by, canManage: true }, context)).rejects.toMatchObject(
        denied,
      );
      await expect(revokeSkill("demo", helper, { by }, context)).rejects.toMatchObject(denied);
      await expect(addAgent({ key: "second", runtime: "test" }, { by }, context)).rejects.toMatchObject(
        denied,
      );
      await expect(changeAgent("helper", { allow: null }, { by }, context)).rejects.toMatchObject(denied);
      await expect(removeAgent("helper", { by }, context)).rejects.toMatchObject(denied);
    }
    await expect(
      editSkill("demo", { visibility: "public" }, { by: adasAgent }, context),
    ).rejects.toMatchObject({
      code: "POLICY_DENIED",
    });
    expect(await scene.events()).toHaveLength(events);
    const foreign = scene.publish("demo", { "a.txt": "a" }, { by: { ...adasAgent, user: "bob" } });
    await expect(foreign).rejects.toMatchObject({ code: "CONFLICT" });
    const published = await scene.publish("demo", { "a.txt": "a" }, { by: adasAgent });
    expect(published).toMatchObject({ revision: 2, trust: "third_party", visibility: "internal" });
  });

  test("the first skill that a registered agent publishes is granted to it [S-41] [S-43]", async () => {
    const { context } = scene;
    expect(await scene.publish("own", {}, { by: adasAgent })).toMatchObject({ visibility: "internal" });
    expect((await scene.events()).slice(-2)).toMatchObject([
      { type: "skill.published", skill: "own", visibility: "internal" },
      { type: "grant.given", skill: "own", grantee: helper, canManage: false },
    ]);
    expect(await explainAccess("own", { runtime: "test", agent: "helper" }, host, context)).toMatchObject({
      rule: "agent-grant",
    });
    await revokeSkill("own", helper, { by: ada }, context);
    // Publishing again does not restore a revoked grant.
    expect(await scene.publish("own", { "a.txt": "a" }, { by: adasAgent })).toMatchObject({
      revision: 2,
      visibility: "private",
    });
    const unknown: Actor = { user: "ada", agent: "unknown", role: "agent" };
    expect(await scene.publish("other", {}, { by: unknown })).toMatchObject({ visibility: "private" });
  });

  test("grants of a deleted skill do not apply to a new skill with its id [S-41] [S-43]", async () => {
    const { context } = scene;
    await grantSkill("demo", toBob, { by: ada }, context);
    await deleteSkill("demo", { by: ada }, context);
    expect(await scene.publish("demo", { "a.txt": "new" })).toMatchObject({ visibility: "private" });
    expect(await context.store.listGrants()).toEqual([]);
    expect(await access({ user: "bob" })).toMatchObject({ reason: "no-grant" });
  });

  test("grants decide between private and internal, and an edit against them is rejected [S-43]", async () => {
    const { context } = scene;
    const edit = (visibility: "private" | "internal" | "public") =>
      editSkill("demo", { visibility }, { by: ada }, context);
    await expect(edit("internal")).rejects.toMatchObject({ code: "CONFLICT" });
    await grantSkill("demo", toBob, { by: ada }, context);
    await expect(edit("private")).rejects.toMatchObject({ code: "CONFLICT" });
    await edit("public");
    await expect(edit("private")).rejects.toMatchObject({ code: "CONFLICT" });
    expect((await edit("internal")).skill).toMatchObject({ visibility: "internal" });
  });

  test("a pin needs an existing revision and hides the skill after it is purged [S-43]", async () => {
    const { context } = scene;
    await scene.publish("demo", { "a.txt": "a" });
    const missing = { code: "REVISION_NOT_FOUND" };
    for (const pin of [3, 0, -1, 1.5])
      await expect(grantSkill("demo", toBob, { by: ada, pin }, context)).rejects.toMatchObject(missing);
    await grantSkill("demo", toBob, { by: ada, pin: 1 }, context);
    scene.pass(1000);
    await purgeSkill("demo", { by: ada, keep: 1, graceMs: 0 }, context);
    await expect(grantSkill("demo", helper, { by: ada, pin: 1 }, context)).rejects.toMatchObject(missing);
    expect(await access({ user: "bob" })).toMatchObject({ isVisible: false, reason: "pin" });
  });

  test("rejects grants of system skills and to unknown agents [S-43]", async () => {
    const { context } = scene;
    await scene.publish("bundled", {}, { by: system });
    for (const by of [ada, admin])
      await expect(grantSkill("bundled", toBob, { by }, context)).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(grantSkill("demo", { kind: "agent", key: "none" }, { by: ada }, context)).rejects.toThrow(
      "There is no agent none.",
    );
    for (const key of ["", " bob", "b\u0000b", "b\nb", "b\u202eb", "b".repeat(257)])
      await expect(grantSkill("demo", { kind: "user", key }, { by: ada }, context)).rejects.toMatchObject({
        code: "USAGE",
      });
    await expect(grantSkill("demo", toBob, { by: eve }, context)).rejects.toMatchObject({
      code: "SKILL_NOT_FOUND",
    });
    expect(await context.store.listGrants()).toEqual([]);
  });

  test("only its owner or an administrator changes an agent, and its key is never reused [S-65]", async () => {
    const { context } = scene;
    await grantSkill("demo", helper, { by: ada }, context);
    for (const verb of [
      () => changeAgent("helper", { allow: null }, { by: bob }, context),
      () => removeAgent("helper", { by: bob }, context),
      () => addAgent({ key: "adas", runtime: "test", owner: "ada" }, { by: bob }, context),
    ])
      await expect(verb()).rejects.toMatchObject({ code: "POLICY_DENIED" });
    const changed = await changeAgent("helper", { allow: ["demo"], pins: { demo: 1 } }, { by: ada }, context);
    expect(changed).toMatchObject({ status: "changed", agent: { allow: ["demo"], pins: { demo: 1 } } });
    expect(await viewerFor("helper", "bob", context)).toEqual({
      runtime: "test",
      agent: "helper",
      user: "bob",
      allow: ["demo"],
      pins: { demo: 1 },
    });
    expect(await removeAgent("helper", { by: admin }, context)).toMatchObject({ revoked: ["demo"] });
    expect((await scene.events()).slice(-2)).toMatchObject([
      { type: "grant.revoked", skill: "demo", visibility: "private" },
      { type: "agent.removed", agent: "helper" },
    ]);
    expect(await listAgents(context)).toEqual([]);
    expect(await access({ agent: "helper", user: "ada" })).toMatchObject({ reason: "not-allowed" });
    await expect(viewerFor("helper", "ada", context)).rejects.toThrow("There is no agent helper.");
    await expect(addAgent({ key: "helper", runtime: "test" }, { by: ada }, context)).rejects.toMatchObject({
      code: "CONFLICT",
    });
  });

  test("visibility stays consistent with concurrent grants, revocations and agent removals [S-43]", async () => {
    const { context } = scene;
    await addAgent({ key: "second", runtime: "test" }, { by: ada }, context);
    const second: Grantee = { kind: "agent", key: "second" };
    for (let round = 0; round < 5; round += 1) {
      await Promise.all([
        grantSkill("demo", helper, { by: ada }, context),
        revokeSkill("demo", helper, { by: ada }, context),
        grantSkill("demo", toBob, { by: ada }, context),
        revokeSkill("demo", toBob, { by: ada }, context),
      ]);
      const { visibility } = (await context.store.findSkill("demo")) ?? {};
      const grants = await listGrants("demo", { by: ada }, context);
      expect(visibility).toBe(grants.length > 0 ? "internal" : "private");
    }
    await Promise.allSettled([
      grantSkill("demo", second, { by: ada }, context),
      removeAgent("second", { by: ada }, context),
    ]);
    const left = await listGrants("demo", { by: ada }, context);
    expect(left.filter(({ grantee }) => grantee.key === "second")).toEqual([]);
  });

  test("both the manifest and the list limit an agent [S-65]", async () => {
    const { context } = scene;
    const manifest = "id: m\nruntime: test\ncatalog: own\nuses_skills: [demo, other]\n";
    await addAgent({ key: "m", runtime: "test", manifest, allow: ["demo", "third"] }, { by: ada }, context);
    expect((await viewerFor("m", undefined, context)).allow).toEqual(["demo"]);
    await changeAgent("m", { allow: null }, { by: ada }, context);
    expect((await viewerFor("m", undefined, context)).allow).toEqual(["demo", "other"]);
    await changeAgent("m", { manifest: null }, { by: ada }, context);
    expect((await viewerFor("m", undefined, context)).allow).toBeUndefined();
    expect(await viewerFor(undefined, "ada", context)).toEqual({ runtime: "skillhold", user: "ada" });
  });

  test.each([
    { key: "" },
    { key: "../x" },
    { key: "a b" },
    { key: "0f8fad5b-d9cb-469f-a165-70867728950e" },
    { key: "a".repeat(129) },
    { runtime: "" },
    { runtime: "te\u0007st" },
    { displayName: "\u202eevil" },
    { allow: ["Not An Id"] },
    { pins: { demo: 0 } },
    { pins: { demo: 1.5 } },
    { pins: { "../demo": 1 } },
    { manifest: "runtime: test" },
    { owner: " " },
  ])("rejects an agent with %j [S-65]", async (fields) => {
    const agent = { key: "good", runtime: "test", ...fields };
    await expect(addAgent(agent, { by: admin }, scene.context)).rejects.toMatchObject({ code: "USAGE" });
    expect(await listAgents(scene.context)).toHaveLength(1);
  });
});
