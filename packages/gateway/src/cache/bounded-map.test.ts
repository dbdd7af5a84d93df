import { expect, test } from "vitest";
import { BoundedMap } from "./bounded-map.ts";

test("of more than there is room for, what was not used goes first [S-55]", () => {
  const map = new BoundedMap<string, number>(3);
  for (const [at, key] of ["a", "b", "c"].entries()) map.set(key, at);
  expect(map.find("a")).toBe(0);
  map.set("d", 3);
  expect(["a", "b", "c", "d"].map((key) => map.find(key))).toEqual([0, undefined, 2, 3]);
});

test("where all were used the oldest goes, and what is new stays [S-55]", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 0);
  map.set("b", 1);
  map.find("a");
  map.find("b");
  map.set("c", 2);
  expect(["a", "b", "c"].map((key) => map.find(key))).toEqual([undefined, 1, 2]);
});

test("a key that is set again takes no more room [S-55]", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 0);
  for (let at = 0; at < 5; at += 1) map.set("b", at);
  expect([map.find("a"), map.find("b")]).toEqual([0, 4]);
});
