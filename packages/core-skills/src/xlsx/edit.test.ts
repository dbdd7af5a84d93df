import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { soffice } from "../shared/office-oracle.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import {
  convertWithLibreOffice,
  fail,
  openForeign,
  partText,
  readWithPython,
  succeed,
  writeForeign,
} from "./workbook.fixture.ts";

const folder = makeTempFolder(afterAll);
beforeAll(() => writeForeign(join(folder, "in.xlsx")));

async function edit(out: string, ...steps: readonly object[]) {
  return succeed(folder, ["edit", "in.xlsx", "--steps", JSON.stringify(steps), "--out", out]);
}

test("keeps the style of a cell and the bytes of all other parts [S-40]", async () => {
  await edit("set.xlsx", { op: "set", cell: "B2", value: 2.5 });
  const sheet = (await openForeign(join(folder, "set.xlsx"))).getWorksheet("Sales");
  expect(sheet?.getCell("B2").value).toBe(2.5);
  expect(sheet?.getCell("B2").numFmt).toBe("#,##0.00");
  expect(sheet?.getCell("A2").note).toBeDefined();
  for (const part of ["xl/styles.xml", "xl/theme/theme1.xml", "xl/comments1.xml", "xl/sharedStrings.xml"]) {
    expect(partText(join(folder, "set.xlsx"), part)).toBe(partText(join(folder, "in.xlsx"), part));
  }
  const names = partText(join(folder, "set.xlsx"), "xl/workbook.xml");
  expect(names).toContain('<definedName name="Tax">0.19</definedName>');
  expect(names).toContain('<definedName name="Column">Sales!$B:$B</definedName>');
});

test("drops stored results after a change of values [S-40]", async () => {
  const answer = await edit("stale.xlsx", { op: "set", cell: "B2", value: 100 });
  expect(answer["recalculate"]).toMatchObject({ formulas: 5 });
  expect(partText(join(folder, "stale.xlsx"), "xl/worksheets/sheet1.xml")).not.toMatch(/<f>[^<]*<\/f><v>/);
  expect(partText(join(folder, "stale.xlsx"), "xl/workbook.xml")).toContain('fullCalcOnLoad="1"');
});

test("keeps stored results when only formats change [S-40]", async () => {
  await edit(
    "look.xlsx",
    { op: "format", range: "A1:D1", fill: "00FF00", italic: true },
    { op: "width", columns: "A:B", width: 30 },
  );
  const sheet = (await openForeign(join(folder, "look.xlsx"))).getWorksheet("Sales");
  expect(sheet?.getCell("A1").font).toMatchObject({ bold: true, italic: true });
  expect(sheet?.getCell("A1").fill).toMatchObject({ fgColor: { argb: "FF00FF00" } });
  expect(sheet?.getColumn(1).width).toBe(30);
  expect(sheet?.getCell("D2").result).toBe(6);
});

test("moves formulas, names, formats, validations, notes and merged cells with inserted rows [S-40]", async () => {
  await edit("rows.xlsx", { op: "insert-rows", at: 3, rows: [["Cup", 2, 2, "=B3*C3"]] });
  const workbook = await openForeign(join(folder, "rows.xlsx"));
  const sheet = workbook.getWorksheet("Sales");
  expect(sheet?.getCell("D5").formula).toBe("B5*C5");
  expect(sheet?.getCell("D7").formula).toBe("SUM(D2:D5)*(1+Tax)");
  expect(sheet?.getCell("D7").fill).toMatchObject({ fgColor: { argb: "FFFFFF00" } });
  expect(sheet?.getCell("B7").isMerged).toBe(true);
  expect(sheet?.getCell("B3").numFmt).toBe("#,##0.00");
  expect(sheet?.dataValidations.find("C5")).toBeDefined();
  expect(workbook.getWorksheet("Other Sheet")?.getCell("B1").formula).toBe("Sales!D7");
  const xml = partText(join(folder, "rows.xlsx"), "xl/worksheets/sheet1.xml");
  expect(xml).toContain('<conditionalFormatting sqref="D2:D5">');
  expect(xml).toContain("<formula>$B$5</formula>");
  expect(partText(join(folder, "rows.xlsx"), "xl/workbook.xml")).toContain("Sales!$B$2:$B$5");
});

test("removes and shortens references to deleted rows [S-40]", async () => {
  await edit("gone.xlsx", { op: "delete-rows", at: 2, count: 2 }, { op: "delete-rows", at: 4 });
  const sheet = readWithPython(join(folder, "gone.xlsx"))["Sales"];
  expect(sheet).toEqual({
    A1: "Item",
    B1: "Price",
    C1: "Qty",
    D1: "Total",
    A2: "Cap",
    B2: "8",
    C2: "2",
    D2: "=B2*C2",
  });
  expect(partText(join(folder, "gone.xlsx"), "xl/worksheets/sheet1.xml")).not.toContain("mergeCell ");
  expect(partText(join(folder, "gone.xlsx"), "xl/comments1.xml")).not.toContain('ref="A2"');
  expect(readWithPython(join(folder, "gone.xlsx"))["Other Sheet"]).toMatchObject({ B1: "=#REF!" });
});

test("extends a table by inserted rows, and keeps its header [S-40]", async () => {
  await edit("table.xlsx", { op: "insert-rows", sheet: "Other Sheet", at: 5, rows: [["West", 0.1]] });
  expect(partText(join(folder, "table.xlsx"), "xl/tables/table1.xml")).toContain('ref="A3:B6"');
  await edit("append.xlsx", { op: "append", sheet: "Other Sheet", rows: [["East", 0.2]] });
  expect(partText(join(folder, "append.xlsx"), "xl/tables/table1.xml")).toContain('ref="A3:B6"');
  const steps = '[{"op":"delete-rows","sheet":"Other Sheet","at":3}]';
  const failure = await fail(folder, ["edit", "in.xlsx", "--steps", steps, "--out", "never.xlsx"]);
  expect(failure).toMatchObject({ code: "TABLE_CUT" });
});

test("adds, renames, copies, moves and deletes sheets, and updates formulas that refer to them [S-40]", async () => {
  const answer = await edit(
    "sheets.xlsx",
    { op: "add-sheet", name: "New", columns: ["A"], rows: [["=Sales!D6"]] },
    { op: "rename-sheet", sheet: "Sales", to: "Sales 2024" },
    { op: "copy-sheet", sheet: "Sales 2024", to: "Copy" },
    { op: "move-sheet", sheet: "New", to: 1 },
  );
  expect(answer["steps"]).toMatchObject([{ rows: 2 }, {}, { leftBehind: ["legacyDrawing"] }, {}]);
  const sheets = readWithPython(join(folder, "sheets.xlsx"));
  expect(Object.keys(sheets)).toEqual(["New", "Sales 2024", "Other Sheet", "Copy"]);
  expect(sheets["New"]?.["A2"]).toBe("='Sales 2024'!D6");
  expect(sheets["Copy"]?.["D6"]).toBe("=SUM(D2:D4)*(1+Tax)");
  expect(partText(join(folder, "sheets.xlsx"), "xl/workbook.xml")).toContain('localSheetId="2"');
  const copy = (await openForeign(join(folder, "sheets.xlsx"))).getWorksheet("Copy");
  expect(copy?.getCell("B2").numFmt).toBe("#,##0.00");
});

test("deletes a sheet with its parts, and counts broken formulas [S-40]", async () => {
  const answer = await edit("deleted.xlsx", { op: "delete-sheet", sheet: "Sales" });
  expect(answer["steps"]).toEqual([{ op: "delete-sheet", brokenFormulas: 1 }]);
  expect(partText(join(folder, "deleted.xlsx"), "xl/comments1.xml")).toBe("");
  const names = partText(join(folder, "deleted.xlsx"), "xl/workbook.xml");
  expect(names).toContain('localSheetId="0"');
  expect(names).not.toContain("Prices");
  expect((await openForeign(join(folder, "deleted.xlsx"))).worksheets.map(({ name }) => name)).toEqual([
    "Other Sheet",
  ]);
});

test("replaces text only in cells [S-40]", async () => {
  const answer = await edit(
    "replaced.xlsx",
    { op: "replace", find: "p", with: "b", sheet: "Sales" },
    { op: "replace", find: "SALES", with: "$& sold", ignoreCase: true },
  );
  expect(answer["steps"]).toEqual([
    { op: "replace", cells: 1 },
    { op: "replace", cells: 1 },
  ]);
  const sheets = readWithPython(join(folder, "replaced.xlsx"));
  expect(sheets["Sales"]).toMatchObject({ A2: "Pen", A4: "Cab", D6: "=SUM(D2:D4)*(1+Tax)" });
  expect(sheets["Other Sheet"]).toMatchObject({ A1: "Total of $& sold", B1: "=Sales!D6" });
});

test("applies all steps or none, and writes the input only in place [S-40]", async () => {
  const before = readFileSync(join(folder, "in.xlsx"));
  const steps = JSON.stringify([
    { op: "set", cell: "A1", value: 1 },
    { op: "set", cell: "B6", value: 1 },
  ]);
  const failure = await fail(folder, ["edit", "in.xlsx", "--steps", steps, "--in-place"]);
  expect(failure).toMatchObject({ code: "CELL_MERGED", hint: "Write to A6." });
  expect(await fail(folder, ["edit", "in.xlsx", "--steps", steps, "--out", "in.xlsx"])).toMatchObject({
    code: "OUTPUT_IS_INPUT",
  });
  expect(readFileSync(join(folder, "in.xlsx"))).toEqual(before);
});

test("set writes values by their kind, and format changes styles [S-40]", async () => {
  await succeed(folder, [
    "set",
    "in.xlsx",
    "A8=007",
    "B8=12.5",
    "C8==B8*2",
    "D8=2024-01-31",
    "A9=",
    "B9=a=b",
    "--out",
    "words.xlsx",
  ]);
  expect(readWithPython(join(folder, "words.xlsx"))["Sales"]).toMatchObject({
    A8: "007",
    B8: "12.5",
    C8: "=B8*2",
    D8: "45322",
    B9: "a=b",
  });
  await succeed(folder, [
    "format",
    "words.xlsx",
    "B8",
    "--number-format",
    "0.000",
    "--bold",
    "--width",
    "20",
    "--out",
    "looks.xlsx",
  ]);
  const cell = (await openForeign(join(folder, "looks.xlsx"))).getWorksheet("Sales")?.getCell("B8");
  expect([cell?.numFmt, cell?.font?.bold, cell?.value]).toEqual(["0.000", true, 12.5]);
});

test("lists the known steps when a step is unknown [S-40]", async () => {
  const failure = await fail(folder, [
    "edit",
    "in.xlsx",
    "--steps",
    '[{"op":"sett"}]',
    "--out",
    "never.xlsx",
  ]);
  expect(failure).toMatchObject({ exit: 2, hint: expect.stringContaining("set, append, replace") });
});

describe.skipIf(soffice === undefined)("results of LibreOffice, if it is installed", () => {
  test("after an edit LibreOffice calculates new results and keeps no old ones [S-40]", async () => {
    await edit(
      "calc.xlsx",
      { op: "set", cell: "B2", value: 100 },
      { op: "insert-rows", at: 4, rows: [["Cup", 2, 2, "=B4*C4"]] },
      { op: "copy-sheet", sheet: "Sales", to: "Copy" },
    );
    const path = convertWithLibreOffice(join(folder, "calc.xlsx"), "xlsx");
    const { rows } = await succeed(folder, ["read", path, "--range", "D2:D7"]);
    const [sum] = Array.from<readonly number[]>(rows ?? []).at(-1) ?? [];
    expect(rows).toEqual([[400], [12], [4], [16], [null], [sum]]);
    expect(sum).toBeCloseTo((400 + 12 + 4 + 16) * 1.19);
    const other = await succeed(folder, ["read", path, "--sheet", "Other Sheet", "--range", "B1"]);
    expect(other["rows"]).toEqual([[sum]]);
  });
});
