import { expect, test, vi } from "vitest";
import { ReadBatch } from "./read-batch.ts";

function open(rows: Readonly<Record<string, string>>) {
  const one = vi.fn(async (key: string) => rows[key]);
  const many = vi.fn(
    async (keys: readonly string[]) =>
      new Map(keys.flatMap((key) => (rows[key] === undefined ? [] : [[key, rows[key]] as const]))),
  );
  return { one, many, batch: new ReadBatch({ one, many }) };
}

test("joins the reads of one turn to one query [S-73]", async () => {
  const { batch, one, many } = open({ a: "1", b: "2", c: "3" });
  const twoSteps = async (first: string, second: string) => [await batch.get(first), await batch.get(second)];
  expect(await Promise.all([twoSteps("a", "b"), twoSteps("b", "c"), twoSteps("a", "c")])).toEqual([
    ["1", "2"],
    ["2", "3"],
    ["1", "3"],
  ]);
  expect(many.mock.calls).toEqual([[["a", "b"]], [["b", "c"]]]);
  expect(one).not.toHaveBeenCalled();
});

test("reads a single key, and a key that the query leaves out, alone [S-73]", async () => {
  const { batch, one, many } = open({ a: "1" });
  expect(await batch.get("a")).toBe("1");
  expect(many).not.toHaveBeenCalled();
  expect(await Promise.all([batch.get("a"), batch.get("gone")])).toEqual(["1", undefined]);
  expect(one.mock.calls).toEqual([["a"], ["gone"]]);
});

test("limits the keys of a query [S-73]", async () => {
  const keys = Array.from({ length: 250 }, (_, at) => `k${at}`);
  const { batch, many } = open(Object.fromEntries(keys.map((key) => [key, key])));
  expect(await Promise.all(keys.map((key) => batch.get(key)))).toEqual(keys);
  expect(many.mock.calls.map(([asked]) => asked.length)).toEqual([100, 100, 50]);
});

test("fails only the reads of a damaged row [S-73]", async () => {
  const damaged = new Error("damaged");
  const read = async (key: string) => (key === "bad" ? Promise.reject(damaged) : key);
  const batch = new ReadBatch<string, string>({
    one: read,
    many: async (keys) =>
      new Map(await Promise.all(keys.map(async (key) => [key, await read(key)] as const))),
  });
  expect(await Promise.allSettled([batch.get("a"), batch.get("bad"), batch.get("b")])).toEqual([
    { status: "fulfilled", value: "a" },
    { status: "rejected", reason: damaged },
    { status: "fulfilled", value: "b" },
  ]);
});
