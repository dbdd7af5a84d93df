import { expect, test } from "vitest";
import { isFresh, knownTag, rejectStale } from "./condition.ts";

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

test("takes the tag of an encoding for that of its representation [S-53]", () => {
  expect(isFresh(given("if-none-match", '"a+br"'), "a")).toBe(true);
  expect(isFresh(given("if-none-match", '"a+zip"'), "a")).toBe(false);
  expect(() => rejectStale(given("if-match", '"a+gzip"'), "a")).not.toThrow();
  expect(knownTag(given("if-none-match", '"b", "a+gzip"'), "a")).toBe("a+gzip");
  expect(knownTag(given("if-none-match", '"a"'), "a")).toBe("a");
});
