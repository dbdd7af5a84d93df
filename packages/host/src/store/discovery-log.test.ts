import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SkillEvent } from "@skillhold/protocol";
import type { RegistryStore } from "@skillhold/registry/record";
import { openRegistryStore } from "@skillhold/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DiscoveryLog } from "./discovery-log.ts";

let root: string;
let store: RegistryStore;
let lookups: number;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "skillhold-discovery-"));
  store = await openRegistryStore(`sqlite:${join(root, "registry.db")}`);
  lookups = 0;
});
afterEach(async () => {
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

const discovered = (id: string) =>
  SkillEvent.parse({
    ...{ type: "skill.discovered", at: "2026-11-01T10:00:00.000Z", skill: id, source: "skills" },
    ...{ trust: "user", path: `/skills/${id}`, skillHash: `sha256:${"a".repeat(64)}` },
  });

/** What a start without a cache does. */
async function scan(...ids: readonly string[]): Promise<void> {
  const log = new DiscoveryLog({
    audit: {
      record: async (event) => {
        await store.transaction((tx) => tx.appendAll([event]));
      },
    },
    log: {
      listEvents: (query) => store.listEvents(query),
      eventsAbout: (...query) => {
        lookups += 1;
        return store.eventsAbout(...query);
      },
    },
    name: "test",
    onError: (error) => {
      throw error;
    },
  });
  await log.recordAll(ids.map(discovered));
}

test("the first scan looks up no skill in the log, and later ones record each discovery once [S-62]", async () => {
  await scan("a", "b", "c");
  expect(lookups).toBe(0);
  await scan("a", "b", "c", "d");
  expect(lookups).toBe(4);
  const events = await store.listEvents({ order: "oldest", limit: 100 });
  expect(events.map(({ event }) => "skill" in event && event.skill)).toEqual(["a", "b", "c", "d"]);
});

test("a failed write is reported once, and the next start records its discoveries [S-62]", async () => {
  const failures: unknown[] = [];
  const log = new DiscoveryLog({
    audit: { record: () => Promise.reject(new Error("full")) },
    log: store,
    name: "test",
    onError: (error) => failures.push(error),
  });
  await log.recordAll([discovered("a"), discovered("b")]);
  await log.recordAll([discovered("c")]);
  expect(failures).toEqual([new Error("full")]);
  await scan("a", "b", "c");
  expect(await store.listEvents({ order: "oldest", limit: 100 })).toHaveLength(3);
});
