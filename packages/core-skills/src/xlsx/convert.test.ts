import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { openForeign, readWithPython, succeed, writeForeign } from "./workbook.fixture.ts";

const folder = makeTempFolder(afterAll);
beforeAll(() => writeForeign(join(folder, "foreign.xlsx")));

test("converts CSV to a workbook, and keeps codes, long numbers and formulas as text [S-40]", async () => {
  writeFileSync(
    join(folder, "data.csv"),
    'id;name;born\r\n007;"Bond; James";1920-11-11\r\n12345678901234567;=1+1;\r\n',
  );
  await succeed(folder, ["convert", "data.csv", "--out", "data.xlsx"]);
  expect(readWithPython(join(folder, "data.xlsx"))).toEqual({
    data: {
      A1: "id",
      B1: "name",
      C1: "born",
      A2: "007",
      B2: "Bond; James",
      C2: "7621",
      A3: "12345678901234567",
      B3: "=1+1",
    },
  });
  expect(
    (await openForeign(join(folder, "data.xlsx"))).getWorksheet("data")?.getCell("B3").formula,
  ).toBeUndefined();
});

test("converts a sheet to CSV with escaped formulas unless raw text is requested [S-40]", async () => {
  const answer = await succeed(folder, ["convert", "data.xlsx", "--out", "safe.csv"]);
  expect(answer["formulaLike"]).toEqual({ fields: 1, escaped: true });
  expect(readFileSync(join(folder, "safe.csv"), "utf8")).toBe(
    'id,name,born\n007,Bond; James,1920-11-11\n12345678901234567,"\'=1+1",\n',
  );
  await succeed(folder, ["convert", "data.xlsx", "--raw", "--out", "raw.tsv"]);
  expect(readFileSync(join(folder, "raw.tsv"), "utf8")).toContain("\t=1+1\t");
});

test("reads text that is not UTF-8 as Windows-1252 [S-40]", async () => {
  writeFileSync(join(folder, "latin.csv"), Buffer.from("caf\xe9,1\n", "latin1"));
  await succeed(folder, ["convert", "latin.csv", "--out", "latin.xlsx"]);
  expect(readWithPython(join(folder, "latin.xlsx"))["latin"]).toEqual({ A1: "café", B1: "1" });
});

test("merges workbooks with styles, names and formulas between their sheets [S-40]", async () => {
  const answer = await succeed(folder, [
    "merge",
    "data.xlsx",
    "foreign.xlsx",
    "foreign.xlsx",
    "--out",
    "merged.xlsx",
  ]);
  expect(answer["sheets"]).toEqual(["data", "Sales", "Other Sheet", "Sales (2)", "Other Sheet (2)"]);
  expect(answer["added"]).toMatchObject([
    { sheet: "Sales", leftBehind: ["legacyDrawing"] },
    { sheet: "Other Sheet", leftBehind: ["tableParts"] },
    { as: "Sales (2)" },
    { as: "Other Sheet (2)" },
  ]);
  const sheets = readWithPython(join(folder, "merged.xlsx"));
  expect(sheets["Other Sheet (2)"]?.["B1"]).toBe("='Sales (2)'!D6");
  expect(sheets["Sales"]).toMatchObject({ A2: "Pen", D6: "=SUM(D2:D4)*(1+Tax)" });
  const sheet = (await openForeign(join(folder, "merged.xlsx"))).getWorksheet("Sales (2)");
  expect([sheet?.getCell("B2").numFmt, sheet?.getCell("A1").font?.bold]).toEqual(["#,##0.00", true]);
  expect(sheet?.getCell("D6").fill).toMatchObject({ fgColor: { argb: "FFFFFF00" } });
});

test("splits a workbook by sheets, and references to other sheets keep their value [S-40]", async () => {
  const { files } = await succeed(folder, ["split", "foreign.xlsx", "--out-dir", "parts"]);
  expect(readdirSync(join(folder, "parts")).sort()).toEqual(["Other Sheet.xlsx", "Sales.xlsx"]);
  expect(files).toMatchObject([{ sheet: "Sales" }, { sheet: "Other Sheet", frozen: 1 }]);
  expect(readWithPython(join(folder, "parts/Other Sheet.xlsx"))).toMatchObject({
    "Other Sheet": { B1: "40.46", A4: "North" },
  });
  const sales = await openForeign(join(folder, "parts/Sales.xlsx"));
  expect(sales.getWorksheet("Sales")?.getCell("D6").result).toBe(40.46);
});
