import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { registryScene } from "./registry.fixture.ts";

const { root, storeFile, text, json, skill, write } = registryScene({ beforeEach, afterEach });

/** The types and skills of the logged events, without sessions. */
async function logged(): Promise<readonly string[]> {
  const { data } = await json(["audit", "tail", "--lines", "100"]);
  return data.events
    .map(({ event }: { event: { type: string; skill?: string } }) => `${event.type} ${event.skill ?? ""}`)
    .filter((line: string) => line.startsWith("skill."));
}

test("commands record each new content once, with and without the cache [S-62]", async () => {
  skill("skills/a");
  const env = { XDG_CACHE_HOME: join(root(), "..", "cache") };
  mkdirSync(env.XDG_CACHE_HOME);
  for (const argv of [["list"], ["list"], ["list", "--no-cache"], ["search", "does"]])
    expect((await text(argv, { env })).code).toBe(0);
  expect(await logged()).toEqual(["skill.discovered a"]);
  skill("skills/a", "Do it differently.\n");
  await text(["list"], { env });
  expect(await logged()).toEqual(["skill.discovered a", "skill.discovered a"]);
});

test("a folder that shadows another or the store is recorded once [S-15] [S-62]", async () => {
  skill("one/a");
  skill("two/a", "Other.\n");
  for (const _ of [1, 2]) await text(["list", "one", "two"]);
  expect((await logged()).filter((line) => line.startsWith("skill.shadowed"))).toEqual(["skill.shadowed a"]);
  skill("skills/pdf");
  skill("pdf", "Published.\n");
  expect((await text(["publish", "pdf"])).code).toBe(0);
  for (const _ of [1, 2]) await text(["list"]);
  expect((await logged()).filter((line) => line === "skill.shadowed pdf")).toHaveLength(1);
});

test("read and resource are recorded; with --no-store, no log is kept [S-62]", async () => {
  skill("skills/a");
  write("skills/a/notes.md", "Notes.");
  await text(["read", "a", "--no-store"]);
  await expect(logged()).rejects.toThrow();
  await text(["read", "a"]);
  await text(["read", "--raw", "a"]);
  await text(["resource", "a", "notes.md"]);
  expect(await logged()).toEqual([
    "skill.discovered a",
    "skill.activated a",
    "skill.activated a",
    "skill.resource_read a",
  ]);
  expect(storeFile()).toContain("registry.db");
});
