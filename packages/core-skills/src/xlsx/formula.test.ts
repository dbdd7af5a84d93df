import fc from "fast-check";
import { expect, test } from "vitest";
import { extendFormula, renameInFormula, sheetsOf, shiftFormula, slideFormula } from "./formula.ts";

const insertTwo = { sheet: "Data", at: 5, count: 2 };
const deleteTwo = { sheet: "Data", at: 5, count: -2 };

test.each([
  ["SUM(A1:A9)", "SUM(A1:A11)"],
  ["A4+A5", "A4+A7"],
  ['$B$5&"A5"', '$B$7&"A5"'],
  ["LOG10(A5)", "LOG10(A7)"],
  ["Data!A5+Other!A5", "Data!A7+Other!A5"],
  ["'Data'!A5", "Data!A7"],
  ["[1]Data!A5", "[1]Data!A5"],
  ["Table1[Col A5]+A5", "Table1[Col A5]+A7"],
  ["SUM(B:B)+SUM(5:6)", "SUM(B:B)+SUM(7:8)"],
  ["Rate_A5*A5.x", "Rate_A5*A5.x"],
  ["A1048576", "#REF!"],
])("inserted rows move the references of %s [S-40]", (before, after) => {
  expect(shiftFormula(before, insertTwo, "Data")).toBe(after);
});

test.each([
  ["SUM(A1:A9)", "SUM(A1:A7)"],
  ["SUM(A5:A9)", "SUM(A5:A7)"],
  ["SUM(A1:A6)", "SUM(A1:A4)"],
  ["SUM(A5:A6)", "SUM(#REF!)"],
  ["A5+A7", "#REF!+A5"],
])("deleted rows move the references of %s [S-40]", (before, after) => {
  expect(shiftFormula(before, deleteTwo, "Data")).toBe(after);
});

test("moves a formula on another sheet only where it names the sheet [S-40]", () => {
  expect(shiftFormula("A9+Data!A9", insertTwo, "Other")).toBe("A9+Data!A11");
});

test("inserting and deleting again leaves a formula unchanged [S-40]", () => {
  const reference = fc
    .tuple(
      fc.constantFrom("", "$"),
      fc.constantFrom("A", "ZZ", "XFD"),
      fc.integer({ min: 1, max: 1_048_000 }),
    )
    .map(([mark, column, row]) => `${mark}${column}${mark}${row}`);
  const formula = fc.array(reference, { minLength: 1, maxLength: 6 }).map((all) => `SUM(${all.join(",")})`);
  fc.assert(
    fc.property(
      formula,
      fc.integer({ min: 1, max: 1000 }),
      fc.integer({ min: 1, max: 500 }),
      (text, at, count) => {
        const there = shiftFormula(text, { sheet: "Data", at, count }, "Data");
        expect(shiftFormula(there, { sheet: "Data", at, count: -count }, "Data")).toBe(text);
      },
    ),
  );
});

test("rewriting ends for any text [S-40]", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300, unit: "binary" }), (text) => {
      expect(typeof shiftFormula(text, insertTwo, "Data")).toBe("string");
    }),
  );
});

test("renames a sheet in formulas, with quotes where needed [S-40]", () => {
  expect(renameInFormula("Data!A1+'data'!B2+\"Data!A1\"", "Data", "My Data")).toBe(
    "'My Data'!A1+'My Data'!B2+\"Data!A1\"",
  );
  expect(renameInFormula("'It''s'!A1", "It's", "Q1")).toBe("'Q1'!A1");
});

test("a deleted sheet leaves #REF! in formulas [S-40]", () => {
  expect(renameInFormula("SUM(Data!A1:A3)+A1", "Data", undefined)).toBe("SUM(#REF!)+A1");
});

test("a copied formula shifts, except for references with a dollar sign [S-40]", () => {
  expect(slideFormula("A1+$A$1+A$1+$A1", 2, 1)).toBe("B3+$A$1+B$1+$A3");
  expect(slideFormula("A1", -1, 0)).toBe("#REF!");
});

test("ranges that end with a repeated row include the new rows [S-40]", () => {
  const extension = { sheet: "Data", at: 5, count: 3 };
  expect(extendFormula("SUM(C5:C5)+SUM(C2:C5)+C5+SUM(C5:C6)", extension, "Data")).toBe(
    "SUM(C5:C8)+SUM(C2:C8)+C5+SUM(C5:C6)",
  );
});

test("lists the sheets that a formula reads [S-40]", () => {
  expect([...sheetsOf("A1+Data!B2+'My Sheet'!C3+[2]Ext!A1")]).toEqual(["Data", "My Sheet"]);
});
