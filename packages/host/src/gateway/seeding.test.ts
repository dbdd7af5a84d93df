import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LogEntry } from "@skillhold/gateway";
import { defaultLimits } from "@skillhold/protocol/limits";
import type { RegistryContext, RegistryStore } from "@skillhold/registry/record";
import { openRegistryStore } from "@skillhold/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Seeding } from "./seeding.ts";

let folder: string;
let store: RegistryStore;
let seeding: Seeding;
let events: string[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "skillhold-seeding-"));
  store = await openRegistryStore(`sqlite:${join(folder, "registry.db")}`);
  events = [];
  const log = ({ event }: LogEntry) => events.push(event);
  const onReady = () => events.push("ready");
  const { signal } = new AbortController();
  seeding = new Seeding({ folder: join(folder, "skills"), log, onReady, signal });
});
afterEach(async () => {
  await seeding.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

function write(id: string, text = `---\nname: ${id}\ndescription: About ${id}.\n---\nDo it.\n`): void {
  mkdirSync(join(folder, "skills", id), { recursive: true });
  writeFileSync(join(folder, "skills", id, "SKILL.md"), text);
}

function registry(scan: RegistryContext["scan"] = async () => emptyManifest): RegistryContext {
  const clock = { now: () => new Date("2026-01-01T00:00:00.000Z") };
  let count = 0;
  const next = () => {
    count += 1;
    return `uid-${count}`;
  };
  return { store, clock, ids: { next }, limits: defaultLimits, scan };
}

const emptyManifest: Awaited<ReturnType<RegistryContext["scan"]>> = {
  dependencies: [],
  notes: [],
};

test("is pending until every bundled skill is published [S-40] [S-53]", async () => {
  write("one");
  write("two");
  const scanned = Promise.withResolvers<typeof emptyManifest>();
  seeding.start(registry(() => scanned.promise));
  expect(seeding.state.pending).toBeTypeOf("string");
  expect(events).toEqual([]);
  scanned.resolve(emptyManifest);
  await expect.poll(() => seeding.state).toEqual({});
  expect(events).toEqual(["seed.taken", "seed.taken", "ready"]);
  expect((await store.listSkills()).map(({ id }) => id)).toEqual(["one", "two"]);
});

test("ends with a warning when a skill is refused [S-39] [S-53]", async () => {
  write("one");
  write("two", "no frontmatter");
  seeding.start(registry());
  await expect.poll(() => seeding.state).toEqual({ warnings: [expect.any(String)] });
  expect(events.toSorted()).toEqual(["ready", "seed.refused", "seed.taken"]);
});

test("ends with a warning when the store fails [S-53]", async () => {
  write("one");
  const context = registry();
  await store.close();
  seeding.start(context);
  await expect.poll(() => seeding.state).toEqual({ warnings: [expect.any(String)] });
  expect(events).toEqual(["seed.failed", "ready"]);
});
