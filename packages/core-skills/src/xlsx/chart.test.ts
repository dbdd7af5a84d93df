import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { inspectPackage, soffice } from "../shared/office-oracle.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { writeChartWorkbook } from "./chart.fixture.ts";
import {
  convertWithLibreOffice,
  fail,
  openForeign,
  partText,
  succeed,
  writeForeign,
} from "./workbook.fixture.ts";

const folder = makeTempFolder(afterAll);
const at = (name: string) => join(folder, name);
const edit = (source: string, out: string, ...steps: readonly object[]) =>
  succeed(folder, ["edit", source, "--steps", JSON.stringify(steps), "--out", out]);

test.each(["column", "bar", "line", "area", "pie", "doughnut", "scatter"])(
  "adds a %s chart over cells [S-40]",
  async (type) => {
    await writeForeign(at("in.xlsx"));
    await edit("in.xlsx", `${type}.xlsx`, {
      op: "chart",
      type,
      title: "Prices & more",
      categories: type === "scatter" ? "C2:C4" : "A2:A4",
      series: [{ name: "=B1", values: "B2:B4" }],
      at: "F2",
    });
    const { problems } = inspectPackage(at(`${type}.xlsx`));
    expect(problems).toEqual([]);
    const xml = partText(at(`${type}.xlsx`), "xl/charts/chart1.xml");
    expect(xml).toContain("<c:f>Sales!$B$2:$B$4</c:f>");
    expect(xml).toContain('<c:pt idx="1"><c:v>12</c:v></c:pt>');
    expect(xml).toContain("Prices &amp; more");
    expect(await succeed(folder, ["info", `${type}.xlsx`])).toMatchObject({
      sheets: [{ charts: 1 }, { charts: 0 }],
    });
  },
);

test("adds a chart beside the pictures and charts that the sheet has [S-40]", async () => {
  await writeChartWorkbook(at("busy.xlsx"));
  await edit("busy.xlsx", "busier.xlsx", { op: "chart", series: ["B2:B4"], at: "K2" });
  expect(inspectPackage(at("busier.xlsx")).problems).toEqual([]);
  expect(await succeed(folder, ["info", "busier.xlsx"])).toMatchObject({ sheets: [{ charts: 2 }] });
  expect(partText(at("busier.xlsx"), "xl/drawings/drawing1.xml").match(/<xdr:twoCellAnchor/g)).toHaveLength(
    3,
  );
});

test.runIf(soffice !== undefined)("makes a chart that LibreOffice draws [S-40]", async () => {
  await writeForeign(at("plain.xlsx"));
  await edit("plain.xlsx", "drawn.xlsx", {
    op: "chart",
    categories: "A2:A4",
    series: [{ name: "Price", values: "B2:B4" }],
  });
  const again = convertWithLibreOffice(at("drawn.xlsx"), "xlsx");
  expect(partText(again, "xl/charts/chart1.xml")).toContain("Price");
});

test("puts dates on an axis of time, and takes x values per series [S-40]", async () => {
  const rows = [
    ["Day", "Visitors", "Size"],
    ["2026-01-01", 5, 1],
    ["2026-01-09", 7, 2],
  ];
  await succeed(folder, [
    "create",
    JSON.stringify({ sheets: [{ name: "Days", rows }] }),
    "--out",
    "days.xlsx",
  ]);
  await edit(
    "days.xlsx",
    "timed.xlsx",
    { op: "chart", type: "line", categories: "A2:A3", series: [{ name: "=B1", values: "B2:B3" }] },
    { op: "chart", type: "scatter", series: [{ name: "Size", x: "C2:C3", values: "B2:B3" }], at: "H20" },
  );
  expect(inspectPackage(at("timed.xlsx")).problems).toEqual([]);
  const line = partText(at("timed.xlsx"), "xl/charts/chart1.xml");
  expect(line).toMatch(/<c:dateAx>.*formatCode="yyyy-mm-dd".*<c:baseTimeUnit val="days"\/>/);
  expect(line).toContain('<c:pt idx="0"><c:v>46023</c:v></c:pt>');
  expect(partText(at("timed.xlsx"), "xl/charts/chart2.xml")).toContain(
    "<c:xVal><c:numRef><c:f>Days!$C$2:$C$3</c:f>",
  );
});

test("charts show the present values of their cells after each edit [S-40]", async () => {
  const rows = [
    ["A", 1, "=B1*2"],
    ["B", 2, "=B2*2"],
  ];
  await succeed(folder, ["create", JSON.stringify({ sheets: [{ name: "S", rows }] }), "--out", "live.xlsx"]);
  await edit("live.xlsx", "chart.xlsx", {
    op: "chart",
    categories: "A1:A2",
    series: [{ values: "B1:B2" }, { values: "C1:C2" }],
  });
  const values = (name: string) =>
    [...partText(at(name), "xl/charts/chart1.xml").matchAll(/<c:v>([^<]*)<\/c:v>/g)].map(
      ([, value]) => value,
    );
  await succeed(folder, ["set", "chart.xlsx", "A2=C", "B2=20", "--out", "set.xlsx"]);
  expect(values("set.xlsx")).toEqual(["A", "C", "1", "20", "A", "C"]);
  await succeed(folder, ["recalculate", "set.xlsx", "--engine", "builtin", "--out", "done.xlsx"]);
  expect(values("done.xlsx")).toEqual(["A", "C", "1", "20", "A", "C", "2", "40"]);
  expect(inspectPackage(at("done.xlsx")).problems).toEqual([]);
});

test("adds conditional formats and validations, and keeps those that are there [S-40]", async () => {
  await writeForeign(at("rules.xlsx"));
  await edit(
    "rules.xlsx",
    "more.xlsx",
    { op: "highlight", range: "B2:B4", rule: "greater-than", value: 5, fill: "FFC7CE", color: "9C0006" },
    { op: "highlight", range: "A2:A4", rule: "contains", value: "In" },
    { op: "highlight", range: "D2:D4", rule: "color-scale" },
    { op: "validation", range: "A2:A4", list: ["Pen", "Ink"], message: "Choose one" },
    { op: "validation", range: "B2:B4", type: "decimal", min: 0, max: 100 },
  );
  const xml = partText(at("more.xlsx"), "xl/worksheets/sheet1.xml");
  expect(xml.match(/<conditionalFormatting /g)).toHaveLength(4);
  expect(xml).toContain('<cfRule type="cellIs" operator="greaterThan" priority="2"');
  expect(xml).toContain("<formula>5</formula>");
  expect(xml).toContain('<dataValidations count="3">');
  const sheet = (await openForeign(at("more.xlsx"))).getWorksheet("Sales");
  expect(sheet?.dataValidations.find("A3")).toMatchObject({ type: "list" });
  expect(sheet?.getCell("D2").result).toBe(6);
});

test.each([
  [{ op: "chart", type: "radar", series: ["B2:B4"] }, /type must be one of/],
  [{ op: "highlight", range: "B2", rule: "loud" }, /rule must be one of/],
  [{ op: "highlight", range: "B2", rule: "formula", value: "SUM(" }, /not a valid formula/],
  [{ op: "validation", range: "B2", type: "whole" }, /needs "min"/],
  [{ op: "validation", range: "B2", list: ["a,b"] }, /without commas/],
])("rejects %j [S-40]", async (step, message) => {
  await writeForeign(at("bad.xlsx"));
  const failure = await fail(folder, [
    "edit",
    "bad.xlsx",
    "--steps",
    JSON.stringify([step]),
    "--out",
    "never.xlsx",
  ]);
  expect(failure.message).toMatch(message);
});
