import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Viewer } from "@skillhold/core/library";
import { callSkillTool, openSession, type Session, skillTools } from "@skillhold/core/session";
import { fixturePorts } from "@skillhold/core/test/session/session.fixture";
import { defaultLimits } from "@skillhold/protocol";
import { openRegistryLibrary, type RegistryLibrary } from "@skillhold/registry/library";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contextOf, engines, FreshStores, host } from "../registry-library/store.fixture.ts";
import { type Case, cases, type Expected, expectedOf, viewers } from "./matrix.fixture.ts";
import { bodyOf, putMatrix } from "./put-matrix.fixture.ts";

const PATH = "references/number.md";
const STRANGER: Viewer = { runtime: "test" };
const ALL = { searchHits: 10_000, catalogueSkills: 10_000, catalogueTokens: 10_000_000 };

describe.each(engines)("the access matrix on %s", (engine) => {
  const stores = new FreshStores(engine);
  let library: RegistryLibrary;
  beforeAll(async () => {
    const store = await stores.open();
    await putMatrix(store);
    const context = contextOf(store);
    library = await openRegistryLibrary({ host }, { ...context, limits: { ...context.limits, ...ALL } });
  });
  afterAll(async () => {
    await library.close();
    await stores.close();
  });

  describe.each(Object.entries(viewers))("for %s", (_, viewer) => {
    const visible = cases.flatMap((each) => {
      const expected = expectedOf(each, viewer);
      return isShown(expected) ? [[each.id, expected.revision] as const] : [];
    });

    test("list, catalog and search have the same skills in the viewer's revision [S-43]", async () => {
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

  // One viewer per skill: over the whole matrix, each viewer meets each rule many times.
  const all = Object.values(viewers);
  const turns = cases.map((each, index) => {
    return { each, turn: (index * 7 + Math.floor(index / all.length)) % all.length };
  });

  test("reading, file lists and resources agree with the list for every skill [S-43]", async () => {
    for (const { each, turn } of turns) await expectReading(each, all[turn] ?? STRANGER);
  });

  test("run copies, sessions, slash commands and tools agree with the list [S-43]", async () => {
    const sessions = await Promise.all(all.map(open));
    // Coprime to the dimensions of the matrix, so that all values occur.
    for (const { each, turn } of turns.filter((_, index) => index % 11 === 3)) {
      const viewer = all[turn] ?? STRANGER;
      await expectUse(each, viewer, sessions[turn] ?? (await open(viewer)));
    }
  });

  async function open(viewer: Viewer): Promise<Session> {
    const limits = { ...defaultLimits, ...ALL };
    return await openSession(library, viewer, fixturePorts(), { limits });
  }

  async function expectReading(each: Case, viewer: Viewer): Promise<void> {
    const { id } = each;
    const expected = expectedOf(each, viewer);
    const found = await library.find(viewer, id);
    const calls = [
      library.read(viewer, id),
      library.files(viewer, id),
      library.resource(viewer, id, PATH),
    ] as const;
    if (!isShown(expected)) {
      expect(found).toBeUndefined();
      for (const call of calls) await expect(call).rejects.toMatchObject(gone(id));
      return;
    }
    const { revision } = expected;
    const [content, files, resource] = await Promise.all(calls);
    expect(found).toMatchObject({ revision });
    expect(content).toMatchObject({ body: bodyOf(revision), entry: { revision }, files });
    expect(resource).toMatchObject({ content: `${revision}`, treeHash: content.treeHash });
  }

  async function expectUse(each: Case, viewer: Viewer, session: Session): Promise<void> {
    const { id } = each;
    const expected = expectedOf(each, viewer);
    const folder = join(stores.folder, `copy-${id}`);
    mkdirSync(folder);
    const tools = skillTools(session);
    const slash = await session.slash(`/use ${id}`);
    const tool = await callSkillTool(tools, "read_skill", { skill_id: id });
    const resource = await callSkillTool(tools, "read_skill_resource", { skill_id: id, path: PATH });
    if (!isShown(expected)) {
      for (const call of [library.copy(viewer, id, folder), session.activate(id), session.resource(id, PATH)])
        await expect(call).rejects.toMatchObject(gone(id));
      expect(slash).toMatchObject({ kind: "unknown" });
      for (const answer of [tool, resource])
        expect(answer).toMatchObject({ ok: false, error: { code: "SKILL_NOT_FOUND" } });
      return;
    }
    const { revision } = expected;
    expect(await library.copy(viewer, id, folder)).toMatchObject({ entry: { revision } });
    expect(readFileSync(join(folder, PATH), "utf8")).toBe(`${revision}`);
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

function gone(id: string) {
  return { code: "SKILL_NOT_FOUND", message: `There is no skill ${id}.` };
}
