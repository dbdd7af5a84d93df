import fc from "fast-check";
import { expect, test } from "vitest";
import { formatCsv, parseCsv, readField } from "./csv.ts";

test("reads back the CSV that it wrote [S-40]", () => {
  const field = fc.string({ unit: fc.constantFrom("a", '"', ",", "\n", "\r", ";", " ", "=", "é") });
  const rows = fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { maxLength: 5 });
  fc.assert(
    fc.property(rows, (table) => {
      expect(parseCsv(formatCsv(table, { delimiter: ",", isRaw: true }), ",").rows).toEqual(table);
    }),
  );
});

test.each(["=cmd|'/c calc'!A1", "+1+1", "-2+3", "@SUM(A1)", "\t=1"])(
  "escapes %j so that it does not run as a formula [S-40]",
  (text) => {
    expect(formatCsv([[text, -5]], { delimiter: ",", isRaw: false })).toMatch(/^"?'.*,-5\n$/s);
    expect(formatCsv([[text]], { delimiter: ",", isRaw: true })).not.toContain(`'${text}`);
  },
);

test.each([
  ["12", { kind: "number", number: 12 }],
  ["-0.5", { kind: "number", number: -0.5 }],
  ["0.39727796239505321", { kind: "number", number: 0.3972779623950532 }],
  ["007", { kind: "text", text: "007" }],
  ["1234567890123456", { kind: "text", text: "1234567890123456" }],
  ["=1+1", { kind: "text", text: "=1+1" }],
  ["TRUE", { kind: "boolean", isTrue: true }],
  ["1e5", { kind: "text", text: "1e5" }],
  ["", { kind: "empty" }],
])("reads the field %j without changing it [S-40]", (field, input) => {
  expect(readField(field)).toEqual(input);
});

test("finds the delimiter outside of quotes [S-40]", () => {
  expect(parseCsv('"a,b,c";d;e\n1;2;3').delimiter).toBe(";");
  expect(parseCsv("a\tb\n1\t2").delimiter).toBe("\t");
  expect(parseCsv("alone").delimiter).toBe(",");
});

test("rejects quotes that never close [S-40]", () => {
  expect(() => parseCsv('a,"b\nc,d', ",")).toThrow("within quotes");
});
