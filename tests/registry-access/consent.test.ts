import { nodeHost } from "@skillhold/core/source";
import {
  addAgent,
  answerGrant,
  grantSkill,
  listPendingGrants,
  removeAgent,
  revokeSkill,
  viewerFor,
} from "@skillhold/registry/access";
import { openRegistryLibrary } from "@skillhold/registry/library";
import { deleteSkill, editSkill, getSkill } from "@skillhold/registry/release";
import { agentUser } from "@skillhold/registry/token";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ada, admin, bob, engines, openScene, type Scene } from "../registry/scene.ts";

const host = nodeHost({ env: {}, platform: "linux", cwd: "/" });
const toBot = { kind: "agent", key: "bobs-bot" } as const;

describe.each(engines)("consent to grants on %s", (engine) => {
  let scene: Scene;
  let context: Scene["context"];
  beforeEach(async () => {
    scene = await openScene(engine);
    ({ context } = scene);
    await scene.publish("demo");
    await addAgent({ key: "bobs-bot", runtime: "test" }, { by: bob }, context);
    await addAgent({ key: "adas-bot", runtime: "test" }, { by: ada }, context);
  });
  afterEach(() => scene.close());

  const pending = async (by = bob) =>
    (await listPendingGrants({ limit: 100 }, { by }, context)).map(({ id, agent, mayAnswer }) => [
      id,
      agent,
      mayAnswer,
    ]);
  const seenByBot = async () => {
    const library = await openRegistryLibrary({ host }, context);
    const viewer = await viewerFor("bobs-bot", "bob", context);
    const found = (await library.list(viewer)).map(({ id }) => id);
    const hits = await library.search(viewer, "demo");
    await library.close();
    return [...found, ...hits.map(({ entry }) => entry.id)];
  };

  test("a grant to another user's agent waits, and the skill stays private and unseen [S-43]", async () => {
    const { status, visibility, grant } = await grantSkill("demo", toBot, { by: ada }, context);
    expect({ status, visibility, grant }).toEqual({
      status: "pending",
      visibility: "private",
      grant: undefined,
    });
    expect(await context.store.listGrants()).toEqual([]);
    expect(await seenByBot()).toEqual([]);
    expect([await pending(bob), await pending(ada), await pending(admin)]).toEqual([
      [["demo", "bobs-bot", true]],
      [["demo", "bobs-bot", false]],
      [["demo", "bobs-bot", true]],
    ]);
    expect(await pending({ user: "eve", role: "publisher" })).toEqual([]);
    expect((await scene.events()).at(-1)).toMatchObject({ type: "grant.requested", skill: "demo", by: ada });
  });

  test("a grant to the own user of another user's agent is rejected, and the agent does not see the skill [S-43]", async () => {
    const own = { kind: "user", key: agentUser("bobs-bot") } as const;
    for (const by of [ada, admin])
      await expect(grantSkill("demo", own, { by }, context)).rejects.toMatchObject({ code: "USAGE" });
    const library = await openRegistryLibrary({ host }, context);
    expect(await library.list(await viewerFor("bobs-bot", own.key, context))).toEqual([]);
    await library.close();
  });

  test("the owner accepts it, and the grant names who asked for it [S-43]", async () => {
    await grantSkill("demo", toBot, { by: ada, pin: 1 }, context);
    const accept = (by: typeof bob) => answerGrant("demo", "bobs-bot", { by, accept: true }, context);
    for (const by of [ada, { user: "eve", role: "publisher" } as const])
      await expect(accept(by)).rejects.toMatchObject({ code: "GRANT_NOT_FOUND" });
    await expect(accept({ ...bob, agent: "bobs-bot" })).rejects.toMatchObject({ code: "POLICY_DENIED" });
    expect(await accept(bob)).toMatchObject({ status: "granted", visibility: "internal" });
    expect(await context.store.listGrants()).toMatchObject([{ grantee: toBot, grantedBy: "ada", pin: 1 }]);
    expect([await seenByBot(), await pending()]).toEqual([["demo", "demo"], []]);
    await expect(accept(bob)).rejects.toMatchObject({ code: "GRANT_NOT_FOUND" });
  });

  test("a declined, withdrawn or orphaned grant is gone [S-43]", async () => {
    await grantSkill("demo", toBot, { by: ada }, context);
    await answerGrant("demo", "bobs-bot", { by: bob, accept: false }, context);
    expect([await pending(), await seenByBot()]).toEqual([[], []]);
    await grantSkill("demo", toBot, { by: ada }, context);
    expect(await revokeSkill("demo", toBot, { by: ada }, context)).toMatchObject({ status: "revoked" });
    expect(await pending()).toEqual([]);
    await grantSkill("demo", toBot, { by: ada }, context);
    await removeAgent("bobs-bot", { by: bob }, context);
    expect(await pending(admin)).toEqual([]);
  });

  test("a change of an accepted grant needs consent again and keeps the old one meanwhile [S-43]", async () => {
    await grantSkill("demo", toBot, { by: ada, pin: 1 }, context);
    await answerGrant("demo", "bobs-bot", { by: bob, accept: true }, context);
    expect(await grantSkill("demo", toBot, { by: ada }, context)).toMatchObject({
      status: "pending",
      grant: { pin: 1 },
    });
    expect(await context.store.listGrants()).toMatchObject([{ pin: 1 }]);
  });

  test("own agents and administrators need no consent [S-43]", async () => {
    const own = { kind: "agent", key: "adas-bot" } as const;
    expect(await grantSkill("demo", own, { by: ada }, context)).toMatchObject({ status: "granted" });
    expect(await grantSkill("demo", toBot, { by: admin }, context)).toMatchObject({ status: "granted" });
    expect(await pending(admin)).toEqual([]);
  });

  test("an answer fails if the requester or the skill changed meanwhile [S-43]", async () => {
    const lent = { kind: "user", key: "eve" } as const;
    const eve = { user: "eve", role: "publisher" } as const;
    await grantSkill("demo", lent, { by: ada, canManage: true }, context);
    await grantSkill("demo", toBot, { by: eve }, context);
    await revokeSkill("demo", lent, { by: ada }, context);
    const accept = () => answerGrant("demo", "bobs-bot", { by: bob, accept: true }, context);
    await expect(accept()).rejects.toMatchObject({ code: "CONFLICT" });
    await grantSkill("demo", toBot, { by: ada, pin: 1 }, context);
    await deleteSkill("demo", { by: ada }, context);
    await expect(accept()).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await context.store.listGrants()).toEqual([]);
  });

  test("an agent cannot tell a skill of its user from a missing one by changing it [S-43]", async () => {
    const by = { ...ada, agent: "adas-bot" };
    const failureOf = async (id: string) => {
      const error: unknown = await editSkill(id, { name: "x" }, { by }, context).catch((each) => each);
      return String(error).replaceAll(id, "ID");
    };
    expect(await failureOf("demo")).toBe(await failureOf("gone"));
  });

  test("only administrators make a skill public, unless a policy lets publishers [S-43]", async () => {
    const { publicBy: _, ...byDefault } = context;
    const publish = (by: typeof ada, given = byDefault) =>
      editSkill("demo", { visibility: "public" }, { by }, given);
    await expect(publish(ada)).rejects.toMatchObject({ code: "POLICY_DENIED" });
    expect(await getSkill("demo", context)).toMatchObject({ visibility: "private" });
    expect(await publish(admin)).toMatchObject({ skill: { visibility: "public" } });
    // The owner keeps a skill public that an administrator made public.
    await editSkill("demo", { description: "More." }, { by: ada }, byDefault);
    await editSkill("demo", { visibility: "private" }, { by: ada }, byDefault);
    expect(await publish(ada, context)).toMatchObject({ skill: { visibility: "public" } });
  });
});
