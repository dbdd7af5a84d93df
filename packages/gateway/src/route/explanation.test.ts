import type { Explanation } from "@skillhold/core/library";
import { routeTable } from "@skillhold/protocol/http";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type ExplanationRequest, explanationList } from "./explanation.ts";
import { readPage } from "./page.ts";

const explanation = (id: string, state: Explanation["state"], source: string, path: string): Explanation => ({
  id,
  state,
  source,
  path,
  reason: state === "hidden" ? "disabled" : state,
  message: "",
  warnings: [],
});

const everyone: ExplanationRequest = { viewer: { runtime: "test" }, accepts: () => true };

const libraryOf = (all: readonly Explanation[]): Parameters<typeof explanationList>[1] => {
  const isCurrent = ({ state }: Explanation) => state === "visible" || state === "hidden";
  return {
    explainPage: async (_, { after = "", limit, accepts }) =>
      all
        .filter((each) => isCurrent(each) && each.id > after && accepts(each))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, limit),
    explainOthers: async () => all.filter((each) => !isCurrent(each)),
  };
};

async function readAll(limit: number, look: () => readonly Explanation[]): Promise<readonly string[]> {
  const paths: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const { rows, next } = await readPage({ cursor, limit }, explanationList(everyone, libraryOf(look())));
    paths.push(...rows.map(({ row }) => row.path));
    if (next.nextCursor === undefined) return paths;
    cursor = next.nextCursor;
  }
}

test("lists current skills before the others, by id, each once [S-53]", async () => {
  const all = [
    explanation("a", "visible", "local", "/a"),
    explanation("b", "hidden", "local", "/b"),
    explanation("a", "shadowed", "home", "/home/a"),
    explanation("a", "shadowed", "local", "/x/a"),
    explanation("a", "shadowed", "local", "/y/a"),
    explanation("a", "invalid", "local", "/z/a"),
  ];
  for (const limit of [1, 2, 3, 6]) {
    const paths = await readAll(limit, () => all);
    // Of two in one source either may stand first.
    expect(paths.slice(3, 5).sort()).toEqual(["/x/a", "/y/a"]);
    expect(paths.toSpliced(3, 2)).toEqual(["/a", "/b", "/home/a", "/z/a"]);
  }
});

test("a row that stays is on exactly one page while others change [S-53]", async () => {
  const every = ["a", "b", "c", "d", "e", "f"].flatMap((id) => [
    explanation(id, "visible", "local", `/${id}`),
    ...["one", "two", "three"].map((place) => explanation(id, "shadowed", "home", `/home/${place}/${id}`)),
    ...["one", "two"].map((place) => explanation(id, "invalid", "home", `/broken/${place}/${id}`)),
  ]);
  const states = fc.array(fc.subarray(every), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(
      fc.subarray(every),
      states,
      fc.integer({ min: 1, max: 5 }),
      async (kept, more, limit) => {
        let turn = 0;
        const seen = await readAll(limit, () => {
          turn += 1;
          const others = more[turn % more.length] ?? [];
          return every.filter((each) => kept.includes(each) || others.includes(each));
        });
        expect(new Set(seen).size).toBe(seen.length);
        expect(kept.filter(({ path }) => !seen.includes(path))).toEqual([]);
      },
    ),
  );
});

test("removing a row does not skip another one on the next page [S-53]", async () => {
  const all = ["1", "2", "3", "4"].map((name) => explanation("a", "shadowed", "home", `/${name}`));
  const one = await readPage({ limit: 1 }, explanationList(everyone, libraryOf(all)));
  const [read] = one.rows.map(({ row }) => row);
  const rest = all.filter((each) => each !== read);
  const two = await readPage({ cursor: one.next.nextCursor }, explanationList(everyone, libraryOf(rest)));
  expect(two.rows.map(({ row }) => row.path).sort()).toEqual(rest.map(({ path }) => path));
});

test("accepts its own cursor for the longest names [S-53]", async () => {
  // The longest name that a folder has, of what takes most room in JSON.
  const names = ["\u0001", "\u0002"].map((character) => character.repeat(255));
  const all = names.map((name) => explanation(name, "invalid", "s".repeat(64), "/"));
  const { next } = await readPage({ limit: 1 }, explanationList(everyone, libraryOf(all)));
  expect(routeTable.explainAll.query.parse({ cursor: next.nextCursor })).toEqual({ cursor: next.nextCursor });
});

test("a cursor does not disclose a path [S-53]", async () => {
  const all = ["a", "b"].map((id) => explanation(id, "visible", "local", `/srv/private/${id}`));
  const { next } = await readPage({ limit: 1 }, explanationList(everyone, libraryOf(all)));
  expect(Buffer.from(next.nextCursor ?? "", "base64url").toString()).not.toContain("private");
  expect(next.nextCursor).toBeDefined();
});
