import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { fail, openForeign, readWithPython, succeed } from "./workbook.fixture.ts";

const folder = makeTempFolder(afterAll);

beforeAll(async () => {
  const spec = {
    sheets: [
      {
        name: "Invoice",
        rows: [
          ["Dear {{customer.name}}, from {{ place }}", "{{date}}"],
          ["Item", "Price", "Qty", "Total"],
          ["{{items.name}}", { value: "{{items.price}}", format: "0.00" }, "{{items.quantity}}", "=B3*C3"],
          ["Sum", null, null, "=SUM(D3:D3)"],
        ],
      },
      { name: "Other", rows: [["=Invoice!D4", "{{note}}"]] },
    ],
  };
  await succeed(folder, ["create", JSON.stringify(spec), "--out", "template.xlsx"]);
});

const data = {
  customer: { name: "Ada" },
  place: "London",
  date: "2024-01-31",
  note: '=HYPERLINK("x")',
  items: [
    { name: "Pen", price: 1.5, quantity: 4 },
    { name: "Ink", price: 12, quantity: 1 },
    { name: "Cap", price: 8, quantity: 2 },
  ],
};

async function fill(values: object, out: string, ...more: readonly string[]) {
  return succeed(
    folder,
    ["fill", "template.xlsx", "--data", "-", "--out", out, ...more],
    JSON.stringify(values),
  );
}

test("fills placeholders by their kind, and repeats a row for every item of a list [S-40]", async () => {
  expect(await fill(data, "filled.xlsx")).toMatchObject({ rows: 2, missing: [] });
  expect(readWithPython(join(folder, "filled.xlsx"))["Invoice"]).toMatchObject({
    A1: "Dear Ada, from London",
    B1: "45322",
    A3: "Pen",
    B4: "12",
    C5: "2",
    D3: "=B3*C3",
    D5: "=B5*C5",
    D6: "=SUM(D3:D5)",
  });
  const sheet = (await openForeign(join(folder, "filled.xlsx"))).getWorksheet("Invoice");
  expect(sheet?.getCell("B5").numFmt).toBe("0.00");
});

test("formulas on other sheets follow, and text of the data is never a formula [S-40]", async () => {
  await fill(data, "other.xlsx");
  expect(readWithPython(join(folder, "other.xlsx"))["Other"]).toEqual({
    A1: "=Invoice!D6",
    B1: '=HYPERLINK("x")',
  });
  const { cells } = await succeed(folder, ["read", "other.xlsx", "--sheet", "Other", "--as", "cells"]);
  expect(cells).toMatchObject([{}, { cell: "B1", type: "text" }]);
});

test("an empty list leaves its row empty [S-40]", async () => {
  await fill({ ...data, items: [] }, "none.xlsx");
  expect(readWithPython(join(folder, "none.xlsx"))["Invoice"]).toMatchObject({
    A4: "Sum",
    D4: "=SUM(D3:D3)",
  });
  expect(readWithPython(join(folder, "none.xlsx"))["Invoice"]).not.toHaveProperty("A3");
});

test("names missing data before writing, unless it may be missing [S-40]", async () => {
  const { place: _, ...rest } = data;
  const argv = ["fill", "template.xlsx", "--data", JSON.stringify(rest), "--out", "missing.xlsx"];
  expect(await fail(folder, argv)).toMatchObject({
    code: "MISSING_DATA",
    message: expect.stringContaining("place"),
  });
  expect(await fill(rest, "missing.xlsx", "--allow-missing")).toMatchObject({ missing: ["place"] });
  expect(readWithPython(join(folder, "missing.xlsx"))["Invoice"]?.["A1"]).toBe("Dear Ada, from ");
});

test("names that every object has are not data [S-40]", async () => {
  const spec = '{"sheets":[{"name":"A","rows":[["{{constructor}}"]]}]}';
  await succeed(folder, ["create", spec, "--out", "proto.xlsx"]);
  expect(await fail(folder, ["fill", "proto.xlsx", "--data", "{}", "--out", "never.xlsx"])).toMatchObject({
    code: "MISSING_DATA",
  });
});
