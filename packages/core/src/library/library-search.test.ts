import { expect, test } from "vitest";
import { bareHost, skill } from "../session/session.fixture.ts";
import { openMemoryLibrary } from "./open-library.ts";

const viewer = { runtime: "test" };

test("a viewer's own use ranks a skill slightly higher among similar ones, and the hit says so [S-61]", async () => {
  const library = openMemoryLibrary(
    [
      skill("alpha", { yaml: "description: Sorts mail." }),
      skill("bravo", { yaml: "description: Sorts mail." }),
      skill("sort-mail", { yaml: "description: Sorts mail." }),
    ],
    { host: bareHost },
  );
  const search = async (uses?: ReadonlyMap<string, number>) =>
    (await library.search(viewer, "sort mail", uses === undefined ? {} : { uses })).map(
      ({ entry, hit }) => [entry.id, hit.parts.prior] as const,
    );
  expect((await search()).map(([id]) => id)).toEqual(["sort-mail", "alpha", "bravo"]);
  expect(await search(new Map([["bravo", 1_000_000]]))).toEqual([
    ["sort-mail", 0],
    ["bravo", 0.1],
    ["alpha", 0],
  ]);
  // The uses of another skill, which the viewer might not see, change no score.
  const both = new Map([
    ["bravo", 20],
    ["hidden", 5000],
  ]);
  expect(await search(both)).toEqual(await search(new Map([["bravo", 20]])));
  expect((await search(new Map([["bravo", Number.NaN]]))).map(([id]) => id)).toEqual([
    "sort-mail",
    "alpha",
    "bravo",
  ]);
  await library.close();
});

test("a viewer's view follows switches without a state [S-44] [S-61]", async () => {
  const disabled = new Set<string>();
  const library = openMemoryLibrary([skill("alpha"), skill("bravo")], {
    host: bareHost,
    settings: { disabled },
  });
  const ids = async () => (await library.search(viewer, "things")).map(({ entry }) => entry.id);
  expect(await ids()).toEqual(["alpha", "bravo"]);
  disabled.add("alpha");
  expect(await ids()).toEqual(["bravo"]);
  disabled.delete("alpha");
  expect(await ids()).toEqual(["alpha", "bravo"]);
  await library.close();
});
