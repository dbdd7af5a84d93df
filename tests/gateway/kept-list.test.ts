import {
  type IndexedLibrary,
  mayKnow,
  openLayeredLibrary,
  openMemoryLibrary,
  type Viewer,
  withAgentRecord,
} from "@skillhold/core/library";
import { nodeHost } from "@skillhold/core/source";
import type { Principal } from "@skillhold/gateway/test/auth/principal";
import { type ListRequest, SkillLists } from "@skillhold/gateway/test/cache/skill-list";
import { isOverseer } from "@skillhold/gateway/test/skill/disclosed-skill";
import { viewKeyOf } from "@skillhold/gateway/test/socket/socket-viewer";
import { ViewChanges } from "@skillhold/gateway/test/socket/view-change";
import { addAgent, changeAgent, grantSkill, revokeSkill, toggleSkill } from "@skillhold/registry/access";
import { openRegistryLibrary, type RegistryLibrary } from "@skillhold/registry/library";
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
            expect(await kept.version()).toBe(await fresh.version());
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
      const surveyAll = vi.spyOn(library, "surveyAllIn");
      const survey = vi.spyOn(library, "surveyIn");
      const [first, second] = await Promise.all([lists.get(request), lists.get(request)]);
      expect(second).toBe(first);
      expect(await lists.get(request)).toBe(first);
      expect(surveyAll).toHaveBeenCalledTimes(1);
      expect(survey).not.toHaveBeenCalled();
      await toggleSkill("b", false, { by: ada }, scene.context);
      expect((await lists.get(request)).skills.map(({ access }) => access.entry.id)).toEqual(["a", "c", "d"]);
      expect(survey).toHaveBeenLastCalledWith(expect.anything(), request.viewer, ["b"]);
      await library.close();
    } finally {
      await scene.close();
    }
  });

  test("are published to exactly the clients whose known skills changed, after any changes [S-43] [S-54]", async () => {
    const scene = await openScene(engine);
    try {
      await addAgent({ key: "helper", runtime: "x" }, { by: ada }, scene.context);
      const { library, skills, memory } = await openLists(scene);
      const views = new ViewChanges({ registry: scene.context, library, skills });
      for (const principal of principals) await views.note(principal);
      const known = new Map<string, string>();
      const run = fc.asyncProperty(changes, async (list) => {
        for (const change of list) {
          await apply(change, scene, memory).catch(ignoreRejected);
          const changed = await views.changed(principals);
          for (const principal of principals) {
            const { user } = principal;
            const now = JSON.stringify(await knownTo(principal, library, skills));
            if (known.has(user)) expect(changed.has(viewKeyOf(principal))).toBe(known.get(user) !== now);
            known.set(user, now);
          }
        }
      });
      await fc.assert(run, { numRuns: engine === "sqlite" ? 20 : 5 });
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
      const version = await (await lists.get(request)).version();
      await scene.publish("b", { "SKILL.md": skillText("b", "New text.") });
      await toggleSkill("d", false, { by: ada }, scene.context);
      expect(await (await lists.get(request)).version()).toBe(version);
      await scene.publish("a", { "SKILL.md": skillText("a", "New text.") });
      expect(await (await lists.get(request)).version()).not.toBe(version);
      await library.close();
    } finally {
      await scene.close();
    }
  });
});

function plain({ access, held }: Awaited<ReturnType<SkillLists["get"]>>["skills"][number]) {
  return { access, held: held?.current.skill };
}

const principals = ["ada", "bob"].map((user): Principal => {
  const times = { issuedAt: "2026-01-01T00:00:00Z", expiresAt: "2027-01-01T00:00:00Z" };
  return { role: "publisher", user, agent: undefined, token: user, kind: "api", ...times };
});

/** Every fact about every skill that a principal may know, and the agents of the principal. */
async function knownTo(principal: Principal, library: IndexedLibrary, skills: RegistryLibrary) {
  const { user } = principal;
  const own = { runtime: "skillhold", user };
  const agent = user === "ada" ? skills.view().agent("helper") : undefined;
  const asHelper = { runtime: "x", user, agent: "helper", pins: agent?.pins ?? {} };
  const all = [own, ...(agent === undefined ? [] : [asHelper])];
  const facts = all.map(async (viewer) =>
    (await library.survey(viewer)).flatMap((access) => {
      const held = skills.findSnapshot(access.entry);
      const { id, revision, skillHash, lastModified } = access.entry;
      const standing = held && skills.view().standing(id);
      const isManaged = held !== undefined && isOverseer(held, principal);
      const asker = withAgentRecord(viewer, viewer === asHelper ? agent : undefined);
      if (!isManaged && !mayKnow({ id, standing }, asker)) return [];
      const row = [held?.current.skill, isManaged ? held.grants : []];
      return [[id, revision, skillHash, lastModified, access.isVisible, access.reason, access.message, row]];
    }),
  );
  return [agent, await Promise.all(facts)];
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
