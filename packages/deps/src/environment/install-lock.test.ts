import { existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { makeFolder, removeFolders } from "./environment.fixture.ts";
import { withLock } from "./install-lock.ts";

afterEach(removeFolders);

const lockFile = () => join(makeFolder(), "x.lock");
const options = { timeoutMs: 20_000 };

test("runs one holder at a time, and removes the lock afterwards, also after a failure [S-36]", async () => {
  const file = lockFile();
  let inside = 0;
  const work = async () => {
    inside += 1;
    expect(inside).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    inside -= 1;
  };
  await Promise.all([1, 2, 3].map(() => withLock(file, work, options)));
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
  await expect(withLock(file, work, { timeoutMs: 150 })).rejects.toMatchObject({ code: "TIMED_OUT" });
  const signal = AbortSignal.timeout(50);
  await expect(withLock(file, work, { ...options, signal })).rejects.not.toThrow("ran");
  expect(readFileSync(file, "utf8")).toBe(`${process.pid} 00\n`);
});

test("does not remove a lock that another process took over [S-36]", async () => {
  const file = lockFile();
  await withLock(file, async () => writeFileSync(file, "1 ff\n"), options);
  expect(readFileSync(file, "utf8")).toBe("1 ff\n");
});
