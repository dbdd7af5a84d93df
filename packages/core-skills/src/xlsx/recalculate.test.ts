import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { soffice } from "../shared/office-oracle.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { openForeign, partText, succeed, writeForeign } from "./workbook.fixture.ts";

const folder = makeTempFolder(afterAll);
const at = (name: string) => join(folder, name);

/** Values in columns A to C, and one formula in each row of column E. */
async function writeFormulas(name: string, formulas: readonly string[]): Promise<void> {
  const rows = formulas.map((formula, index) => [
    index + 1,
    ["pen", "ink", "cap"][index % 3] ?? "",
    (index + 1) * 1.5,
    null,
    `=${formula}`,
  ]);
  await succeed(folder, [
    "create",
    JSON.stringify({
      sheets: [
        { name: "Data", rows },
        { name: "Other", rows: [[7, "x"]] },
      ],
    }),
    "--out",
    name,
  ]);
}

async function resultsOf(name: string, count: number): Promise<readonly unknown[]> {
  const sheet = (await openForeign(at(name))).getWorksheet("Data");
  return Array.from({ length: count }, (_, index) => {
    const result: unknown = sheet?.getCell(`E${index + 1}`).result;
    return typeof result === "object" && result !== null && "error" in result ? result.error : result;
  });
}

const CASES = [
  ["SUM(A1:A3)", 6],
  ['SUMIFS(A:A,B:B,"pen",A:A,"<5")', 5],
  ['IF(A1>1,"big","small")', "small"],
  ['IFERROR(1/0,"none")', "none"],
  ["1/0", "#DIV/0!"],
  ["VLOOKUP(3,A1:C5,3,FALSE)", 4.5],
  ["INDEX(C1:C5,MATCH(2,A1:A5,0))", 3],
  ["ROUND(2.345,2)", 2.35],
  ['B1&"-"&A1', "pen-1"],
  ["Other!A1*2", 14],
  ["EOMONTH(DATE(2024,1,31),1)", 45_351],
  ["SUMPRODUCT(A1:A3,C1:C3)", 21],
  ["E1+1", 7],
  ['COUNTIF(B1:B3,"pen")', 1],
  ["AVERAGE(A1:A3)=2", true],
  ["-2^2+50%", 4.5],
] as const;

test("calculates common formulas without another program [S-40]", async () => {
  await writeFormulas(
    "in.xlsx",
    CASES.map(([formula]) => formula),
  );
  const answer = await succeed(folder, [
    "recalculate",
    "in.xlsx",
    "--engine",
    "builtin",
    "--out",
    "out.xlsx",
  ]);
  expect(answer).toMatchObject({
    engine: "builtin",
    formulas: CASES.length,
    calculated: CASES.length,
    errorCount: 1,
  });
  expect(answer["errors"]).toMatchObject([{ sheet: "Data", cell: "E5", error: "#DIV/0!" }]);
  expect(await resultsOf("out.xlsx", CASES.length)).toEqual(CASES.map(([, result]) => result));
});

test("leaves unknown formulas without a result, and names them [S-40]", async () => {
  await writeFormulas("unknown.xlsx", ["SUM(A1:A2)", "XIRR(A1:A2,C1:C2)", "E2+1", "E4", "E3"]);
  const answer = await succeed(folder, [
    "recalculate",
    "unknown.xlsx",
    "--engine",
    "builtin",
    "--out",
    "partly.xlsx",
  ]);
  expect(answer).toMatchObject({ calculated: 1, notCalculatedCount: 4, recalculate: { formulas: 4 } });
  expect(partText(at("partly.xlsx"), "xl/workbook.xml")).toContain('fullCalcOnLoad="1"');
});

test("keeps everything but the results [S-40]", async () => {
  await writeForeign(at("foreign.xlsx"));
  await succeed(folder, ["set", "foreign.xlsx", "B2=3", "--out", "stale.xlsx"]);
  await succeed(folder, ["recalculate", "stale.xlsx", "--engine", "builtin", "--in-place"]);
  const sheet = (await openForeign(at("stale.xlsx"))).getWorksheet("Sales");
  expect(sheet?.getCell("D2").result).toBe(12);
  expect(sheet?.getCell("D6").result).toBeCloseTo(47.6, 9);
  expect(sheet?.getCell("D6").formula).toBe("SUM(D2:D4)*(1+Tax)");
  for (const part of ["xl/styles.xml", "xl/comments1.xml"])
    expect(partText(at("stale.xlsx"), part)).toBe(partText(at("foreign.xlsx"), part));
});

test.runIf(soffice !== undefined)("agrees with LibreOffice [S-40]", async () => {
  await writeFormulas(
    "office.xlsx",
    CASES.map(([formula]) => formula),
  );
  const answer = await succeed(folder, [
    "recalculate",
    "office.xlsx",
    "--engine",
    "libreoffice",
    "--out",
    "calculated.xlsx",
  ]);
  expect(answer).toMatchObject({ engine: "libreoffice", calculated: CASES.length });
  expect(await resultsOf("calculated.xlsx", CASES.length)).toEqual(CASES.map(([, result]) => result));
});
