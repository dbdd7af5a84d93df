import { SkillError, type SkillEvent, type Visibility } from "@skillhold/protocol";
import { addAgent, grantSkill, removeAgent, revokeSkill, toggleSkill } from "@skillhold/registry/access";
import { deleteSkill, editSkill, restoreSkill } from "@skillhold/registry/release";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ada, admin, engines, openScene, type Scene } from "../registry/scene.ts";

const grantee = fc.record({
  kind: fc.constantFrom("agent" as const, "user" as const),
  key: fc.constantFrom("one", "two"),
});
const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ verb: fc.constant("grant" as const), grantee }) },
  { weight: 4, arbitrary: fc.record({ verb: fc.constant("revoke" as const), grantee }) },
  {
    weight: 2,
    arbitrary: fc.record({ verb: fc.constant("publish" as const), text: fc.constantFrom("a", "b") }),
  },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant("toggle" as const), isEnabled: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      verb: fc.constant("show" as const),
      visibility: fc.constantFrom<Visibility>("private", "internal", "public"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      verb: fc.constantFrom("delete" as const, "restore" as const, "dismiss" as const),
    }),
  },
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

describe.each(engines)("any sequence of grants on %s", (engine) => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await openScene(engine);
  });
  afterEach(async () => {
    await scene.close();
  });

  test("a skill that is not public is internal exactly if it has grants, and every event says so [S-43]", async () => {
    let run = 0;
    const property = fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 25 }), async (acts) => {
      run += 1;
      const id = `skill-${run}`;
      for (const key of ["one", "two"])
        await addAgent({ key: agentOf(key, run), runtime: "test" }, { by: admin }, scene.context);
      await scene.publish(id);
      for (const each of acts) {
        const before = (await scene.events()).length;
        await attempt(() => perform(id, run, each));
        await expectRule(id, (await scene.events()).slice(before));
      }
    });
    await fc.assert(property, { numRuns: engine === "sqlite" ? 25 : 8 });
  });

  async function perform(id: string, run: number, each: Act): Promise<unknown> {
    const { context } = scene;
    const by = { by: ada };
    switch (each.verb) {
      case "grant":
        return await grantSkill(id, named(each.grantee, run), by, context);
      case "revoke":
        return await revokeSkill(id, named(each.grantee, run), by, context);
      case "publish":
        return await scene.publish(id, { "a.txt": each.text });
      case "toggle":
        return await toggleSkill(id, each.isEnabled, { by: admin }, context);
      case "show":
        return await editSkill(id, { visibility: each.visibility }, by, context);
      case "delete":
        return await deleteSkill(id, by, context);
      case "restore":
        return await restoreSkill(id, by, context);
      case "dismiss":
        return await removeAgent(agentOf("one", run), { by: admin }, context);
    }
  }

  async function expectRule(id: string, events: readonly SkillEvent[]): Promise<void> {
    const { store } = scene.context;
    const skill = await store.findSkill(id);
    const grants = await store.listGrants([skill?.uid ?? ""]);
    if (skill?.visibility !== "public")
      expect(skill?.visibility).toBe(grants.length > 0 ? "internal" : "private");
    const last = events.findLast((event) => "visibility" in event);
    if (last !== undefined) expect(last).toMatchObject({ visibility: skill?.visibility });
  }
});

function agentOf(key: string, run: number): string {
  return `${key}-${run}`;
}

function named({ kind, key }: { readonly kind: "agent" | "user"; readonly key: string }, run: number) {
  return { kind, key: kind === "agent" ? agentOf(key, run) : key };
}

/** A rejected action changes no state, which is checked afterwards. */
async function attempt(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
  }
}
