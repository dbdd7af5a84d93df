import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type FolderLibrary, openLibrary } from "@skillhold/core/library";
import { nodeHost } from "@skillhold/core/source";
import { afterAll, beforeAll, expect, test } from "vitest";

const skills = join(import.meta.dirname, "../../skills");
const ids = ["docx", "pdf", "pptx", "skill-creator", "xlsx"] as const;
const viewer = { runtime: "test" };
let library: FolderLibrary;

beforeAll(async () => {
  const source = { label: "core", kind: "builtin", trust: "builtin", root: skills } as const;
  library = await openLibrary({ sources: [source], host: nodeHost(process) });
});
afterAll(() => library.close());

/** Search is not what an agent does, but a skill that is not first for its own queries lacks the words of users. */
test.each(ids)("%s is first of the five for at least 80 %% of its own queries [S-40]", async (id) => {
  const triggers: readonly { query: string; should_trigger: boolean }[] = JSON.parse(
    readFileSync(join(skills, id, "evals/triggers.json"), "utf8"),
  );
  const wanted = triggers.filter(({ should_trigger }) => should_trigger);
  const missed: string[] = [];
  for (const { query } of wanted) {
    const [first] = await library.search(viewer, query);
    if (first?.entry.id !== id) missed.push(`${query} → ${first?.entry.id ?? "none"}`);
  }
  expect(missed.length, missed.join("\n")).toBeLessThanOrEqual(wanted.length * 0.2);
});
