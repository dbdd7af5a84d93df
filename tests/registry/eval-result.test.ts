import { publishFolder, purgeSkill } from "@skillhold/registry";
import { addEvalResult, getEvalResult, latestEvals } from "@skillhold/registry/eval";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { offlineReport, taskReport } from "../eval-report.fixture.ts";
import { ada, admin, bob, engines, openScene, type Scene, skillText, writeSkill } from "./scene.ts";

describe.each(engines)("eval results on %s", (engine) => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await openScene(engine);
  });
  afterEach(async () => {
    await scene.close();
  });
  const publish = async (body: string) => {
    const { context, folder } = scene;
    const skill = writeSkill(folder, "demo", { "SKILL.md": skillText("demo", body) });
    await publishFolder(skill, { by: ada }, context);
    const row = await context.store.findSkill("demo");
    const uid = row?.uid ?? "";
    const revision = await context.store.findRevision(uid, row?.revision ?? 0);
    if (revision === undefined) throw new Error("demo has no revision");
    return { uid, treeHash: revision.treeHash };
  };

  test("are kept by content, the newest first, with an event [S-51]", async () => {
    const { context } = scene;
    const first = await publish("One.");
    await addEvalResult("demo", offlineReport("demo", first.treeHash), ada, context);
    const second = await publish("Two.");
    const { id } = await addEvalResult("demo", taskReport("demo", second.treeHash), ada, context);
    const listed = await context.store.listEvals(first.uid, { limit: 10 });
    expect(listed.map(({ summary }) => [summary.kind, summary.treeHash])).toEqual([
      ["tasks", second.treeHash],
      ["offline", first.treeHash],
    ]);
    expect(await latestEvals(first.uid, first.treeHash, context)).toMatchObject([{ kind: "offline" }]);
    const { report } = await getEvalResult(first.uid, id, context);
    expect(report).toEqual(taskReport("demo", second.treeHash));
    const [event] = await context.store.eventsAbout("demo", "eval.recorded", 1);
    expect(event?.event).toMatchObject({ report: id, kind: "tasks", revision: 2 });
  });

  test("are kept once when the same report is added twice [S-51]", async () => {
    const { treeHash, uid } = await publish("One.");
    const add = () => addEvalResult("demo", offlineReport("demo", treeHash), ada, scene.context);
    expect((await add()).id).toBe((await add()).id);
    expect(await scene.context.store.listEvals(uid, { limit: 10 })).toHaveLength(1);
  });

  test("need a manager, the skill and the content of a revision [S-51]", async () => {
    const { treeHash, uid } = await publish("One.");
    const { context } = scene;
    await expect(addEvalResult("demo", offlineReport("demo", treeHash), bob, context)).rejects.toMatchObject({
      code: "SKILL_NOT_FOUND",
    });
    for (const report of [offlineReport("demo"), offlineReport("other", treeHash)])
      await expect(addEvalResult("demo", report, ada, context)).rejects.toMatchObject({
        code: "REVISION_NOT_FOUND",
      });
    expect(await context.store.listEvals(uid, { limit: 10 })).toEqual([]);
    await expect(getEvalResult(uid, "nothing", context)).rejects.toMatchObject({ code: "EVAL_NOT_FOUND" });
  });

  test("page without a gap, and go when their content is purged [S-51] [S-46]", async () => {
    const { context } = scene;
    const { treeHash, uid } = await publish("One.");
    for (const skills of [2, 3, 4])
      await addEvalResult("demo", { ...offlineReport("demo", treeHash), skills }, ada, context);
    const all = await context.store.listEvals(uid, { limit: 10 });
    const [head] = await context.store.listEvals(uid, { limit: 1 });
    const rest = await context.store.listEvals(uid, { limit: 10, after: head });
    expect([head?.id, ...rest.map(({ id }) => id)]).toEqual(all.map(({ id }) => id));
    await publish("Two.");
    scene.pass(1000);
    await purgeSkill("demo", { by: admin, keep: 1, graceMs: 0 }, context);
    expect(await context.store.listEvals(uid, { limit: 10 })).toEqual([]);
  });
});
