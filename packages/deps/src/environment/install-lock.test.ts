import { existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemTimers } from "@skillhold/core/port";
import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { afterEach, expect, test } from "vitest";
import { makeFolder, removeFolders } from "./environment.fixture.ts";
import { withLock } from "./install-lock.ts";

afterEach(removeFolders);

const lockFile = () => join(makeFolder(), "x.lock");
const options = { timeoutMs: 20_000 };

test("runs one holder at a time, and removes the lock afterwards, also after a failure [S-36]", async () => {
  const file = lockFile();
  const timers = new ManualTimers();
  let inside = 0;
  let left = 3;
  const work = async () => {
    inside += 1;
    left -= 1;
    // The heartbeat of this holder, and the pause of each waiting one.
    await expect.poll(() => timers.delays).toHaveLength(1 + left);
    expect(inside).toBe(1);
    inside -= 1;
  };
  const passTime = systemTimers.every(10, () => inside === 0 && timers.advance(100));
  await Promise.all([1, 2, 3].map(() => withLock(file, work, { ...options, timers })));
  passTime();
  await expect(withLock(file, () => Promise.reject(new Error("mine")), options)).rejects.toThrow("mine");
  expect(existsSync(file)).toBe(false);
});

test.each([
  ["whose process is gone", "4194305 00\n", undefined],
  ["that nobody has touched for long, whoever has its number now", `${process.pid} 00\n`, new Date(0)],
  ["that was never finished, after a while", "", new Date(0)],
])("takes over a lock %s [S-36]", async (_, text, touched) => {
  const file = lockFile();
  writeFileSync(file, text);
  if (touched !== undefined) utimesSync(file, touched, touched);
  expect(
    await withLock(file, async () => readFileSync(file, "utf8").startsWith(`${process.pid} `), options),
  ).toBe(true);
});

test("waits for the lock of a live process until the timeout [S-36]", async () => {
  const file = lockFile();
  writeFileSync(file, `${process.pid} 00\n`);
  const work = () => Promise.reject(new Error("ran"));
  const timers = new ManualTimers();
  const late = withLock(file, work, { timeoutMs: 5000, timers });
  const timedOut = expect(late).rejects.toMatchObject({ code: "TIMED_OUT" });
  await timers.set(100);
  timers.advance(6000);
  await timedOut;
  const stop = new AbortController();
  const canceled = withLock(file, work, { ...options, timers, signal: stop.signal });
  const rejected = expect(canceled).rejects.not.toThrow("ran");
  await timers.set(100);
  stop.abort();
  await rejected;
  expect(readFileSync(file, "utf8")).toBe(`${process.pid} 00\n`);
});

test("does not remove a lock that another process took over [S-36]", async () => {
  const file = lockFile();
  await withLock(file, async () => writeFileSync(file, "1 ff\n"), options);
  expect(readFileSync(file, "utf8")).toBe("1 ff\n");
});
