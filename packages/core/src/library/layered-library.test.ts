import type { Trust } from "@skillhold/protocol";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { sourceRank } from "../source/source.ts";
import { anyone, FakeFolders, fullHost as host } from "./fake-folders.ts";
import { LAYER } from "./indexed-library.ts";
import { type ContractSkill, type LibraryMaker, libraryContract, skill } from "./library.contract.ts";
import type { Explanation, LibraryChange } from "./library.ts";
import {
  type LayeredLibrary,
  type MemoryLibrary,
  openLayeredLibrary,
  openMemoryLibrary,
} from "./open-library.ts";

/** Every second skill is in the second layer, so the contract covers both layers. */
libraryContract("layers", (): LibraryMaker => {
  const layers: MemoryLibrary[] = [];
  const split = (skills: readonly ContractSkill[], layer: number) =>
    skills.filter(({ folder }) => folder.length % 2 === layer);
  return {
    open: async (skills, settings = {}) => {
      layers.push(...[0, 1].map((layer) => openMemoryLibrary(split(skills, layer), { host })));
      return openLayeredLibrary(layers, { settings });
    },
    replace: async (_, skills) => {
      for (const [index, layer] of layers.entries()) layer.replace(split(skills, index));
    },
  };
});

const folders = new FakeFolders();
const open: LayeredLibrary[] = [];
afterEach(async () => {
  for (const library of open.splice(0)) await library.close();
});

function layered(
  given: readonly (readonly ContractSkill[])[],
  options: Parameters<typeof openLayeredLibrary>[1] = {},
) {
  const layers = given.map((skills) => openMemoryLibrary(skills, { host }));
  const library = openLayeredLibrary(layers, options);
  open.push(library);
  return { library, layers };
}

const trusted = (trust: Trust, text: string): ContractSkill => ({
  ...skill("pdf", `description: ${text}`, `${text}\n`),
  trust,
});

test("of two skills with one id, the better-ranked wins in any layer [S-15]", async () => {
  const [org, builtin] = [trusted("org", "Of the org."), trusted("builtin", "Built in.")];
  for (const given of [
    [[org], [builtin]],
    [[builtin], [org]],
  ]) {
    const { library } = layered(given);
    expect((await library.find(anyone, "pdf"))?.description).toBe("Of the org.");
    expect((await library.read(anyone, "pdf")).body).toBe("Of the org.\n");
    expect((await library.resource(anyone, "pdf", "SKILL.md")).content).toContain("Of the org.");
    const byTrust = layered(given, { precedence: "trust" }).library;
    expect((await byTrust.read(anyone, "pdf")).body).toBe("Built in.\n");
    expect((await byTrust.search(anyone, "pdf")).map(({ entry }) => entry.description)).toEqual([
      "Built in.",
    ]);
  }
});

test("the first of equals wins, and the others are reported as shadowed by it [S-15] [S-19]", async () => {
  const { library } = layered([[trusted("user", "First.")], [trusted("user", "Second.")]]);
  expect((await library.list(anyone)).map(({ description }) => description)).toEqual(["First."]);
  const explained = await library.explain(anyone, "pdf");
  expect(explained.map(({ state }) => state)).toEqual(["visible", "shadowed"]);
});

test("folders rank by their kind among other layers, and a loser is reported below the final winner [S-15]", async () => {
  folders.skill("work/pdf", "description: At work.");
  folders.skill("bundled/pdf", "description: Bundled.");
  const local = await folders.open([
    folders.source("work", { kind: "workspace" }),
    folders.source("bundled", { kind: "builtin", trust: "builtin" }),
  ]);
  const memory = openMemoryLibrary([trusted("org", "Of the org.")], { host });
  const near = openLayeredLibrary([memory, local]);
  expect((await near.find(anyone, "pdf"))?.description).toBe("At work.");
  const far = openLayeredLibrary([local, memory], { precedence: "trust" });
  expect((await far.find(anyone, "pdf"))?.description).toBe("Of the org.");
  const winners = (await near.explain(anyone, "pdf")).filter(({ state }) => state === "shadowed");
  expect(winners).toHaveLength(2);
  for (const { message } of winners) expect(message).toContain("(work)");
  await near.close();
  await folders.close();
});

test("a skill switched off in one layer is off, and no other skill with its name replaces it [S-44]", async () => {
  const off = openMemoryLibrary([trusted("org", "A.")], { host, settings: { disabled: new Set(["pdf"]) } });
  const on = openMemoryLibrary([trusted("user", "B.")], { host });
  const library = openLayeredLibrary([off, on]);
  expect(await library.list(anyone)).toEqual([]);
  expect((await library.explain(anyone, "pdf"))[0]).toMatchObject({ state: "hidden", reason: "disabled" });
  await library.close();
});

test("a change below the winner is no change, and uncovering a skill is one [S-18]", async () => {
  const { library, layers } = layered([[trusted("user", "Top.")], [trusted("org", "Below.")]]);
  const changes: LibraryChange[] = [];
  library.onChange((change) => changes.push(change));
  layers[1]?.replace([trusted("org", "Still below.")]);
  expect(changes).toEqual([]);
  layers[0]?.replace([]);
  expect(changes).toEqual([{ added: [], changed: ["pdf"], removed: [], broken: [] }]);
  expect((await library.read(anyone, "pdf")).body).toBe("Still below.\n");
  layers[1]?.replace([]);
  expect(changes[1]).toEqual({ added: [], changed: [], removed: ["pdf"], broken: [] });
});

test("a skill that moved to another layer during a call is read in its current state [S-25]", async () => {
  const { library, layers } = layered([[trusted("user", "Top.")], [trusted("org", "Below.")]]);
  const entry = await library.find(anyone, "pdf");
  if (entry === undefined) throw new Error("it is there");
  layers[0]?.replace([]);
  const opened = await library[LAYER].shelf.open(entry);
  expect(opened.entry.trust).toBe("org");
});

test("for any layers, each id appears once and is the best of its kind [S-15]", async () => {
  const trust = fc.constantFrom<Trust>("builtin", "org", "user", "third_party");
  const layer = fc.uniqueArray(fc.tuple(fc.constantFrom("a", "b", "c", "d"), trust), {
    selector: ([id]) => id,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(layer, { maxLength: 4 }), async (given) => {
      const { library } = layered(
        given.map((skills) => skills.map(([id, of]) => ({ ...skill(id), trust: of }))),
      );
      const all = given.flat();
      const rank = (of: Trust) => sourceRank({ kind: of, trust: of }, "local");
      const expected = [...new Set(all.map(([id]) => id))].sort().map((id) => {
        const ranks = all.filter((each) => each[0] === id).map(([, of]) => rank(of));
        return [id, Math.min(...ranks)];
      });
      const listed = await library.list(anyone);
      expect(listed.map((entry) => [entry.id, rank(entry.trust)])).toEqual(expected);
      expect(await library.explain(anyone)).toHaveLength(all.length);
    }),
    { numRuns: 100 },
  );
});

test("pages of explanations and the others are all explanations, also of one skill [S-19]", async () => {
  const names = ["b", "d", "a", "c", "e"];
  const settings = { disabled: new Set(["c"]) };
  const { library } = layered([names.map((id) => skill(id)), [skill("a"), skill("c")]], { settings });
  const all = await library.explain(anyone);
  expect(all.map(({ id, state }) => [id, state])).toEqual([
    ...["a", "b"].map((id) => [id, "visible"]),
    ["c", "hidden"],
    ...["d", "e"].map((id) => [id, "visible"]),
    ...["a", "c"].map((id) => [id, "shadowed"]),
  ]);
  for (const limit of [1, 2, 3, 9]) {
    const paged: Explanation[] = [];
    for (let after: string | undefined; ; after = paged.at(-1)?.id) {
      const page = await library.explainPage(anyone, { after, limit, accepts: ({ id }) => id !== "b" });
      paged.push(...page);
      if (page.length < limit) break;
    }
    const others = await library.explainOthers(anyone);
    expect([...paged, ...others]).toEqual(all.filter(({ id }) => id !== "b"));
  }
  for (const id of [...names, "missing"])
    expect(await library.explain(anyone, id)).toEqual(all.filter((each) => each.id === id));
});
