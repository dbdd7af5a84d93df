import { expect, test } from "vitest";
import { BoundedMap } from "./bounded-map.ts";

test("evicts unused entries first [S-55]", () => {
  const map = new BoundedMap<string, number>(3);
  for (const [at, key] of ["a", "b", "c"].entries()) map.set(key, at);
  expect(map.find("a")).toBe(0);
  map.set("d", 3);
  expect(["a", "b", "c", "d"].map((key) => map.find(key))).toEqual([0, undefined, 2, 3]);
});

test("evicts the oldest entry when all were used [S-55]", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 0);
  map.set("b", 1);
  map.find("a");
  map.find("b");
  map.set("c", 2);
  expect(["a", "b", "c"].map((key) => map.find(key))).toEqual([undefined, 1, 2]);
});

test("replaces the entry of an existing key [S-55]", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 0);
  for (let at = 0; at < 5; at += 1) map.set("b", at);
  expect([map.find("a"), map.find("b")]).toEqual([0, 4]);
});
