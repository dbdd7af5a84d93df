import { expect, test } from "vitest";
import { BoundedQueue } from "./bounded-queue.ts";

test("rejects a task when the queue is full and accepts it after one ends [S-53]", async () => {
  const queue = new BoundedQueue(2);
  const gate = Promise.withResolvers<void>();
  const running = queue.run(() => gate.promise);
  const waiting = queue.run(async () => "second");
  await expect(queue.run(async () => "third")).rejects.toMatchObject({
    code: "RATE_LIMITED",
    details: { retryAfter: 5 },
  });
  gate.resolve();
  await running;
  expect(await waiting).toBe("second");
  expect(await queue.run(async () => "third")).toBe("third");
});

test("skips a task that was aborted while it waited [S-53]", async () => {
  const queue = new BoundedQueue();
  const gate = Promise.withResolvers<void>();
  const running = queue.run(() => gate.promise);
  const canceling = new AbortController();
  let isStarted = false;
  const canceled = queue.run(async () => {
    isStarted = true;
  }, canceling.signal);
  canceling.abort();
  gate.resolve();
  await running;
  await expect(canceled).rejects.toMatchObject({ code: "INTERRUPTED" });
  expect([isStarted, await queue.run(async () => "next")]).toEqual([false, "next"]);
});
