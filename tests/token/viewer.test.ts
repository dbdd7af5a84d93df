import type { Actor } from "@skillhold/protocol";
import { grantSkill, toggleSkill } from "@skillhold/registry/access";
import { deleteSkill, editSkill, rollback } from "@skillhold/registry/release";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { engines, openScene, type Scene } from "../registry/scene.ts";

/** The owner of the skill, with a viewer token. */
const by: Actor = { user: "ada", role: "viewer" };

describe.each(engines)("a viewer on %s", (engine) => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await openScene(engine);
  });
  afterEach(async () => {
    await scene.close();
  });

  test("cannot publish or change even their own skills [S-53]", async () => {
    await scene.publish("demo");
    const before = await scene.events();
    const { context } = scene;
    await expect(scene.publish("other", {}, { by })).rejects.toMatchObject({ code: "POLICY_DENIED" });
    await expect(scene.publish("demo", { "a.txt": "a" }, { by })).rejects.toMatchObject({
      code: "POLICY_DENIED",
    });
    for (const work of [
      () => editSkill("demo", { visibility: "public" }, { by }, context),
      () => grantSkill("demo", { kind: "user", key: "eve" }, { by }, context),
      () => rollback("demo", 1, { by }, context),
      () => toggleSkill("demo", false, { by }, context),
      () => deleteSkill("demo", { by }, context),
    ])
      await expect(work()).rejects.toMatchObject({ code: "SKILL_NOT_FOUND" });
    expect(await scene.events()).toEqual(before);
  });
});
