import { nodeHost } from "@skillhold/core/source";
import { grantSkill, toggleSkill } from "@skillhold/registry/access";
import { openRegistryLibrary } from "@skillhold/registry/library";
import { deleteSkill, editSkill, purgeSkill, restoreSkill, rollback } from "@skillhold/registry/release";
import { describe, expect, test } from "vitest";
import { ada, admin, engines, openScene, skillText } from "../registry/scene.ts";

const host = nodeHost({ env: {}, platform: process.platform, cwd: "/" });
const bob = { runtime: "x", user: "bob" };

describe.each(engines)("the manager's view of a registry on %s", (engine) => {
  test("has the access decision and the stored data of every skill, or of some [S-43]", async () => {
    const scene = await openScene(engine);
    try {
      const { context } = scene;
      for (const id of ["a", "b", "c"]) await scene.publish(id);
      await grantSkill("b", { kind: "user", key: "bob" }, { by: ada }, context);
      await toggleSkill("c", false, { by: ada }, context);
      const library = await openRegistryLibrary({ host }, context);
      const told = await library.survey(bob);
      expect(told.map(({ entry, reason }) => [entry.id, reason])).toEqual([
        ["a", "no-grant"],
        ["b", "visible"],
        ["c", "disabled"],
      ]);
      expect(await library.survey(bob, ["c", "nothing", "a"])).toEqual([told[2], told[0]]);
      expect((await library.list(bob)).map(({ id }) => id)).toEqual(["b"]);
      const [, shown] = told;
      expect(shown && library.findSnapshot(shown.entry)).toMatchObject({
        current: { skill: { id: "b", owner: "ada" } },
        grants: [{ grantee: { kind: "user", key: "bob" } }],
      });
      expect(
        library.findSnapshot({ id: shown?.entry.id ?? ("" as never), source: "elsewhere" }),
      ).toBeUndefined();
      await library.close();
    } finally {
      await scene.close();
    }
  });

  test("has the deleted skills that can be restored, with their grants [S-45]", async () => {
    const scene = await openScene(engine);
    try {
      const { context } = scene;
      for (const id of ["c", "a", "b"]) await scene.publish(id);
      await grantSkill("a", { kind: "user", key: "bob" }, { by: ada }, context);
      for (const id of ["a", "b", "c"]) await deleteSkill(id, { by: ada }, context);
      const library = await openRegistryLibrary({ host }, context);
      const ids = async () => (await library.deleted()).map(({ entry }) => entry.id);
      expect(await ids()).toEqual(["a", "b", "c"]);
      expect((await library.deleted())[0]?.held).toMatchObject({
        current: { skill: { status: "deleted" } },
        grants: [{ grantee: { key: "bob" } }],
      });
      await restoreSkill("b", { by: ada }, context);
      await purgeSkill("c", { by: admin, graceMs: 0 }, context);
      expect(await ids()).toEqual(["a"]);
      await library.close();
    } finally {
      await scene.close();
    }
  });

  test("rejects an edit, rollback or deletion of a skill that changed since it was read [S-45]", async () => {
    const scene = await openScene(engine);
    try {
      const { context } = scene;
      await scene.publish("a");
      await scene.publish("a", { "SKILL.md": skillText("a", "Two.") });
      const seen = await context.store.findSkill("a");
      await editSkill("a", { name: "meanwhile" }, { by: ada, seen }, context);
      const refused = { code: "PRECONDITION_FAILED" };
      const change = { by: ada, seen };
      await expect(editSkill("a", { name: "x" }, change, context)).rejects.toMatchObject(refused);
      await expect(rollback("a", 1, change, context)).rejects.toMatchObject(refused);
      await expect(deleteSkill("a", change, context)).rejects.toMatchObject(refused);
      const now = await context.store.findSkill("a");
      expect(now).toMatchObject({ override: { name: "meanwhile" }, revision: 2, status: "active" });
      await deleteSkill("a", { by: ada, seen: now }, context);
    } finally {
      await scene.close();
    }
  });
});
