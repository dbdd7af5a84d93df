import { expect, test } from "vitest";
import { isFresh, rejectStale } from "./condition.ts";

const given = (name: string, value: string) => new Headers({ [name]: value });

test("recognizes the client's copy by a weak or strong tag [S-53]", () => {
  for (const tags of ['"a"', 'W/"a"', '"b", W/"a"', "*"])
    expect([tags, isFresh(given("if-none-match", tags), "a")]).toEqual([tags, true]);
  for (const tags of ['"b"', 'W/"b"', ""])
    expect([tags, isFresh(given("if-none-match", tags), "a")]).toEqual([tags, false]);
});

test("accepts a change only with a strong tag [S-53]", () => {
  for (const tags of ['"a"', '"b", "a"', "*"])
    expect(() => rejectStale(given("if-match", tags), "a")).not.toThrow();
  for (const tags of ['W/"a"', '"b"', 'W/"a", "b"', ""])
    expect(() => rejectStale(given("if-match", tags), "a")).toThrow(
      expect.objectContaining({ code: "PRECONDITION_FAILED" }),
    );
  expect(() => rejectStale(new Headers(), "a")).not.toThrow();
});
