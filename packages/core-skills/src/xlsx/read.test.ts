import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { soffice } from "../shared/office-oracle.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { convertWithLibreOffice, fail, patchParts, succeed, writeForeign } from "./workbook.fixture.ts";

const folder = makeTempFolder(afterAll);
beforeAll(() => writeForeign(join(folder, "foreign.xlsx")));

test("info lists sheets, ranges, tables, names and cells without a result [S-40]", async () => {
  const info = await succeed(folder, ["info", "foreign.xlsx"]);
  expect(info).toMatchObject({
    sheets: [
      {
        name: "Sales",
        range: "A1:D6",
        formulas: 4,
        uncalculated: 0,
        mergedCells: 1,
        frozenAt: "A2",
        notes: true,
      },
      { name: "Other Sheet", tables: [{ name: "Regions", range: "A3:B5", columns: ["Region", "Share"] }] },
    ],
    names: [
      { name: "Tax", refersTo: "0.19" },
      { name: "Prices" },
      { name: "Column" },
      { name: "_xlnm.Print_Area" },
    ],
    hasMacros: false,
    truncated: false,
  });
});

test("rows contain values, with the stored results of formulas [S-40]", async () => {
  const { rows } = await succeed(folder, ["read", "foreign.xlsx", "--range", "A1:D3"]);
  expect(rows).toEqual([
    ["Item", "Price", "Qty", "Total"],
    ["Pen", 1.5, 4, 6],
    ["Ink", 12, 1, 12],
  ]);
});

test("shows formulas on request [S-40]", async () => {
  const { rows } = await succeed(folder, ["read", "foreign.xlsx", "--range", "D2:D6", "--formulas"]);
  expect(rows).toEqual([["=B2*C2"], ["=B3*C3"], ["=B4*C4"], [null], ["=SUM(D2:D4)*(1+Tax)"]]);
});

test("records take their names from the first row [S-40]", async () => {
  const { records } = await succeed(folder, ["read", "foreign.xlsx", "--as", "records", "--range", "A1:B2"]);
  expect(records).toEqual([{ Item: "Pen", Price: 1.5 }]);
});

test("cells have their type, formula and format [S-40]", async () => {
  const { cells } = await succeed(folder, ["read", "foreign.xlsx", "--as", "cells", "--range", "B2:D2"]);
  expect(cells).toEqual([
    { cell: "B2", type: "number", value: 1.5, format: "#,##0.00" },
    { cell: "C2", type: "number", value: 4 },
    { cell: "D2", type: "number", value: 6, formula: "=B2*C2" },
  ]);
});

test("escapes formulas in CSV answers [S-40]", async () => {
  const spec = JSON.stringify({ sheets: [{ name: "A", rows: [[{ text: "=1+1" }, "b,c"]] }] });
  await succeed(folder, ["create", spec, "--out", "csv.xlsx"]);
  expect(await succeed(folder, ["read", "csv.xlsx", "--as", "csv"])).toMatchObject({
    csv: '"\'=1+1","b,c"\n',
  });
});

test("cuts a long sheet, and continues at the offset in the answer [S-40]", async () => {
  const rows = Array.from({ length: 30 }, (_, index) => [index]);
  await succeed(folder, ["create", JSON.stringify({ sheets: [{ name: "A", rows }] }), "--out", "long.xlsx"]);
  const first = await succeed(folder, ["read", "long.xlsx", "--limit", "20"]);
  expect(first).toMatchObject({ total: 30, truncated: true, nextOffset: 20 });
  const second = await succeed(folder, ["read", "long.xlsx", "--limit", "20", "--offset", "20"]);
  expect(second).toMatchObject({ total: 30, truncated: false });
  expect([...(first["rows"] ?? []), ...(second["rows"] ?? [])]).toEqual(rows);
});

test("returns a sheet of 200,000 cells within limits [S-40]", async () => {
  const rows = Array.from({ length: 20_000 }, (_, row) =>
    Array.from({ length: 10 }, (_, column) => row * column),
  );
  await succeed(
    folder,
    ["create", "-", "--out", "big.xlsx"],
    JSON.stringify({ sheets: [{ name: "Big", rows }] }),
  );
  const answer = await succeed(folder, ["read", "big.xlsx", "--limit", "100000"]);
  expect(answer).toMatchObject({ range: "A1:J20000", total: 20_000, truncated: true });
  expect(JSON.stringify(answer).length).toBeLessThan(150_000);
  const { steps } = await succeed(folder, [
    "edit",
    "big.xlsx",
    "--steps",
    '[{"op":"append","rows":[[1]]}]',
    "--in-place",
  ]);
  expect(steps).toEqual([{ op: "append", rows: 1, firstRow: 20_001 }]);
});

test("shows a shared formula for each of its cells [S-40]", async () => {
  const spec = JSON.stringify({
    sheets: [
      {
        name: "A",
        rows: [
          [1, "=A1*2"],
          [2, 0],
          [3, 0],
        ],
      },
    ],
  });
  await succeed(folder, ["create", spec, "--out", "shared.xlsx"]);
  patchParts(join(folder, "shared.xlsx"), {
    "xl/worksheets/sheet1.xml": (text) =>
      text
        .replace("<f>A1*2</f>", '<f t="shared" ref="B1:B3" si="0">A1*2+LEN("A1")</f>')
        .replaceAll(/(<c r="B[23]")><v>0<\/v>/g, '$1><f t="shared" si="0"/>'),
  });
  const { rows } = await succeed(folder, ["read", "shared.xlsx", "--formulas", "--range", "B1:B3"]);
  expect(rows).toEqual([['=A1*2+LEN("A1")'], ['=A2*2+LEN("A1")'], ['=A3*2+LEN("A1")']]);
});

test("reads files whose cells have no addresses and whose elements have prefixes [S-40]", async () => {
  await succeed(folder, ["create", '{"sheets":[{"name":"A","rows":[[1,2],[3,4]]}]}', "--out", "odd.xlsx"]);
  patchParts(join(folder, "odd.xlsx"), {
    "xl/worksheets/sheet1.xml": (text) =>
      text
        .replaceAll(/ r="[A-Z]*\d+"/g, "")
        .replaceAll(/<(\/?)([a-z])/gi, "<$1x:$2")
        .replace('xmlns="', 'xmlns:x="'),
  });
  expect(await succeed(folder, ["read", "odd.xlsx"])).toMatchObject({
    rows: [
      [1, 2],
      [3, 4],
    ],
  });
});

test("lists the existing sheets when one is missing [S-40]", async () => {
  const failure = await fail(folder, ["read", "foreign.xlsx", "--sheet", "Nope"]);
  expect(failure).toMatchObject({ code: "SHEET_NOT_FOUND", hint: "Its sheets are Sales, Other Sheet." });
});

describe.skipIf(soffice === undefined)("files of LibreOffice, if it is installed", () => {
  beforeAll(() => void convertWithLibreOffice(join(folder, "foreign.xlsx"), "ods"));

  test("reads a workbook that LibreOffice saved the same way [S-40]", async () => {
    const path = convertWithLibreOffice(join(folder, "as-ods", "foreign.ods"), "xlsx");
    const { rows } = await succeed(folder, ["read", path, "--range", "A1:D4"]);
    expect(rows).toEqual([
      ["Item", "Price", "Qty", "Total"],
      ["Pen", 1.5, 4, 6],
      ["Ink", 12, 1, 12],
      ["Cap", 8, 2, 16],
    ]);
  });

  test("rejects a workbook in another format and says what to do [S-40]", async () => {
    convertWithLibreOffice(join(folder, "foreign.xlsx"), "xls");
    expect(await fail(folder, ["read", "as-ods/foreign.ods"])).toMatchObject({
      exit: 3,
      code: "NOT_A_WORKBOOK",
    });
    expect(await fail(folder, ["read", "as-xls/foreign.xls"])).toMatchObject({
      exit: 3,
      code: "ENCRYPTED_OR_LEGACY",
    });
  });
});
