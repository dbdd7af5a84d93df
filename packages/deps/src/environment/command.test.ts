import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { expect, test } from "vitest";
import { runCommand } from "./command.ts";

const forever = [process.execPath, "-e", "setInterval(() => {}, 1000)"] as const;

test("kills a program that exceeds its time [S-36]", async () => {
  const timers = new ManualTimers();
  const result = runCommand(forever, { env: {}, timeoutMs: 5000, timers });
  await timers.set(5000);
  timers.advance(5000);
  expect(await result).toMatchObject({ outcome: "timed_out", code: undefined });
});

test("kills a program when the request is aborted, and leaves no deadline [S-36]", async () => {
  const timers = new ManualTimers();
  const controller = new AbortController();
  const result = runCommand(forever, { env: {}, timeoutMs: 5000, timers, signal: controller.signal });
  await timers.set(5000);
  controller.abort();
  expect(await result).toMatchObject({ outcome: "aborted", code: undefined });
  expect(timers.delays).toEqual([]);
});
