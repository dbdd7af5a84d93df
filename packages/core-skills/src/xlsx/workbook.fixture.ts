import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Workbook as ExcelTs } from "@cj-tech-master/excelts";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { convertInto } from "../shared/office-oracle.fixture.ts";
import { callProgram, type Outcome } from "../shared/program.fixture.ts";
import { program } from "./program.ts";

/** Calls the program, and fails with its output when the call fails. */
export async function succeed(cwd: string, argv: readonly string[], stdin?: string): Promise<Answer> {
  const outcome = await callProgram(program, argv, { cwd, ...(stdin === undefined ? {} : { stdin }) });
  if (outcome.code !== 0) throw new Error(outcome.stderr);
  return outcome.json as Answer;
}

export type Answer = Readonly<Record<string, never>>;

/** Calls the program and answers with the failure. */
export async function fail(
  cwd: string,
  argv: readonly string[],
): Promise<{ readonly exit: number; readonly code: string; readonly message: string }> {
  const outcome: Outcome = await callProgram(program, argv, { cwd });
  if (outcome.code === 0 || outcome.stdout !== "") throw new Error(`It succeeded: ${outcome.stdout}`);
  const { error } = outcome.json as { error: { code: string; message: string } };
  return { exit: outcome.code, ...error };
}

/** A workbook as another program reads it. */
export async function openForeign(path: string): Promise<ExcelTs> {
  const workbook = new ExcelTs();
  await workbook.xlsx.load(readFileSync(path));
  return workbook;
}

/** The text of one part of a file. */
export function partText(path: string, name: string): string {
  return strFromU8(unzipSync(readFileSync(path))[name] ?? new Uint8Array());
}

/** Changes parts of a file by hand, to what no library writes. */
export function patchParts(path: string, changes: Readonly<Record<string, (text: string) => string>>): void {
  const parts = unzipSync(readFileSync(path));
  for (const [name, change] of Object.entries(changes)) {
    parts[name] = strToU8(change(strFromU8(parts[name] ?? new Uint8Array())));
  }
  writeFileSync(path, zipSync(parts));
}

/**
 * A workbook made by another library, with what people put into theirs: looks, formulas, a table, a validation, a
 * conditional format, merged cells, panes, names of all kinds, and a note.
 */
export async function writeForeign(path: string): Promise<void> {
  const workbook = new ExcelTs();
  const sheet = workbook.addWorksheet("Sales", { views: [{ state: "frozen", ySplit: 1 }] });
  sheet.addRow(["Item", "Price", "Qty", "Total"]).font = { bold: true };
  for (const [item, price, quantity] of [
    ["Pen", 1.5, 4],
    ["Ink", 12, 1],
    ["Cap", 8, 2],
  ] as const) {
    sheet.addRow([item, price, quantity]);
  }
  for (const row of [2, 3, 4]) {
    const result = [0, 0, 6, 12, 16][row] ?? 0;
    sheet.getCell(`D${row}`).value = { formula: `B${row}*C${row}`, result };
    sheet.getCell(`B${row}`).numFmt = "#,##0.00";
  }
  sheet.getCell("A6").value = "Sum";
  sheet.getCell("D6").value = { formula: "SUM(D2:D4)*(1+Tax)", result: 40.46 };
  sheet.getCell("D6").fill = { type: "pattern", pattern: "solid", fgColor: { argb: "FFFFFF00" } };
  sheet.mergeCells("A6:C6");
  sheet.getCell("A2").note = "The blue one";
  sheet.dataValidations.add("C2:C4", {
    type: "whole",
    operator: "between",
    formulae: [1, 100],
    allowBlank: true,
  });
  sheet.addConditionalFormatting({
    ref: "D2:D4",
    rules: [
      {
        type: "cellIs",
        operator: "greaterThan",
        formulae: ["$B$4"],
        priority: 1,
        style: { font: { bold: true } },
      },
    ],
  });
  const other = workbook.addWorksheet("Other Sheet");
  other.addRow(["Total of sales", { formula: "Sales!D6", result: 40.46 }]);
  other.addTable({
    name: "Regions",
    ref: "A3",
    headerRow: true,
    columns: [{ name: "Region" }, { name: "Share" }],
    rows: [
      ["North", 0.4],
      ["South", 0.6],
    ],
  });
  writeFileSync(path, await workbook.xlsx.writeBuffer());
  const names =
    '<definedNames><definedName name="Tax">0.19</definedName><definedName name="Prices">Sales!$B$2:$B$4</definedName>' +
    '<definedName name="Column">Sales!$B:$B</definedName><definedName name="_xlnm.Print_Area" localSheetId="1">' +
    "'Other Sheet'!$A$1:$B$9</definedName></definedNames>";
  patchParts(path, { "xl/workbook.xml": (text) => text.replace("</sheets>", `</sheets>${names}`) });
}

/** Opens a file in LibreOffice, which calculates it, and saves it in another format beside it. Returns the path. */
export function convertWithLibreOffice(path: string, extension: string): string {
  return convertInto(join(dirname(path), `as-${extension}`), path, extension);
}

/** Reads sheets, strings and formulas with Python's standard library, independently of this code and of npm. */
export function readWithPython(path: string): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const { status, stdout, stderr } = spawnSync("python3", ["-c", READER, path], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const READER = `
import json, sys, zipfile, posixpath
from xml.etree import ElementTree as E
M = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
for n in z.namelist():
    if n.endswith((".xml", ".rels")): E.fromstring(z.read(n))
rels = {r.get("Id"): r.get("Target") for r in E.fromstring(z.read("xl/_rels/workbook.xml.rels"))}
strings = []
if "xl/sharedStrings.xml" in z.namelist():
    strings = ["".join(t.text or "" for t in si.iter(M + "t")) for si in E.fromstring(z.read("xl/sharedStrings.xml"))]
out = {}
for s in E.fromstring(z.read("xl/workbook.xml")).find(M + "sheets"):
    t = rels[s.get(R + "id")]
    root = E.fromstring(z.read(t[1:] if t.startswith("/") else posixpath.join("xl", t)))
    cells = {}
    last = (0, 0)
    for c in root.iter(M + "c"):
        f, v = c.find(M + "f"), c.find(M + "v")
        if f is not None and f.text: text = "=" + f.text
        elif c.get("t") == "s": text = strings[int(v.text)]
        elif c.get("t") == "inlineStr": text = "".join(t.text or "" for t in c.iter(M + "t"))
        elif v is not None: text = v.text
        else: continue
        cells[c.get("r")] = text
    out[s.get("name")] = cells
print(json.dumps(out))
`;
