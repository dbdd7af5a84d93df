import { Digest } from "@skillhold/protocol";
import { expect, test } from "vitest";
import { DiffCache } from "./content-cache.ts";

const tree = (digit: number) => Digest.parse(`sha256:${String(digit % 10).repeat(60)}${1000 + digit}`);
const none = { files: [], fields: [] };

test("computes a diff once, also for concurrent requests [S-45]", async () => {
  const diffs = new DiffCache();
  let times = 0;
  const make = async () => {
    times += 1;
    return none;
  };
  await Promise.all([diffs.get(tree(1), tree(2), make), diffs.get(tree(1), tree(2), make)]);
  await diffs.get(tree(1), tree(2), make);
  expect(times).toBe(1);
  await diffs.get(tree(2), tree(1), make);
  expect(times).toBe(2);
});

test("retries a diff that failed [S-45]", async () => {
  const diffs = new DiffCache();
  const failing = diffs.get(tree(1), tree(2), () => Promise.reject(new Error("lost")));
  await expect(failing).rejects.toThrow("lost");
  expect(await diffs.get(tree(1), tree(2), async () => none)).toBe(none);
});

test("computes one diff at a time and rejects requests when the queue is full [S-53]", async () => {
  const diffs = new DiffCache();
  const gate = Promise.withResolvers<void>();
  let running = 0;
  const make = async () => {
    running += 1;
    await gate.promise;
    return none;
  };
  const waiting = Array.from({ length: 16 }, (_, at) => diffs.get(tree(at), tree(at + 1), make));
  await expect(diffs.get(tree(90), tree(91), make)).rejects.toMatchObject({ code: "RATE_LIMITED" });
  expect(running).toBe(1);
  gate.resolve();
  await Promise.all(waiting);
});
