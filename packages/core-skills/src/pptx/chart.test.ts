import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { afterAll, expect, test } from "vitest";
import { inspectPackage, pageTexts, soffice, tinyPng } from "../shared/office-oracle.fixture.ts";
import { callProgram } from "../shared/program.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { program } from "./program.ts";

const cwd = makeTempFolder(afterAll);
const call = (...argv: string[]) => callProgram(program, argv, { cwd });
const at = (name: string) => join(cwd, name);
const partsOf = (name: string) => unzipSync(readFileSync(at(name)));
const textOf = (name: string, part: string) => strFromU8(partsOf(name)[part] ?? new Uint8Array());
const CHART = "ppt/charts/chart1.xml";

const sales = {
  type: "column",
  title: "Sales",
  categories: ["Q1", "Q2"],
  series: [
    { name: "North", values: [1, 2] },
    { name: "South", values: [3, 4.5] },
  ],
};

async function makeDeck(name: string, chart: object = sales): Promise<void> {
  rmSync(at(name), { force: true });
  const slides = [{ title: "First" }, { title: "Numbers", bullets: ["Mind the South"], chart }];
  expect(await call("create", JSON.stringify(slides), "--out", name)).toMatchObject({ code: 0 });
}

async function readChart(name: string): Promise<unknown> {
  const { json } = await call("read", name, "--slides", "2", "--format", "json");
  const { slides } = json as { slides: { shapes?: { charts?: unknown[] }[]; charts?: unknown[] }[] };
  return JSON.stringify(slides[0]);
}

/** Changes parts of a deck, or of the workbook in it, as another program might have written them. */
function rewrite(
  name: string,
  change: (parts: Record<string, Uint8Array>) => Record<string, Uint8Array>,
): void {
  writeFileSync(at(name), zipSync(change(partsOf(name))));
}

const larger = {
  title: "Sales, million",
  categories: ["Jan", "Feb", "Mar"],
  series: [
    { name: "North", values: [10, 20, 30] },
    { name: "South & Co", values: [40, 50, 60] },
    { name: "West", values: [70, 80, 90.5] },
  ],
};

test("changes names and numbers of a chart, and the workbook behind it [S-40]", async () => {
  await makeDeck("deck.pptx");
  const change = [
    "chart",
    "deck.pptx",
    "--slide",
    "2",
    "--data",
    JSON.stringify(larger),
    "--out",
    "new.pptx",
  ];
  expect((await call(...change)).json).toMatchObject({ ok: true, chart: 1, categories: 3, series: 3 });
  expect(inspectPackage(at("new.pptx")).problems).toEqual([]);
  const read = await readChart("new.pptx");
  for (const text of ["Sales, million", "Jan", "South & Co", "90.5", "Mind the South"])
    expect(read).toContain(text);
  expect(read).not.toContain("4.5");
  // The numbers that PowerPoint shows for editing are the same.
  const [name = ""] = Object.keys(partsOf("new.pptx")).filter((part) => part.startsWith("ppt/embeddings/"));
  const workbook = unzipSync(partsOf("new.pptx")[name] ?? new Uint8Array());
  const all = Object.values(workbook)
    .map((bytes) => strFromU8(bytes))
    .join("");
  for (const text of ["West", "Mar", "90.5"]) expect(all).toContain(text);
});

test("changes a chart to fewer series and points, and keeps its look [S-40]", async () => {
  await makeDeck("look.pptx", { ...larger, type: "bar", colors: ["#AA0000", "00BB00", "0000cc"] });
  rewrite("look.pptx", (parts) => ({
    ...parts,
    [CHART]: strToU8(
      strFromU8(parts[CHART] ?? new Uint8Array()).replace(
        /<c:formatCode>[^<]*<\/c:formatCode>/g,
        "<c:formatCode>0.00%</c:formatCode>",
      ),
    ),
  }));
  const data = JSON.stringify({ categories: ["Only"], series: [{ name: "One", values: [5] }] });
  expect((await call("chart", "look.pptx", "--slide", "2", "--data", data, "--in-place")).json).toMatchObject(
    { ok: true },
  );
  const xml = textOf("look.pptx", CHART);
  expect(xml.match(/<c:ser>/g)).toHaveLength(1);
  expect(xml).toContain("AA0000");
  expect(xml).toContain("0.00%");
  expect(xml).toContain('<c:barDir val="bar"/>');
  expect(await readChart("look.pptx")).toContain("Sales, million");
  expect(inspectPackage(at("look.pptx")).problems).toEqual([]);
});

test.skipIf(soffice === undefined)(
  "LibreOffice shows the changed chart (needs LibreOffice) [S-40]",
  async () => {
    await makeDeck("shown.pptx");
    await call("chart", "shown.pptx", "--slide", "2", "--data", JSON.stringify(larger), "--in-place");
    const [, page = ""] = pageTexts(at("shown.pptx"));
    for (const text of ["Sales, million", "Mar", "West"]) expect(page).toContain(text);
  },
);

/** Adds rows to the sheet of the chart's workbook, as a person might have. */
function addRows(name: string, rows: string, change = (sheet: string) => sheet): void {
  rewrite(name, (parts) => {
    const [book = ""] = Object.keys(parts).filter((part) => part.startsWith("ppt/embeddings/"));
    const workbook = unzipSync(parts[book] ?? new Uint8Array());
    const sheet = change(strFromU8(workbook[SHEET] ?? new Uint8Array()));
    workbook[SHEET] = strToU8(sheet.replace("</sheetData>", `${rows}</sheetData>`));
    return { ...parts, [book]: zipSync(workbook) };
  });
}

function sheetOf(name: string): string {
  const parts = partsOf(name);
  const [book = ""] = Object.keys(parts).filter((part) => part.startsWith("ppt/embeddings/"));
  return strFromU8(unzipSync(parts[book] ?? new Uint8Array())[SHEET] ?? new Uint8Array());
}

const SHEET = "xl/worksheets/sheet1.xml";
const changeTo = (name: string, data: object, ...more: string[]) =>
  call("chart", name, "--slide", "2", "--data", JSON.stringify(data), ...more);

test("keeps the other cells of the workbook, and calculates its formulas [S-40]", async () => {
  await makeDeck("rich.pptx");
  addRows(
    "rich.pptx",
    '<row r="40"><c r="H40"><v>7</v></c><c r="I40"><f>SUM(B2:B9)+H40</f><v>10</v></c></row>',
  );
  expect((await changeTo("rich.pptx", larger, "--out", "kept.pptx")).json).toMatchObject({ ok: true });
  const sheet = sheetOf("kept.pptx");
  expect(sheet).toContain('<c r="H40"><v>7</v></c>');
  expect(sheet).toContain('<c r="I40"><f>SUM(B2:B9)+H40</f><v>67</v></c>');
  expect(sheet).toContain('<c r="D4"><v>90.5</v></c>');
  expect(textOf("kept.pptx", CHART)).toContain("<c:f>Sheet1!$D$2:$D$4</c:f>");
  // Fewer values leave no rest of the old ones.
  const small = { categories: ["Only"], series: [{ name: "One", values: [5] }] };
  expect((await changeTo("kept.pptx", small, "--out", "small.pptx")).json).toMatchObject({ ok: true });
  expect(sheetOf("small.pptx")).toContain("<f>SUM(B2:B9)+H40</f><v>12</v>");
  expect(sheetOf("small.pptx")).not.toContain("90.5");
});

test.each([
  [
    "D1 has other content",
    '<row r="40"><c r="H40"><v>7</v></c></row>',
    (sheet: string) => sheet.replace("</row>", '<c r="D1"><v>3</v></c></row>'),
  ],
  [
    "B3 has a formula",
    "",
    (sheet: string) => sheet.replace('<c r="B3"><v>2</v></c>', '<c r="B3"><f>1+1</f><v>2</v></c>'),
  ],
])("keeps a workbook where %s unless asked to replace it [S-40]", async (problem, rows, change) => {
  const out = `${problem.slice(0, 2)}.pptx`;
  await makeDeck("full.pptx");
  addRows("full.pptx", rows, change);
  expect((await changeTo("full.pptx", larger, "--out", out)).json).toMatchObject({
    error: { code: "CONTENT_LOST", message: expect.stringContaining(problem) },
  });
  expect(existsSync(at(out))).toBe(false);
  expect((await changeTo("full.pptx", larger, "--replace-workbook", "--out", out)).json).toMatchObject({
    ok: true,
  });
});

const HINT = "To resize chart data range, drag lower right corner of range.";

/** PowerPoint puts the data of a chart into an Excel table, with a hint below it. */
function addExcelTable(name: string): void {
  const hint = `<row r="4"><c r="B4" t="inlineStr"><is><t>${HINT}</t></is></c></row>`;
  addRows(name, `${hint}<row r="9"><c r="E9"><v>5</v></c></row>`, (sheet) =>
    sheet.replace("</worksheet>", '<tableParts count="1"><tablePart r:id="rId1"/></tableParts></worksheet>'),
  );
  rewrite(name, (parts) => {
    const [book = ""] = Object.keys(parts).filter((part) => part.startsWith("ppt/embeddings/"));
    const workbook = unzipSync(parts[book] ?? new Uint8Array());
    const types = strFromU8(workbook["[Content_Types].xml"] ?? new Uint8Array());
    const text = (part: string, xml: string) => {
      workbook[part] = strToU8(xml);
    };
    text(
      "[Content_Types].xml",
      types.replace(
        "</Types>",
        '<Override PartName="/xl/tables/table1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.table+xml"/></Types>',
      ),
    );
    text(
      "xl/worksheets/_rels/sheet1.xml.rels",
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/table" Target="../tables/table1.xml"/></Relationships>',
    );
    text(
      "xl/tables/table1.xml",
      '<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" id="1" name="Table1" displayName="Table1" ref="A1:C3" totalsRowShown="0"><tableColumns count="3"><tableColumn id="1" name="Column1"/><tableColumn id="2" name="North"/><tableColumn id="3" name="South"/></tableColumns></table>',
    );
    return { ...parts, [book]: zipSync(workbook) };
  });
}

test("resizes the Excel table around the data of a chart [S-40]", async () => {
  await makeDeck("listed.pptx");
  addExcelTable("listed.pptx");
  expect((await changeTo("listed.pptx", larger, "--out", "resized.pptx")).json).toMatchObject({ ok: true });
  const parts = partsOf("resized.pptx");
  const [book = ""] = Object.keys(parts).filter((part) => part.startsWith("ppt/embeddings/"));
  const table = strFromU8(
    unzipSync(parts[book] ?? new Uint8Array())["xl/tables/table1.xml"] ?? new Uint8Array(),
  );
  expect(table).toContain('ref="A1:D4"');
  expect(table).toContain(
    '<tableColumns count="4"><tableColumn id="1" name="Column1"/><tableColumn id="2" name="North"/><tableColumn id="3" name="South &amp; Co"/><tableColumn id="4" name="West"/></tableColumns>',
  );
  expect(sheetOf("resized.pptx")).toContain('<c r="E9"><v>5</v></c>');
  expect(sheetOf("resized.pptx")).not.toContain(HINT);
  const twice = { ...larger, series: larger.series.map((each) => ({ ...each, name: "Same" })) };
  expect((await changeTo("listed.pptx", twice, "--out", "never.pptx")).json).toMatchObject({
    error: { code: "CONTENT_LOST", message: expect.stringContaining("different names") },
  });
});

const timeline = {
  type: "line",
  title: "Visitors",
  categories: ["2026-01-01", "2026-01-05", "2026-02-20"],
  series: [{ name: "A", values: [8, null, 12] }],
};

test("puts dates on an axis of time, and changes them [S-40]", async () => {
  await makeDeck("dates.pptx", timeline);
  expect(inspectPackage(at("dates.pptx")).problems).toEqual([]);
  expect(textOf("dates.pptx", CHART)).toMatch(/<c:dateAx>.*<c:baseTimeUnit val="days"\/>/);
  expect(await readChart("dates.pptx")).toContain(
    '"categories":["2026-01-01","2026-01-05","2026-02-20"],"series":[{"name":"A","values":[8,null,12]}]',
  );
  const later = { categories: ["2026-03-01", "2026-04-01"], series: [{ name: "A", values: [1, 2] }] };
  expect((await changeTo("dates.pptx", later, "--in-place")).json).toMatchObject({ ok: true });
  expect(await readChart("dates.pptx")).toContain('"categories":["2026-03-01","2026-04-01"]');
  expect(sheetOf("dates.pptx")).toMatch(/<c r="A2" s="\d+"><v>46082<\/v><\/c>/);
});

test.each([
  ["column", ["2026-01-01", "2026-02-01"], /<c:dateAx>.*<c:baseTimeUnit val="months"\/>/],
  ["bar", ["2025-01-01", "2026-01-01"], /<c:dateAx>.*<c:baseTimeUnit val="years"\/>/],
  ["column", ["2026-01-01", "2026-03-15"], /<c:catAx>.*formatCode="yyyy-mm-dd"/],
  ["pie", ["2026-01-01", "2026-02-01"], /<c:cat><c:strRef>/],
])("chooses the axis of a %s chart for %j [S-40]", async (type, categories, expected) => {
  await makeDeck("unit.pptx", { type, categories, series: [{ name: "A", values: [1, 2] }] });
  expect(textOf("unit.pptx", CHART)).toMatch(expected);
});

const cloud = {
  type: "scatter",
  title: "Size and price",
  series: [
    { name: "Shops", x: [1, 2.5, 4], values: [10, 20, 15] },
    { name: "Online", x: [2, 3], values: [5, 9] },
  ],
};

test("makes and changes scatter charts [S-40]", async () => {
  await makeDeck("cloud.pptx", cloud);
  expect(inspectPackage(at("cloud.pptx")).problems).toEqual([]);
  expect(await readChart("cloud.pptx")).toContain('{"name":"Online","values":[5,9],"x":[2,3]}');
  const moved = { type: "scatter", series: [{ name: "Shops", x: [7, 8], values: [1, 2] }] };
  expect((await changeTo("cloud.pptx", moved, "--in-place")).json).toMatchObject({ ok: true, series: 1 });
  const read = await readChart("cloud.pptx");
  expect(read).toContain('"series":[{"name":"Shops","values":[1,2],"x":[7,8]}]');
  expect(read).toContain("Size and price");
  for (const wrong of [larger, { type: "scatter", series: [{ name: "A", x: [1], values: [1, 2] }] }])
    expect((await changeTo("cloud.pptx", wrong, "--out", "never.pptx")).json).toMatchObject({
      error: { code: "INVALID_DESCRIPTION" },
    });
});

test.skipIf(soffice === undefined)(
  "LibreOffice shows dates and points (needs LibreOffice) [S-40]",
  async () => {
    const slides = [
      { title: "Line", chart: { ...timeline, categories: ["2026-01-01", "2026-02-01", "2026-03-01"] } },
      { title: "Cloud", chart: cloud },
    ];
    await call("create", JSON.stringify(slides), "--out", "axes.pptx");
    const [line = "", points = ""] = pageTexts(at("axes.pptx"));
    expect(line).toContain("Feb 2026");
    for (const text of ["Size and price", "Shops", "Online"]) expect(points).toContain(text);
  },
);

test.each([
  [["--slide", "1"], "NOTHING_FOUND"],
  [["--slide", "9"], "USAGE"],
  [["--slide", "2", "--chart", "2"], "USAGE"],
  [
    ["--slide", "2", "--data", '{"categories":["a"],"series":[{"name":"x","values":[1,2]}]}'],
    "INVALID_DESCRIPTION",
  ],
])("rejects %j with %s, and writes no file [S-40]", async (argv, code) => {
  await makeDeck("strict.pptx");
  const data = argv.includes("--data") ? [] : ["--data", JSON.stringify(larger)];
  const { json } = await call("chart", "strict.pptx", ...argv, ...data, "--out", "never.pptx");
  expect(json).toMatchObject({ error: { code } });
  expect(existsSync(at("never.pptx"))).toBe(false);
});

test("rejects a chart with two kinds [S-40]", async () => {
  await makeDeck("mixed.pptx");
  rewrite("mixed.pptx", (parts) => ({
    ...parts,
    [CHART]: strToU8(
      strFromU8(parts[CHART] ?? new Uint8Array()).replace("<c:catAx>", "<c:lineChart/><c:catAx>"),
    ),
  }));
  const { json } = await call(
    "chart",
    "mixed.pptx",
    "--slide",
    "2",
    "--data",
    JSON.stringify(larger),
    "--out",
    "never.pptx",
  );
  expect(json).toMatchObject({ error: { code: "CHART_NOT_SUPPORTED" } });
});

test("puts objects where the description says [S-40]", async () => {
  writeFileSync(at("dot.png"), tinyPng);
  const place = { x: 2, y: 5, width: 10, height: 6 };
  const slides = [
    {
      title: "Placed",
      table: { header: ["A"], rows: [["1"]], place },
      chart: { ...sales, place: { ...place, x: 15 } },
    },
  ];
  expect((await call("create", JSON.stringify(slides), "--out", "placed.pptx")).json).toMatchObject({
    ok: true,
  });
  const xml = textOf("placed.pptx", "ppt/slides/slide1.xml");
  expect(xml).toContain('<a:off x="720000" y="1800000"/><a:ext cx="3600000" cy="2160000"/>');
  expect(xml).toContain('<a:off x="5400000" y="1800000"/>');
  const outside = JSON.stringify([{ title: "x", image: { path: "dot.png", place: { ...place, x: 30 } } }]);
  expect((await call("create", outside, "--out", "never.pptx")).json).toMatchObject({
    error: { code: "INVALID_DESCRIPTION", hint: expect.stringContaining("33.86 by 19.05") },
  });
  const wrong = JSON.stringify([
    { title: "x", chart: { ...sales, place: { x: -1, y: 0, width: 1, height: 1 } } },
  ]);
  expect((await call("create", wrong, "--out", "never.pptx")).json).toMatchObject({
    error: { code: "INVALID_DESCRIPTION" },
  });
});

test("uses a palette for the design and its charts [S-40]", async () => {
  const slides = JSON.stringify([{ title: "Numbers", chart: sales }]);
  await call("create", slides, "--palette", "#112233,445566", "--out", "palette.pptx");
  expect(textOf("palette.pptx", "ppt/theme/theme1.xml")).toContain(
    '<a:accent2><a:srgbClr val="445566"/></a:accent2>',
  );
  expect(textOf("palette.pptx", CHART)).toContain("112233");
  // A chart in a company's design has its colors.
  await call("create", slides, "--template", "palette.pptx", "--out", "company.pptx");
  const [chart = ""] = Object.keys(partsOf("company.pptx")).filter((part) =>
    /charts\/chart\d+\.xml$/.test(part),
  );
  expect(textOf("company.pptx", chart)).toContain("112233");
  for (const wrong of ["red", "112233,", "1,2,3,4,5,6,7"])
    expect(await call("create", slides, "--palette", wrong, "--out", "never.pptx")).toMatchObject({
      code: 2,
    });
});
