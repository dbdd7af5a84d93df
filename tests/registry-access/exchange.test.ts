import { archiveInMemory } from "@skillhold/core/archive";
import { addAgent, grantSkill } from "@skillhold/registry/access";
import { exportSkills, importSkills } from "@skillhold/registry/exchange";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ada, admin, engines, openScene, type Scene } from "../registry/scene.ts";

describe.each(engines)("grants that are exported and imported on %s", (engine) => {
  let here: Scene;
  let there: Scene;
  beforeEach(async () => {
    [here, there] = [await openScene(engine), await openScene(engine)];
    const { context } = here;
    await here.publish("demo");
    for (const key of ["known", "unknown", "held"])
      await addAgent({ key, runtime: "test" }, { by: admin }, context);
    await grantSkill("demo", { kind: "agent", key: "known" }, { by: admin }, context);
    await grantSkill("demo", { kind: "agent", key: "unknown" }, { by: admin }, context);
    await grantSkill("demo", { kind: "agent", key: "held" }, { by: admin, pin: 1 }, context);
    await grantSkill("demo", { kind: "user", key: "bob" }, { by: ada }, context);
    for (const key of ["known", "held"])
      await addAgent({ key, runtime: "test" }, { by: admin }, there.context);
  });
  afterEach(async () => {
    await here.close();
    await there.close();
  });

  test("are restored for existing agents if an administrator imports [S-46]", async () => {
    const { archive } = await exportSkills(["demo"], "zip", here.context);
    expect((await importSkills(archiveInMemory(archive), { by: admin }, there.context)).skills).toMatchObject(
      [{ id: "demo", visibility: "internal", restored: ["grants"] }],
    );
    expect(await there.context.store.listGrants()).toMatchObject([
      { grantee: { kind: "agent", key: "known" }, canManage: false, pin: undefined, grantedBy: admin.user },
    ]);
  });

  test("are not restored for other importers or for existing skills [S-46]", async () => {
    const { archive } = await exportSkills(["demo"], "zip", here.context);
    expect((await importSkills(archiveInMemory(archive), { by: ada }, there.context)).skills).toMatchObject([
      { id: "demo", visibility: "private", restored: [] },
    ]);
    await importSkills(archiveInMemory(archive), { by: admin }, there.context);
    expect(await there.context.store.listGrants()).toEqual([]);
  });

  test("export to the same bytes again if all agents exist [S-46]", async () => {
    await addAgent({ key: "unknown", runtime: "test" }, { by: admin }, there.context);
    const first = await exportSkills("all", "tar.gz", here.context);
    await importSkills(archiveInMemory(first.archive), { by: admin }, there.context);
    const second = await exportSkills("all", "tar.gz", there.context);
    expect(Buffer.compare(first.archive, second.archive)).toBe(0);
  });
});
