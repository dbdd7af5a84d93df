import { existsSync, readFileSync, writeFileSync } from "node:fs";
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

test("keeps a workbook with other content unless asked to replace it [S-40]", async () => {
  await makeDeck("rich.pptx");
  rewrite("rich.pptx", (parts) => {
    const [name = ""] = Object.keys(parts).filter((part) => part.startsWith("ppt/embeddings/"));
    const workbook = unzipSync(parts[name] ?? new Uint8Array());
    const sheet = strFromU8(workbook["xl/worksheets/sheet1.xml"] ?? new Uint8Array());
    const row = '<row r="40"><c r="H40"><v>7</v></c></row>';
    workbook["xl/worksheets/sheet1.xml"] = strToU8(sheet.replace("</sheetData>", `${row}</sheetData>`));
    return { ...parts, [name]: zipSync(workbook) };
  });
  const change = [
    "chart",
    "rich.pptx",
    "--slide",
    "2",
    "--data",
    JSON.stringify(larger),
    "--out",
    "replaced.pptx",
  ];
  expect((await call(...change)).json).toMatchObject({ error: { code: "CONTENT_LOST" } });
  expect(existsSync(at("replaced.pptx"))).toBe(false);
  expect((await call(...change, "--replace-workbook")).json).toMatchObject({ ok: true });
});

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
