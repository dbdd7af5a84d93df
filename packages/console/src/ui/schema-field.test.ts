import { expect, test } from "vitest";
import { fieldsOf, valuesOf } from "./schema-field.ts";

const schema = {
  type: "object",
  required: ["text"],
  properties: {
    text: { type: "string", description: "What to count." },
    times: { type: "integer", default: 2 },
    mode: { enum: ["fast", "exact"] },
    isLoud: { anyOf: [{ type: "boolean" }, { type: "null" }], default: null },
    more: { type: "array", items: { type: "string" } },
  },
};

test("turns the properties of a schema into typed fields [S-59]", () => {
  expect(fieldsOf(schema).map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
    ["text", "text", true],
    ["times", "number", false],
    ["mode", "choice", false],
    ["isLoud", "choice", false],
    ["more", "json", false],
  ]);
  expect(fieldsOf("no schema")).toEqual([]);
});

test("converts text to values and names one that does not fit [S-59]", () => {
  const fields = fieldsOf(schema);
  const texts = { text: "12", times: "3", mode: "", isLoud: "true", more: '["a"]' };
  expect(valuesOf(fields, texts)).toEqual({ text: "12", times: 3, isLoud: true, more: ["a"] });
  expect(() => valuesOf(fields, {})).toThrow("text is required.");
  expect(() => valuesOf(fields, { text: "a", times: "many" })).toThrow("times must be a number.");
  expect(() => valuesOf(fields, { text: "a", more: "[" })).toThrow("more must be JSON.");
});
