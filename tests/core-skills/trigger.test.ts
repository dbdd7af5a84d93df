import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type FolderLibrary, openLibrary } from "@skillhold/core/library";
import { nodeHost } from "@skillhold/core/source";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const skills = join(import.meta.dirname, "../../skills");
const ids = ["docx", "memory-curation", "pdf", "pptx", "skill-authoring", "skill-creator", "xlsx"] as const;
const viewer = { runtime: "test" };
let library: FolderLibrary;

beforeAll(async () => {
  const source = { label: "core", kind: "builtin", trust: "builtin", root: skills } as const;
  library = await openLibrary({ sources: [source], host: nodeHost(process) });
});
afterAll(() => library.close());

/** Search is not what an agent does, but a skill that is not first for its own queries lacks the words of users. */
test.each(ids)("%s is first of the seven for at least 80 %% of its own queries [S-40]", async (id) => {
  const wanted = readTriggers(id).filter(({ should_trigger }) => should_trigger);
  const missed: string[] = [];
  for (const { query } of wanted) {
    const first = await firstFor(query);
    if (first !== id) missed.push(`${query} → ${first ?? "none"}`);
  }
  expect(missed.length, missed.join("\n")).toBeLessThanOrEqual(wanted.length * 0.2);
});

describe("a promotion packet and a person's request", () => {
  const signal = { count: 3, workflow: "rotate the staging certificates", sessions: ["s-1", "s-2", "s-3"] };
  const packets = [
    { title: "Rotate certificates", promote_to_skill: true, repetition_signal: signal },
    { "what changed": "Export, then upload.", promote_to_skill: true, repetition_signal: signal },
    { activity_type: "skill_promotion", request_body: { promote_to_skill: true, repetition_signal: signal } },
  ].map((packet) => JSON.stringify(packet));
  // These requests are in neither trigger set.
  const requests = [
    "create a new skill for cleaning up csv exports",
    "please make what we just did reusable as a skill",
    "I keep repeating this workflow, build a skill for it",
    "my skill has a weird description, improve it",
    "validate my skill folder before I share it",
    "turn our runbook into an agent skill with a script",
    "can you author a SKILL.md for our on-call procedure",
    "promote this to a proper skill for the whole team, I want to use it every week",
  ];

  test.each(packets)("finds skill-authoring for %s [S-50]", async (query) => {
    expect(await firstFor(query)).toBe("skill-authoring");
  });

  test.each(requests)("finds skill-creator for: %s [S-40] [S-50]", async (query) => {
    expect(await firstFor(query)).toBe("skill-creator");
  });

  test("no query of one trigger set finds the other skill [S-50]", async () => {
    for (const { query } of readTriggers("skill-creator").filter(({ should_trigger }) => should_trigger))
      expect(await firstFor(query), query).not.toBe("skill-authoring");
    for (const { query, should_trigger } of readTriggers("skill-authoring"))
      expect((await firstFor(query)) === "skill-authoring", query).toBe(should_trigger);
  });
});

async function firstFor(query: string): Promise<string | undefined> {
  const [first] = await library.search(viewer, query);
  return first?.entry.id;
}

function readTriggers(id: string): readonly { query: string; should_trigger: boolean }[] {
  return JSON.parse(readFileSync(join(skills, id, "evals/triggers.json"), "utf8"));
}
