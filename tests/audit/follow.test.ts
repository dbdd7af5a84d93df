import { followEvents } from "@skillhold/registry/audit";
import type { StoredEvent } from "@skillhold/registry/record";
import { makeEvent } from "@skillhold/registry/test/audit/memory-log.fixture";
import { inProcess } from "@skillhold/store/test/table/registry-process.fixture";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { engines, openScene, type Scene } from "../registry/scene.ts";

/** Appends events numbered by its arguments, each in its own transaction. */
const APPEND = `
  for (const event of JSON.parse(args[0])) await store.transaction((tx) => tx.append(event));`;

describe.each(engines)("the events of a store, on %s", (engine) => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await openScene(engine);
  });
  afterEach(() => scene.close());

  test("arrive once and in order, from this and other processes, as they are committed [S-55]", async () => {
    const { store } = scene.context;
    const ending = new AbortController();
    const seen = collect(0, 90, ending);
    const elsewhere = [0, 30].map((from) => inProcess(scene.url, APPEND, JSON.stringify(events(from, 30))));
    for (const event of events(60, 30)) await store.transaction((tx) => tx.append(event));
    await Promise.all(elsewhere);
    const all = await seen;
    expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: 90 }, (_, index) => index + 1));
    expect(all).toEqual(await store.eventsAfter(0, 1000));
  });

  test("are available to a reader that resumes from its cursor [S-55]", async () => {
    const { store } = scene.context;
    await store.transaction((tx) => tx.appendAll(events(0, 5)));
    const before = await collect(0, 5, new AbortController());
    await inProcess(scene.url, APPEND, JSON.stringify(events(5, 20)));
    await store.transaction((tx) => tx.appendAll(events(25, 1500)));
    const after = await collect(before.at(-1)?.seq ?? 0, 1520, new AbortController());
    expect([...before, ...after].map(({ event }) => event)).toEqual(events(0, 1525));
  });

  /** Follows until the count is reached. */
  async function collect(after: number, count: number, ending: AbortController) {
    const seen: StoredEvent[] = [];
    for await (const stored of followEvents(after, ending, scene.context.store)) {
      seen.push(stored);
      if (seen.length === count) ending.abort();
    }
    return seen;
  }
});

function events(from: number, count: number) {
  return Array.from({ length: count }, (_, index) => makeEvent(from + index));
}
