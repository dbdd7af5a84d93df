import { expect, test } from "vitest";
import { readIds, withFirst } from "./recent.ts";

test("lists the last viewed skill first, each once, up to a limit [S-59]", () => {
  expect(withFirst(["a", "b", "c"], "c")).toEqual(["c", "a", "b"]);
  expect(withFirst(["1", "2", "3", "4", "5", "6", "7", "8"], "9")).toHaveLength(8);
});

test("ignores stored data that is not a list of ids [S-59]", () => {
  expect(readIds('["a", 1, null, "b"]')).toEqual(["a", "b"]);
  for (const text of [null, "", "{", '"a"', "{}"]) expect(readIds(text)).toEqual([]);
});
