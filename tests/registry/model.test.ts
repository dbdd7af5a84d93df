import { fsck } from "@skillhold/registry/fsck";
import {
  deleteSkill,
  editSkill,
  listRevisions,
  purgeSkill,
  readRevisionFile,
  restoreSkill,
  rollback,
  sweepStore,
} from "@skillhold/registry/release";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ada, engines, openScene, type Scene } from "./scene.ts";

type Act =
  | { readonly verb: "publish"; readonly text: string }
  | { readonly verb: "rollback"; readonly revision: number }
  | { readonly verb: "purge"; readonly keep: number }
  | { readonly verb: "show" | "delete" | "restore" | "sweep" };

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ verb: fc.constant("publish"), text: fc.constantFrom("a", "b", "c") }) },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant("rollback"), revision: fc.nat({ max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant("purge"), keep: fc.nat({ max: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ verb: fc.constantFrom("show", "delete", "restore", "sweep") }) },
);

/** The expected state of the registry as plain data. */
interface Model {
  revisions: { text: string; isPurged: boolean }[];
  pointer: number;
  isDeleted: boolean;
  visibility: "private" | "public";
}

const NONE: Model = { revisions: [], pointer: 0, isDeleted: false, visibility: "private" };

describe.each(engines)("any sequence of verbs on %s", (engine) => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await openScene(engine);
  });
  afterEach(async () => {
    await scene.close();
  });

  test("behaves like the model and keeps all required bytes [S-45]", async () => {
    let run = 0;
    const property = fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 20 }), async (acts) => {
      run += 1;
      const id = `skill-${run}`;
      let model = NONE;
      for (const each of acts) {
        const next = follow(model, each);
        const done = perform(id, each);
        if (next === undefined) await expect(done).rejects.toMatchObject({ name: "SkillError" });
        else await done;
        model = next ?? model;
        await expectSame(id, model);
      }
      expect((await fsck({}, scene.context)).findings.filter(({ severity }) => severity !== "info")).toEqual(
        [],
      );
    });
    await fc.assert(property, { numRuns: engine === "sqlite" ? 25 : 10 });
  });

  async function perform(id: string, each: Act): Promise<unknown> {
    const { context } = scene;
    const by = { by: ada };
    switch (each.verb) {
      case "publish":
        return await scene.publish(id, { "a.txt": each.text });
      case "rollback":
        return await rollback(id, each.revision, by, context);
      case "purge":
        // A negative grace period includes new revisions.
        return await purgeSkill(id, { ...by, keep: each.keep, graceMs: -1000 }, context);
      case "show":
        return await editSkill(id, { visibility: "public" }, by, context);
      case "delete":
        return await deleteSkill(id, by, context);
      case "restore":
        return await restoreSkill(id, by, context);
      case "sweep":
        scene.pass(2 * 60 * 60 * 1000);
        return await sweepStore({}, context);
    }
  }

  async function expectSame(id: string, model: Model): Promise<void> {
    const { revisions, pointer, isDeleted, visibility } = model;
    const skill = await scene.context.store.findSkill(id);
    if (revisions.length === 0) return expect(skill).toBeUndefined();
    expect(skill).toMatchObject({
      revision: pointer,
      lastRevision: revisions.length,
      status: isDeleted ? "deleted" : "active",
      visibility,
    });
    const rows = (await listRevisions(id, scene.context)).toReversed();
    expect(rows.map(({ purgedAt }) => purgedAt !== undefined)).toEqual(
      revisions.map(({ isPurged }) => isPurged),
    );
    for (const [index, { text, isPurged }] of revisions.entries()) {
      const read = readRevisionFile(id, index + 1, "a.txt", {}, scene.context);
      if (isPurged) await expect(read).rejects.toMatchObject({ code: "REVISION_NOT_FOUND" });
      else expect(await read).toMatchObject({ content: text });
    }
  }
});

/** The model after an action; undefined if the action is rejected. */
function follow(model: Model, each: Act): Model | undefined {
  const { revisions, pointer, isDeleted } = model;
  if (revisions.length === 0 && each.verb !== "publish" && each.verb !== "sweep") return undefined;
  switch (each.verb) {
    case "sweep":
      return model;
    case "publish":
      return published(model, each.text);
    case "rollback": {
      const isThere = revisions[each.revision - 1]?.isPurged === false;
      return isDeleted || !isThere ? undefined : { ...model, pointer: each.revision };
    }
    case "purge": {
      const kept = revisions.flatMap(({ isPurged }, index) => (isPurged ? [] : [index + 1])).toReversed();
      const due = isDeleted
        ? kept
        : kept.slice(Math.max(1, each.keep)).filter((number) => number !== pointer);
      const mark = (one: Model["revisions"][number], index: number) =>
        due.includes(index + 1) ? { ...one, isPurged: true } : one;
      return { ...model, revisions: revisions.map(mark) };
    }
    case "show":
      return isDeleted ? undefined : { ...model, visibility: "public" };
    case "delete":
      return { ...model, isDeleted: true };
    case "restore":
      return isDeleted && revisions[pointer - 1]?.isPurged === true
        ? undefined
        : { ...model, isDeleted: false };
  }
}

function published(model: Model, text: string): Model {
  const { revisions, pointer, isDeleted, visibility } = model;
  if (!isDeleted && revisions[pointer - 1]?.text === text) return model;
  return {
    revisions: [...revisions, { text, isPurged: false }],
    pointer: revisions.length + 1,
    isDeleted: false,
    visibility: isDeleted ? "private" : visibility,
  };
}
