import { expect, test } from "vitest";
import { lazyList } from "./lazy-list.ts";

function numbers(length: number) {
  const made: number[] = [];
  const list = lazyList(length, (index) => {
    made.push(index);
    return { index };
  });
  return { list, made };
}

test("makes an item once, at its first read [S-16]", async () => {
  const { list, made } = numbers(3);
  expect([list.length, made]).toEqual([3, []]);
  expect(await Promise.resolve(list)).toBe(list);
  expect(made).toEqual([]);
  expect(list[1]).toEqual({ index: 1 });
  expect(list[1]).toBe(list.at(1));
  expect(made).toEqual([1]);
  expect([list[3], list[-1], list.at(-4)]).toEqual([undefined, undefined, undefined]);
  expect(made).toEqual([1]);
});

test("reads like an array [S-16]", () => {
  const whole = [{ index: 0 }, { index: 1 }, { index: 2 }];
  const ways: readonly ((list: readonly { readonly index: number }[]) => unknown)[] = [
    (list) => [...list],
    (list) => list.map((item) => item),
    (list) => list.filter(({ index }) => index > 0),
    (list) => list.slice(1),
    (list) => list.toSorted((a, b) => b.index - a.index),
    (list) => [{ index: 9 }].concat(list),
    (list) => [list].flat(),
    (list) => Object.keys(list),
    (list) => Object.entries(list),
    (list) => ({ ...list }),
    (list) => JSON.stringify(list),
    (list) => [1 in list, 3 in list, Array.isArray(list), list.length],
    (list) => Array.from(list, ({ index }) => index),
  ];
  for (const read of ways) expect(read(numbers(3).list)).toEqual(read(whole));
  expect(numbers(3).list).toEqual(whole);
  expect(numbers(0).list).toEqual([]);
});
