import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { expect, test } from "vitest";
import { withWaitNotice } from "./wait-notice.ts";

test("notifies the user once when the store does not answer for three seconds", async () => {
  const timers = new ManualTimers();
  const notices: string[] = [];
  const { promise, resolve } = Promise.withResolvers<string>();
  const answer = withWaitNotice(
    (notice) => notices.push(notice),
    () => promise,
    timers,
  );
  timers.advance(2999);
  expect(notices).toEqual([]);
  timers.advance(10_000);
  expect(notices).toHaveLength(1);
  resolve("done");
  expect(await answer).toBe("done");
});

test("keeps quiet when the store answers in time, and when it fails", async () => {
  const timers = new ManualTimers();
  const notices: string[] = [];
  const notify = (notice: string) => notices.push(notice);
  await withWaitNotice(notify, async () => "done", timers);
  const failure = withWaitNotice(notify, () => Promise.reject(new Error("closed")), timers);
  await expect(failure).rejects.toThrow("closed");
  expect(timers.delays).toEqual([]);
  expect(notices).toEqual([]);
});
