import type { SkillRow } from "@skillhold/protocol/http";
import { expect, test } from "vitest";
import { countTags, filterRows, readState, valuesOf } from "./skill-filter.ts";

// Only the fields that the filter reads.
const row = (id: string, at: string, tags: readonly string[] = []) =>
  ({ entry: { id, name: id, tags, lastModified: at } }) as unknown as SkillRow;
const rows = [row("a", "2026-01-01"), row("b", "2026-03-01"), row("c", "2026-02-01")];
const ranks = {
  scores: new Map([
    ["a", 0.2],
    ["b", 0.1],
    ["c", 0.9],
  ]),
  uses: new Map([["b", 7]]),
};
const shown = (search: string) =>
  filterRows(rows, readState(new URLSearchParams(search)), ranks).map(({ entry }) => entry.id);

test("with a query, sorts by best match unless another order is chosen [S-59]", () => {
  expect(shown("q=report")).toEqual(["c", "a", "b"]);
  expect(shown("q=report&order=name")).toEqual(["a", "b", "c"]);
  expect(shown("q=report&order=used")).toEqual(["b", "a", "c"]);
  expect(shown("q=report&order=updated")).toEqual(["b", "c", "a"]);
});

test("without a query, sorts skills by name [S-59]", () => {
  expect(readState(new URLSearchParams("order=best")).order).toBe("name");
  expect(readState(new URLSearchParams("q=report")).order).toBe("best");
  expect(shown("order=best")).toEqual(["a", "b", "c"]);
});

test("counts tags, including the chosen one [S-59]", () => {
  const tagged = [row("a", "", ["team", "writing"]), row("b", "", ["team"])];
  expect(countTags(tagged, "gone")).toEqual([
    ["gone", 0],
    ["team", 2],
    ["writing", 1],
  ]);
  expect(countTags([row("a", "")], null)).toEqual([]);
});

test("combines filters by owner, trust and readiness [S-59]", () => {
  // Only the fields that the filter reads.
  const facts = (id: string, owner: string, trust: string, state: string) =>
    ({
      entry: { id, name: id, tags: [], lastModified: "", trust, readiness: { state } },
      registry: { owner },
    }) as unknown as SkillRow;
  const some = [
    facts("a", "ann", "org", "ready"),
    facts("b", "bob", "user", "ready"),
    facts("c", "ann", "user", "needs-config"),
  ];
  const idsOf = (search: string) =>
    filterRows(some, readState(new URLSearchParams(search)), ranks).map(({ entry }) => entry.id);
  expect(idsOf("owner=ann")).toEqual(["a", "c"]);
  expect(idsOf("owner=ann&trust=user")).toEqual(["c"]);
  expect(idsOf("readiness=ready")).toEqual(["a", "b"]);
  expect(idsOf("owner=eve")).toEqual([]);
  expect(valuesOf(some, "owner", "eve")).toEqual(["ann", "bob", "eve"]);
});
