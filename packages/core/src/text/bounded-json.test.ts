import { expect, test } from "vitest";
import { parseBoundedJson } from "./bounded-json.ts";

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

test("parses text and bytes like the platform [S-43]", () => {
  const value = { a: ['[[["]]]', "\\", 1, null], b: {} };
  expect(parseBoundedJson(JSON.stringify(value))).toEqual(value);
  expect(parseBoundedJson(Buffer.from(JSON.stringify(value)))).toEqual(value);
  expect(() => parseBoundedJson("{")).toThrow(SyntaxError);
  expect(() => parseBoundedJson(Uint8Array.of(0x22, 0xff, 0x22))).toThrow(TypeError);
});

test("rejects deep nesting before it parses, closed or not [S-43]", () => {
  expect(parseBoundedJson(nested(64))).toBeInstanceOf(Array);
  for (const text of [nested(65), "[".repeat(65), '{"a":'.repeat(65)])
    expect(() => parseBoundedJson(text)).toThrow(RangeError);
  expect(() => parseBoundedJson("[1,2,3]", { depth: 1, values: 2 })).toThrow(RangeError);
});
