import { expect, test } from "vitest";
import { isFresh, rejectStale } from "./condition.ts";

const given = (name: string, value: string) => new Headers({ [name]: value });

test("what someone has already is told by its tag, weak or strong [S-53]", () => {
  for (const tags of ['"a"', 'W/"a"', '"b", W/"a"', "*"])
    expect([tags, isFresh(given("if-none-match", tags), "a")]).toEqual([tags, true]);
  for (const tags of ['"b"', 'W/"b"', ""])
    expect([tags, isFresh(given("if-none-match", tags), "a")]).toEqual([tags, false]);
});

test("a change is let through by the strong tag alone [S-53]", () => {
  for (const tags of ['"a"', '"b", "a"', "*"])
    expect(() => rejectStale(given("if-match", tags), "a")).not.toThrow();
  for (const tags of ['W/"a"', '"b"', 'W/"a", "b"', ""])
    expect(() => rejectStale(given("if-match", tags), "a")).toThrow("not as you last saw it");
  expect(() => rejectStale(new Headers(), "a")).not.toThrow();
});
