import { openRegistryStore } from "@skillhold/store";
import { expect, test } from "vitest";
import { freshDatabase } from "../postgres-database.ts";

const CALLS = 400;
const event = {
  type: "session.closed",
  at: "2026-01-01T00:00:00.000Z",
  session: "s",
} as const;

test("more calls than connections all get an answer, and the pool recovers from failures [S-64]", async () => {
  const store = await openRegistryStore(await freshDatabase());
  const failing = () =>
    store.transaction(async (tx) => {
      await tx.append(event);
      throw new Error("no");
    });
  const calls = Array.from({ length: CALLS }, (_, at) =>
    at % 4 === 0
      ? store.transaction((tx) => tx.append(event))
      : at % 4 === 1
        ? failing()
        : store.eventsAfter(0, 10),
  );
  const results = await Promise.allSettled(calls);
  expect(results.filter(({ status }) => status === "rejected")).toHaveLength(CALLS / 4);
  expect(await store.lastEvent()).toBe(CALLS / 4);
  expect(await store.listBrokenEvents()).toEqual([]);
  await store.close();
});
