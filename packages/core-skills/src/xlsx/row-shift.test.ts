import { readFileSync } from "node:fs";
import { join } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inspectPackage, soffice } from "../shared/office-oracle.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { addMacros, writeChartWorkbook } from "./chart.fixture.ts";
import { convertWithLibreOffice, openForeign, partText, succeed } from "./workbook.fixture.ts";

const folder = makeTempFolder(afterAll);
beforeAll(() => writeChartWorkbook(join(folder, "in.xlsx")));

async function edit(out: string, ...steps: readonly object[]): Promise<string> {
  await succeed(folder, ["edit", "in.xlsx", "--steps", JSON.stringify(steps), "--out", out]);
  return join(folder, out);
}

/** The rows of pictures and charts, from and to, counted from 0 as the file has them. */
function anchorRows(path: string): readonly number[] {
  const rows = partText(path, "xl/drawings/drawing1.xml").matchAll(/<(?:xdr:)?row>(\d+)</g);
  return [...rows].map(([, row]) => Number(row));
}

function chartRanges(path: string): readonly string[] {
  return [...partText(path, "xl/charts/chart1.xml").matchAll(/<(?:c:)?f>([^<]*)</g)].map(
    ([, text = ""]) => text,
  );
}

test("inserted rows move a table, notes, a picture, a chart and its data ranges [S-40]", async () => {
  const path = await edit("more.xlsx", { op: "insert-rows", at: 3, count: 2, rows: [["Cup", 2]] });
  expect(inspectPackage(path).problems).toEqual([]);
  expect(chartRanges(path)).toEqual(["Sales!$B$1", "Sales!$A$2:$A$6", "Sales!$B$2:$B$6"]);
  expect(anchorRows(join(folder, "in.xlsx"))).toEqual([5, 8, 9, 20]);
  expect(anchorRows(path)).toEqual([7, 10, 11, 22]);
  const sheet = (await openForeign(path)).getWorksheet("Sales");
  expect(partText(path, "xl/tables/table1.xml")).toContain('ref="A1:B6"');
  expect(sheet?.getCell("A2").note).toBeDefined();
  expect(sheet?.getCell("A6").note).toBeDefined();
  expect(sheet?.getCell("A4").note).toBeUndefined();
  expect(sheet?.getImages()).toMatchObject([{ range: { tl: { nativeRow: 7 } } }]);
  const notes = partText(path, "xl/drawings/vmlDrawing1.vml").matchAll(/<x:Row>(\d+)</g);
  expect([...notes].map(([, row]) => row)).toEqual(["1", "5"]);
});

test("deleted rows move them up and shorten the chart's data ranges [S-40]", async () => {
  const path = await edit("less.xlsx", { op: "delete-rows", at: 3, count: 1 });
  expect(inspectPackage(path).problems).toEqual([]);
  expect(chartRanges(path)).toEqual(["Sales!$B$1", "Sales!$A$2:$A$3", "Sales!$B$2:$B$3"]);
  expect(anchorRows(path)).toEqual([4, 7, 8, 19]);
  const sheet = (await openForeign(path)).getWorksheet("Sales");
  expect(sheet?.getCell("A3").note).toBeDefined();
  expect(sheet?.getCell("A4").note).toBeUndefined();
});

test("a note moves with its row and its box [S-40]", async () => {
  const path = await edit("note.xlsx", { op: "delete-rows", at: 4, count: 1 });
  expect(partText(path, "xl/comments1.xml")).not.toContain("The red one");
  expect(partText(path, "xl/drawings/vmlDrawing1.vml").match(/<v:shape /g)).toHaveLength(1);
});

test.skipIf(soffice === undefined)("LibreOffice sees the chart over the new rows [S-40]", async () => {
  const path = await edit("office.xlsx", { op: "insert-rows", at: 3, count: 2 });
  const again = unzipSync(readFileSync(convertWithLibreOffice(path, "ods")));
  const objects = Object.entries(again).filter(([name]) => /^Object 1\/content\.xml$/.test(name));
  expect(objects.map(([, bytes]) => strFromU8(bytes))).toEqual([
    expect.stringMatching(/values-cell-range-address="(\$?Sales|local-table)\.\$?B\$?2:/),
  ]);
});

test("keeps macros in an .xlsm file byte for byte, and drops them from an .xlsx file [S-40]", async () => {
  const macros = addMacros(join(folder, "in.xlsx"), join(folder, "in.xlsm"));
  const steps = '[{"op":"insert-rows","at":3},{"op":"set","cell":"B2","value":3}]';
  await succeed(folder, ["edit", "in.xlsm", "--steps", steps, "--out", "out.xlsm"]);
  const parts = unzipSync(readFileSync(join(folder, "out.xlsm")));
  expect(parts["xl/vbaProject.bin"]).toEqual(macros);
  expect(strFromU8(parts["[Content_Types].xml"] ?? new Uint8Array())).toContain("macroEnabled.main+xml");
  expect(inspectPackage(join(folder, "out.xlsm")).problems).toEqual([]);
  expect(await succeed(folder, ["info", "out.xlsm"])).toMatchObject({ hasMacros: true });

  const plain = await succeed(folder, ["set", "in.xlsm", "B2=3", "--out", "plain.xlsx"]);
  expect(plain).toMatchObject({ macrosRemoved: true });
  expect(await succeed(folder, ["info", "plain.xlsx"])).toMatchObject({ hasMacros: false });
  expect(partText(join(folder, "plain.xlsx"), "[Content_Types].xml")).not.toContain("macroEnabled");
  expect(inspectPackage(join(folder, "plain.xlsx")).problems).toEqual([]);
});
