import { openLayeredLibrary, openMemoryLibrary, type Viewer } from "@skillhold/core/library";
import { nodeHost } from "@skillhold/core/source";
import { type ListRequest, SkillLists } from "@skillhold/gateway/test/cache/skill-list";
import { addAgent, changeAgent, grantSkill, revokeSkill, toggleSkill } from "@skillhold/registry/access";
import { openRegistryLibrary } from "@skillhold/registry/library";
import { deleteSkill, restoreSkill } from "@skillhold/registry/release";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { ada, admin, engines, openScene, type Scene, skillText } from "../registry/scene.ts";

const host = nodeHost({ env: {}, platform: process.platform, cwd: "/" });
const ids = ["a", "b", "c", "d"] as const;
const viewers: readonly Viewer[] = [
  { runtime: "x", user: "ada" },
  { runtime: "x", user: "bob" },
  { runtime: "x", user: "ada", agent: "helper" },
  { runtime: "other", user: "bob", invoker: "user" },
];

interface Change {
  readonly kind:
    | "publish"
    | "delete"
    | "restore"
    | "grant"
    | "revoke"
    | "off"
    | "on"
    | "allow"
    | "pin"
    | "memory";
  readonly id: (typeof ids)[number];
}

const changes = fc.array(
  fc.record({
    kind: fc.constantFrom<Change["kind"]>(
      ...([
        "publish",
        "publish",
        "delete",
        "restore",
        "grant",
        "revoke",
        "off",
        "on",
        "allow",
        "pin",
        "memory",
      ] as const),
    ),
    id: fc.constantFrom(...ids),
  }),
  { minLength: 1, maxLength: 12 },
);

/** The registry layered over a skill in memory that has the id of another. */
async function openLists(scene: Scene) {
  const skills = await openRegistryLibrary({ host }, scene.context);
  const memory = openMemoryLibrary([{ folder: "c", files: { "SKILL.md": skillText("c") } }], { host });
  const library = openLayeredLibrary([skills, memory]);
  return { library, skills, memory, lists: new SkillLists({ library, skills }) };
}

function requestOf(viewer: Viewer): ListRequest {
  return { key: viewer.user ?? "", viewer, isListed: ({ isVisible }) => isVisible };
}

describe.each(engines)("kept lists on %s", (engine) => {
  test("are the same as a new survey after any changes, for every viewer [S-43] [S-73]", async () => {
    const scene = await openScene(engine);
    try {
      await addAgent({ key: "helper", runtime: "x" }, { by: ada }, scene.context);
      const { library, skills, memory, lists } = await openLists(scene);
      const run = fc.asyncProperty(changes, async (list) => {
        for (const change of list) {
          await apply(change, scene, memory).catch(ignoreRejected);
          for (const viewer of viewers) {
            const kept = await lists.get(requestOf(viewer));
            const fresh = await new SkillLists({ library, skills }).get(requestOf(viewer));
            expect(kept.skills.map(plain)).toEqual(fresh.skills.map(plain));
            expect(kept.version).toBe(fresh.version);
          }
        }
      });
      await fc.assert(run, { numRuns: engine === "sqlite" ? 20 : 5 });
      await library.close();
    } finally {
      await scene.close();
    }
  });

  test("decide only on the changed skills again, and on none without a change [S-73]", async () => {
    const scene = await openScene(engine);
    try {
      for (const id of ids) await scene.publish(id);
      const { library, lists } = await openLists(scene);
      const request = requestOf({ runtime: "x", user: "ada" });
      const survey = vi.spyOn(library, "survey");
      const first = await lists.get(request);
      expect(await lists.get(request)).toBe(first);
      expect(survey).toHaveBeenCalledTimes(1);
      await toggleSkill("b", false, { by: ada }, scene.context);
      expect((await lists.get(request)).skills.map(({ access }) => access.entry.id)).toEqual(["a", "c", "d"]);
      expect(survey).toHaveBeenLastCalledWith(request.viewer, ["b"]);
      await library.close();
    } finally {
      await scene.close();
    }
  });

  test("keep their version when a skill changes that the viewer may not see [S-43]", async () => {
    const scene = await openScene(engine);
    try {
      for (const id of ids) await scene.publish(id);
      await grantSkill("a", { kind: "user", key: "bob" }, { by: ada }, scene.context);
      const { library, lists } = await openLists(scene);
      const request = requestOf({ runtime: "x", user: "bob" });
      const { version } = await lists.get(request);
      await scene.publish("b", { "SKILL.md": skillText("b", "New text.") });
      await toggleSkill("d", false, { by: ada }, scene.context);
      expect((await lists.get(request)).version).toBe(version);
      await scene.publish("a", { "SKILL.md": skillText("a", "New text.") });
      expect((await lists.get(request)).version).not.toBe(version);
      await library.close();
    } finally {
      await scene.close();
    }
  });
});

function plain({ access, held }: Awaited<ReturnType<SkillLists["get"]>>["skills"][number]) {
  return { access, held: held?.current.skill };
}

let texts = 0;

async function apply(
  { kind, id }: Change,
  { context, publish }: Scene,
  memory: ReturnType<typeof openMemoryLibrary>,
): Promise<unknown> {
  texts += 1;
  const files = { "SKILL.md": skillText(id, `Text ${texts}.`) };
  const helper = { kind: "agent", key: "helper" } as const;
  switch (kind) {
    case "publish":
      return await publish(id, files);
    case "delete":
      return await deleteSkill(id, { by: ada }, context);
    case "restore":
      return await restoreSkill(id, { by: ada }, context);
    case "grant":
      await grantSkill(id, helper, { by: admin }, context);
      return await grantSkill(id, { kind: "user", key: "bob" }, { by: ada }, context);
    case "revoke":
      await revokeSkill(id, { kind: "user", key: "bob" }, { by: ada }, context);
      return await revokeSkill(id, helper, { by: ada }, context);
    case "off":
      return await toggleSkill(id, false, { by: ada }, context);
    case "on":
      return await toggleSkill(id, true, { by: ada }, context);
    case "allow":
      return await changeAgent("helper", { allow: texts % 2 === 0 ? null : [id] }, { by: ada }, context);
    case "pin":
      return await changeAgent("helper", { pins: texts % 2 === 0 ? {} : { [id]: 1 } }, { by: ada }, context);
    case "memory":
      return memory.replace(texts % 2 === 0 ? [] : [{ folder: id, files }]);
  }
}

/** A change that the registry rejects, such as the deletion of a deleted skill, is no change. */
function ignoreRejected(error: unknown): void {
  if (!(error instanceof Error) || !("code" in error)) throw error;
}
