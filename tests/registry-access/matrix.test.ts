import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Viewer } from "../../packages/core/src/library/viewer.ts";
import {
  openRegistryLibrary,
  type RegistryLibrary,
} from "../../packages/core/src/registry/registry-library.ts";
import { fixturePorts } from "../../packages/core/src/session/session.fixture.ts";
import { openSession, type Session } from "../../packages/core/src/session/session.ts";
import { callSkillTool, skillTools } from "../../packages/core/src/session/tool.ts";
import { defaultLimits } from "../../packages/protocol/src/index.ts";
import { contextOf, engines, FreshStores, host } from "../registry-library/store.fixture.ts";
import { type Case, cases, type Expected, expectedOf, viewers } from "./matrix.fixture.ts";
import { bodyOf, putMatrix } from "./put-matrix.fixture.ts";

const ALL = { searchHits: 10_000, catalogueSkills: 10_000, catalogueTokens: 10_000_000 };

describe.each(engines)("the matrix of access on %s", (engine) => {
  const stores = new FreshStores(engine);
  let library: RegistryLibrary;
  beforeAll(async () => {
    const store = await stores.open();
    await putMatrix(store);
    const context = contextOf(store);
    library = await openRegistryLibrary({ host }, { ...context, limits: { ...context.limits, ...ALL } });
  }, 120_000);
  afterAll(async () => {
    await library.close();
    await stores.close();
  });

  describe.each(Object.entries(viewers))("for %s", (_, viewer) => {
    const visible = cases.flatMap((each) => {
      const expected = expectedOf(each, viewer);
      return isShown(expected) ? [[each.id, expected.revision] as const] : [];
    });

    test("the list, the catalogue and the search have the same skills, in the revision that is the viewer's [S-43]", async () => {
      const wanted = new Map(visible);
      const list = await library.list(viewer);
      expect(new Map(list.map(({ id, revision }) => [id, revision]))).toEqual(wanted);
      for (const { id, description } of list)
        expect(description).toBe(`Matrix ${id}, text ${wanted.get(id)}.`);
      const found = await library.search(viewer, "matrix", { limit: cases.length });
      expect(new Map(found.map(({ entry }) => [entry.id, entry.revision]))).toEqual(wanted);
      const session = await open(viewer);
      const { inline, text } = await session.catalogue();
      expect(inline.toSorted()).toEqual([...wanted.keys()].sort());
      for (const [id, revision] of wanted) expect(text).toContain(`Matrix ${id}, text ${revision}.`);
      const listed = await callSkillTool(skillTools(session), "list_skills", {});
      const ids = listed.ok ? (listed.data as { skills: { id: string }[] }).skills.map(({ id }) => id) : [];
      expect(ids.filter((id) => !wanted.has(id))).toEqual([]);
      await session.close();
    });

    test("every other skill is explained by the rule that hides it [S-19] [S-43]", async () => {
      const explained = new Map((await library.explain(viewer)).map((each) => [each.id, each]));
      for (const each of cases) {
        const expected = expectedOf(each, viewer);
        const reason = explained.get(each.id)?.reason;
        expect([each.id, reason]).toEqual([each.id, isShown(expected) ? "visible" : expected?.hidden]);
      }
    });
  });

  test("reading, resources, copies to run, slash and tools agree with the list, skill by skill [S-43]", {
    timeout: 240_000,
  }, async () => {
    const all = Object.values(viewers);
    const sessions = await Promise.all(all.map(open));
    for (const [index, each] of cases.entries()) {
      // One viewer a skill: over the whole matrix each viewer meets each rule many times.
      const turn = (index * 7 + Math.floor(index / all.length)) % all.length;
      const viewer = all[turn] ?? { runtime: "test" };
      await expectSame(each, viewer, sessions[turn] ?? (await open(viewer)));
    }
  });

  async function open(viewer: Viewer): Promise<Session> {
    const limits = { ...defaultLimits, ...ALL };
    return await openSession(library, viewer, fixturePorts(), { limits });
  }

  async function expectSame(each: Case, viewer: Viewer, session: Session): Promise<void> {
    const { id } = each;
    const expected = expectedOf(each, viewer);
    const tools = skillTools(session);
    const path = "references/number.md";
    const folder = join(stores.folder, `copy-${id}`);
    mkdirSync(folder);
    const slash = await session.slash(`/use ${id}`);
    const tool = await callSkillTool(tools, "read_skill", { skill_id: id });
    const resource = await callSkillTool(tools, "read_skill_resource", { skill_id: id, path });
    if (!isShown(expected)) {
      const gone = { code: "SKILL_NOT_FOUND", message: `There is no skill ${id}.` };
      expect(await library.find(viewer, id)).toBeUndefined();
      for (const call of [
        library.read(viewer, id),
        library.files(viewer, id),
        library.resource(viewer, id, path),
        library.copy(viewer, id, folder),
        session.activate(id),
        session.resource(id, path),
      ])
        await expect(call).rejects.toMatchObject(gone);
      expect(slash).toMatchObject({ kind: "unknown" });
      expect(tool).toMatchObject({ ok: false, error: { code: "SKILL_NOT_FOUND" } });
      expect(resource).toMatchObject({ ok: false, error: { code: "SKILL_NOT_FOUND" } });
      return;
    }
    const { revision } = expected;
    expect(await library.find(viewer, id)).toMatchObject({ revision });
    const content = await library.read(viewer, id);
    expect(content).toMatchObject({ body: bodyOf(revision), entry: { revision } });
    expect(await library.files(viewer, id)).toEqual(content.files);
    expect(await library.resource(viewer, id, path)).toMatchObject({ content: `${revision}` });
    expect(await library.copy(viewer, id, folder)).toMatchObject({ treeHash: content.treeHash });
    expect(readFileSync(join(folder, path), "utf8")).toBe(`${revision}`);
    expect(slash).toMatchObject({ kind: "activated" });
    expect(JSON.stringify(slash)).toContain(`text ${revision}.`);
    expect(tool).toMatchObject({ ok: true });
    expect(session.active().find(({ skill }) => skill === id)).toMatchObject({ revision });
    expect(resource).toMatchObject({ ok: true, data: { content: `${revision}` } });
  }
});

function isShown(expected: Expected): expected is { readonly revision: number } {
  return expected !== undefined && "revision" in expected;
}
