import { openMemoryLibrary } from "@skillhold/core/library";
import { nodeHost } from "@skillhold/core/source";
import { expect, test } from "vitest";
import { compareTriggers } from "./compare-content.ts";

const viewer = { runtime: "test" };
const text = (id: string, description: string) =>
  `---\nname: ${id}\ndescription: ${description}\n---\nDo it.\n`;
const host = nodeHost({ env: {}, platform: process.platform, cwd: "/" });
const library = openMemoryLibrary(
  [
    { folder: "greet", files: { "SKILL.md": text("greet", "Greets people.") } },
    { folder: "mail", files: { "SKILL.md": text("mail", "Welcomes people by letter.") } },
  ],
  { host },
);
const triggers = JSON.stringify([
  { query: "welcome people", should_trigger: true },
  { query: "greet people", should_trigger: true },
  { query: "send a letter", should_trigger: false },
]);
const content = (description: string) =>
  new Map([
    ["SKILL.md", text("greet", description)],
    ["evals/triggers.json", triggers],
  ]);

test("a change is ranked beside its base, among the skills that search finds [S-51]", async () => {
  const before = content("Greets people.");
  const after = content("Greets and welcomes people at the door. Use to welcome people.");
  const change = await compareTriggers({ skill: "greet", before, after }, { library, viewer });
  expect(change).toMatchObject({ others: 1, before: { value: 0.5 }, after: { value: 1 } });
  expect(change?.moved).toEqual([{ query: "welcome people", shouldTrigger: true, before: 2, after: 1 }]);
});

test("a new skill has no base, and one without queries has no score [S-51]", async () => {
  const created = { skill: "greet", before: undefined, after: content("Greets people.") };
  expect(await compareTriggers(created, { library, viewer })).toMatchObject({ before: undefined, moved: [] });
  const bare = new Map([["SKILL.md", text("greet", "Greets people.")]]);
  const none = { skill: "greet", before: bare, after: bare };
  expect(await compareTriggers(none, { library, viewer })).toBeUndefined();
});
