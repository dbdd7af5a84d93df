import { defaultLimits } from "@skillhold/protocol/limits";
import { expect, test } from "vitest";
import { fixtureLibrary, skill } from "./session.fixture.ts";
import { sessionCatalogue } from "./session-catalogue.ts";

test("every place of a catalogue for a task is ranked by the task [S-22]", async () => {
  const others = Array.from({ length: 60 }, (_, at) => skill(`a${at}`, { yaml: "description: Feeds cats." }));
  const fitting = Array.from({ length: 40 }, (_, at) =>
    skill(`z${at}`, { yaml: "description: Feeds a walrus.", body: `Step ${at}.\n` }),
  );
  const library = fixtureLibrary([...others, ...fitting]);
  const { inline } = await sessionCatalogue(
    { task: "feed the walrus" },
    { limits: defaultLimits },
    { runtime: "test" },
    library,
  );
  expect(inline).toHaveLength(defaultLimits.catalogueSkills);
  expect(inline.toSorted()).toEqual(fitting.map(({ folder }) => folder).toSorted());
});

test("the digest changes only with the text of the catalogue [S-22]", async () => {
  const settings = { limits: defaultLimits };
  const digestOf = async (skills: Parameters<typeof fixtureLibrary>[0]) =>
    (await sessionCatalogue({}, settings, { runtime: "test" }, fixtureLibrary(skills))).digest;
  const first = await digestOf([skill("a")]);
  expect(first).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(await digestOf([skill("a", { body: "Another body.\n" })])).toBe(first);
  expect(await digestOf([skill("a"), skill("b")])).not.toBe(first);
});

test("without a task, past use and then recent edits decide what an incomplete catalogue shows [S-22]", async () => {
  const others = Array.from({ length: 300 }, (_, at) => skill(`a${at}`));
  const library = fixtureLibrary([...others, skill("docx"), skill("pdf"), skill("xlsx")]);
  const uses = async () =>
    new Map([
      ["xlsx", { count: 3, lastUsedAt: "2026-11-01T00:00:00.000Z" }],
      ["pdf", { count: 40, lastUsedAt: "2026-11-01T00:00:00.000Z" }],
      // Used often, and long ago.
      ["docx", { count: 100, lastUsedAt: "2025-11-01T00:00:00.000Z" }],
    ]);
  for (const request of [{}, { characters: 2000 }]) {
    const settings = { limits: defaultLimits, uses, pinned: ["a299"] };
    const { inline } = await sessionCatalogue(request, settings, { runtime: "test" }, library);
    expect(inline.slice(0, 4)).toEqual(["a299", "pdf", "xlsx", "docx"]);
  }
});
