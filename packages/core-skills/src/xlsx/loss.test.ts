import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { EditLog } from "./edit-log.ts";
import { guardWorkbook } from "./guard.ts";
import {
  fail,
  openForeign,
  partText,
  patchParts,
  readWithPython,
  succeed,
  writeForeign,
} from "./workbook.fixture.ts";

const folder = makeTempFolder(afterAll);
const at = (name: string) => join(folder, name);

/** A workbook whose column D has one shared formula, as Excel writes it after a fill-down. */
async function writeShared(name: string): Promise<void> {
  await writeForeign(at(name));
  patchParts(at(name), {
    "xl/worksheets/sheet1.xml": (text) =>
      text
        .replace("<f>B2*C2</f>", '<f t="shared" ref="D2:D4" si="0">B2*C2</f>')
        .replace("<f>B3*C3</f>", '<f t="shared" si="0"/>')
        .replace("<f>B4*C4</f>", '<f t="shared" si="0"/>'),
  });
  expect(partText(at(name), "xl/worksheets/sheet1.xml").match(/t="shared"/g)).toHaveLength(3);
}

async function edit(source: string, out: string, ...steps: readonly object[]) {
  return succeed(folder, ["edit", source, "--steps", JSON.stringify(steps), "--out", out]);
}

test("keeps shared formulas when rows are inserted or deleted [S-40]", async () => {
  await writeShared("shared.xlsx");
  await edit("shared.xlsx", "inserted.xlsx", { op: "insert-rows", at: 3, count: 2 });
  expect(readWithPython(at("inserted.xlsx"))["Sales"]).toMatchObject({
    D2: "=B2*C2",
    D5: "=B5*C5",
    D6: "=B6*C6",
    D8: "=SUM(D2:D6)*(1+Tax)",
  });
  await edit("shared.xlsx", "deleted.xlsx", { op: "delete-rows", at: 2 });
  expect(readWithPython(at("deleted.xlsx"))["Sales"]).toMatchObject({ D2: "=B2*C2", D3: "=B3*C3" });
});

test("keeps shared formulas when a list row is filled and when sheets are split [S-40]", async () => {
  await writeShared("template.xlsx");
  await succeed(folder, ["set", "template.xlsx", "A4={{items.n}}", "--in-place"]);
  await succeed(folder, [
    "fill",
    "template.xlsx",
    "--data",
    '{"items":[{"n":"a"},{"n":"b"}]}',
    "--out",
    "filled.xlsx",
  ]);
  expect(readWithPython(at("filled.xlsx"))["Sales"]).toMatchObject({
    D3: "=B3*C3",
    D4: "=B4*C4",
    D5: "=B5*C5",
  });
  await writeShared("whole.xlsx");
  await succeed(folder, ["split", "whole.xlsx", "--out-dir", "split"]);
  expect(readWithPython(at("split/Sales.xlsx"))["Sales"]).toMatchObject({ D3: "=B3*C3", D4: "=B4*C4" });
});

test("keeps a shared formula without its master unchanged [S-40]", async () => {
  await writeForeign(at("orphan.xlsx"));
  patchParts(at("orphan.xlsx"), {
    "xl/worksheets/sheet1.xml": (text) => text.replace("<f>B4*C4</f>", '<f t="shared" si="7"/>'),
  });
  await edit("orphan.xlsx", "orphan-out.xlsx", { op: "insert-rows", at: 2 });
  expect(partText(at("orphan-out.xlsx"), "xl/worksheets/sheet1.xml")).toContain('<f t="shared" si="7"/>');
});

test("keeps stored results when only the list of sheets changes [S-40]", async () => {
  await writeForeign(at("results.xlsx"));
  await edit(
    "results.xlsx",
    "sheets.xlsx",
    { op: "add-sheet", name: "Z", rows: [["x", "=Sales!D6"]] },
    { op: "rename-sheet", sheet: "Other Sheet", to: "Regions 1" },
    { op: "move-sheet", sheet: "Z", to: 1 },
  );
  const workbook = await openForeign(at("sheets.xlsx"));
  expect(workbook.getWorksheet("Sales")?.getCell("D6").result).toBe(40.46);
  expect(workbook.getWorksheet("Regions 1")?.getCell("B1").result).toBe(40.46);
  expect(partText(at("sheets.xlsx"), "xl/workbook.xml")).toContain('fullCalcOnLoad="1"');
});

test("drops stored results when a formula reads the list of sheets [S-40]", async () => {
  await writeForeign(at("indirect.xlsx"));
  patchParts(at("indirect.xlsx"), {
    "xl/worksheets/sheet2.xml": (text) => text.replace("<f>Sales!D6</f>", '<f>INDIRECT("Sales!D6")</f>'),
  });
  await edit("indirect.xlsx", "renamed.xlsx", { op: "rename-sheet", sheet: "Sales", to: "Sold" });
  expect(partText(at("renamed.xlsx"), "xl/worksheets/sheet1.xml")).not.toMatch(/<\/f><v>/);
});

test.each([
  ["A1==SUM(", "INVALID_FORMULA", /parentheses/],
  ["A1==SUM(B1;B2)", "INVALID_FORMULA", /commas/],
  ["A1==SUMME(B1,B2)", "UNKNOWN_FUNCTION", /SUMME/],
  ["A1==B1+", "INVALID_FORMULA", /B1\+/],
  ['A1=="open', "INVALID_FORMULA", /open/],
])("rejects the formula in %s [S-40]", async (word, code, message) => {
  await writeForeign(at("check.xlsx"));
  const failure = await fail(folder, ["set", "check.xlsx", word, "--out", "never.xlsx"]);
  expect(failure).toMatchObject({ code, message: expect.stringMatching(message) });
  expect(existsSync(at("never.xlsx"))).toBe(false);
});

test.each([
  "SUM(Sales!A1:B2,'Other Sheet'!A1)",
  "Regions[Share]*2",
  "Regions[[#Totals],[Share]]",
  'IF(A1="",,{1,2;3,4})',
  "A1:INDEX(B:B,2)",
  "-A1%^2",
  "SUM((A1,B2:C3))",
  "IFERROR(VLOOKUP(A1,B:C,2,FALSE),#N/A)",
])("accepts =%s unchanged [S-40]", async (formula) => {
  await writeForeign(at("accept.xlsx"));
  await succeed(folder, ["set", "accept.xlsx", `H1==${formula}`, "--out", "accepted.xlsx"]);
  expect(readWithPython(at("accepted.xlsx"))["Sales"]?.["H1"]).toBe(`=${formula}`);
});

test("accepts an unknown function when it is declared as custom [S-40]", async () => {
  await writeForeign(at("custom.xlsx"));
  await edit("custom.xlsx", "custom-out.xlsx", {
    op: "set",
    cell: "H1",
    value: { formula: "MyTax(B2)", custom: true },
  });
  expect(readWithPython(at("custom-out.xlsx"))["Sales"]?.["H1"]).toBe("=MyTax(B2)");
});

test("stores newer functions with their prefix, and marks formulas that spill [S-40]", async () => {
  await writeForeign(at("new.xlsx"));
  const words = [
    "F1==SORT(FILTER(A2:B4,B2:B4>2))",
    "G1==LET(x,B2,y,2,x*y)",
    'H1==TEXTJOIN(",",TRUE,A2:A4)',
    "I1==SUM(F1#)",
    "J1==NORM.S.DIST(1,TRUE)",
  ];
  await succeed(folder, ["set", "new.xlsx", ...words, "--out", "prefixed.xlsx"]);
  expect(readWithPython(at("prefixed.xlsx"))["Sales"]).toMatchObject({
    F1: "=_xlfn._xlws.SORT(_xlfn._xlws.FILTER(A2:B4,B2:B4>2))",
    G1: "=_xlfn.LET(_xlpm.x,B2,_xlpm.y,2,_xlpm.x*_xlpm.y)",
    H1: '=_xlfn.TEXTJOIN(",",TRUE,A2:A4)',
    I1: "=SUM(_xlfn.ANCHORARRAY(F1))",
    J1: "=_xlfn.NORM.S.DIST(1,TRUE)",
  });
  const xml = partText(at("prefixed.xlsx"), "xl/worksheets/sheet1.xml");
  expect(xml).toMatch(/<c r="F1"[^>]* cm="1"[^>]*><f t="array" ref="F1">/);
  expect(xml).not.toMatch(/<c r="H1"[^>]* cm=/);
  expect(partText(at("prefixed.xlsx"), "xl/metadata.xml")).toContain('fDynamic="1"');
  expect(partText(at("prefixed.xlsx"), "[Content_Types].xml")).toContain("sheetMetadata+xml");
});

test("declares a content type for new relationship parts [S-40]", async () => {
  await writeForeign(at("types.xlsx"));
  patchParts(at("types.xlsx"), {
    "[Content_Types].xml": (text) => text.replace(/<Default Extension="rels"[^>]*>/, ""),
    "xl/worksheets/sheet1.xml": (text) =>
      text.replace(
        /<pageMargins/,
        '<hyperlinks><hyperlink ref="A1" r:id="rId90" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"/></hyperlinks><pageMargins',
      ),
    "xl/worksheets/_rels/sheet1.xml.rels": (text) =>
      text.replace(
        "</Relationships>",
        '<Relationship Id="rId90" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink" Target="https://example.org/" TargetMode="External"/></Relationships>',
      ),
  });
  await edit("types.xlsx", "copied.xlsx", { op: "copy-sheet", sheet: "Sales", to: "Copy" });
  expect(partText(at("copied.xlsx"), "xl/worksheets/_rels/sheet3.xml.rels")).toContain("example.org");
  expect(partText(at("copied.xlsx"), "[Content_Types].xml")).toMatch(/<Default Extension="rels"/);
});

test("reopens a workbook of 600,000 cells that it wrote [S-40]", async () => {
  const line = (row: number) => Array.from({ length: 10 }, (_, column) => row * 10 + column).join(",");
  writeFileSync(at("large.csv"), Array.from({ length: 60_000 }, (_, row) => line(row)).join("\n"));
  await succeed(folder, ["convert", "large.csv", "--out", "large.xlsx"]);
  const answer = await succeed(folder, ["read", "large.xlsx", "--range", "A59999:B60000"]);
  expect(answer["rows"]).toEqual([
    [599_980, 599_981],
    [599_990, 599_991],
  ]);
});

test("rejects an output that lost formulas, values or parts [S-40]", async () => {
  await writeShared("guard.xlsx");
  const source = {
    path: "guard.xlsx",
    absolute: at("guard.xlsx"),
    name: "guard.xlsx",
    bytes: readFileSync(at("guard.xlsx")),
  };
  const damage = (changes: Parameters<typeof patchParts>[1]) => {
    writeFileSync(at("damaged.xlsx"), source.bytes);
    patchParts(at("damaged.xlsx"), changes);
    return () => guardWorkbook(source, readFileSync(at("damaged.xlsx")), "out.xlsx", new EditLog());
  };
  const sheet = "xl/worksheets/sheet1.xml";
  expect(damage({})).not.toThrow();
  expect(
    damage({ [sheet]: (text) => text.replace('<f t="shared" ref="D2:D4" si="0">B2*C2</f>', "<f></f>") }),
  ).toThrow(/became empty/);
  expect(damage({ [sheet]: (text) => text.replace("<v>12</v>", "<v>13</v>") })).toThrow(
    /values of other cells/,
  );
  expect(damage({ [sheet]: (text) => text.replace("SUM(D2:D4)", "SUM(D2:D3)") })).toThrow(
    /formulas of other cells/,
  );
  expect(damage({ [sheet]: (text) => text.replace(/<mergeCells.*<\/mergeCells>/, "") })).toThrow(/mergeCell/);
});
