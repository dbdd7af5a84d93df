import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { inspectPackage, pageTexts, soffice, tinyPng } from "../shared/office-oracle.fixture.ts";
import { callProgram } from "../shared/program.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { program } from "./program.ts";

// LibreOffice takes seconds to start, and more on a busy machine.
vi.setConfig({ testTimeout: 120_000 });
const cwd = makeTempFolder(afterAll);
const call = (...argv: string[]) => callProgram(program, argv, { cwd });
const at = (name: string) => join(cwd, name);
writeFileSync(at("dot.png"), tinyPng);

const SOURCE = `# Review **2026**

Finance & more

Notes: Welcome.

- also a note

## Agenda

- one
  - inner [link](https://example.com)
1. first

---

## Numbers

| Region | Q1 |
|---|--:|
| North | 10 |

## Picture

beside it

![a dot](dot.png)

# Part two
`;
writeFileSync(at("source.md"), SOURCE);
const CHART = {
  title: "Sales",
  chart: {
    type: "column",
    title: "By quarter",
    categories: ["Q1", "Q2"],
    series: [
      { name: "2025", values: [1, 2] },
      { name: "2026", values: [3, 4.5] },
    ],
  },
  notes: "Mention Q2.",
};

test("Markdown becomes slides with fitting layouts that another reader finds [S-40]", async () => {
  const made = await call("create", "source.md", "--title", "Review", "--out", "made.pptx");
  expect(made.json).toMatchObject({ ok: true, slides: 5, properties: { title: "Review" } });
  const { problems, texts } = inspectPackage(at("made.pptx"));
  expect(problems).toEqual([]);
  expect(texts["ppt/slides/slide1.xml"]).toBe("Review 2026Finance & more");
  expect(texts["ppt/notesSlides/notesSlide1.xml"]).toBe("Welcome.also a note");
  expect(texts["ppt/slides/slide3.xml"]).toBe("NumbersRegionQ1North10");
  const { json } = await call("info", "made.pptx");
  const { items } = (json as { slides: { items: { layout: string }[] } }).slides;
  expect(items.map(({ layout }) => layout)).toEqual([
    ...["Title Slide", "Title and Content", "Title Only", "Two Content", "Section Header"],
  ]);
});

test.skipIf(soffice === undefined)(
  "LibreOffice shows every slide, with the chart's numbers (needs LibreOffice) [S-40]",
  async () => {
    await call("create", "source.md", "--out", "base.pptx");
    await call("add", "base.pptx", JSON.stringify([CHART]), "--at", "2", "--out", "shown.pptx");
    const pages = pageTexts(at("shown.pptx"));
    expect(pages).toHaveLength(6);
    expect(pages[0]).toMatch(/Review 2026\s+Finance & more/);
    expect(pages[1]).toMatch(/Sales\s+By quarter[\s\S]*Q1 +Q2\s+2025 +2026/);
    expect(pages[2]).toMatch(/• one\s+– inner link\s+1\. ?first/);
    expect(pages[3]).toMatch(/Region +Q1\s+North +10/);
  },
);

test("reads slides as text and as JSON: tables, images, charts, notes [S-40]", async () => {
  await call("create", "source.md", "--out", "read.pptx");
  await call("add", "read.pptx", JSON.stringify([CHART]), "--in-place");
  const { json } = await call("read", "read.pptx", "--format", "json");
  expect(json).toMatchObject({
    total: 6,
    slides: [
      { slide: 1, title: "Review 2026", text: ["Finance & more"], notes: "Welcome.\nalso a note" },
      { text: ["one", "  inner link", "first"] },
      {
        tables: [
          [
            ["Region", "Q1"],
            ["North", "10"],
          ],
        ],
      },
      { images: [{ name: "ppt/media/image1.png", alt: "a dot" }] },
      { title: "Part two" },
      {
        charts: [
          {
            type: "column",
            title: "By quarter",
            categories: ["Q1", "Q2"],
            series: [{ name: "2025", values: [1, 2] }, { values: [3, 4.5] }],
          },
        ],
      },
    ],
  });
  const markdown = await call("read", "read.pptx", "--slides", "3,6");
  expect(markdown.json).toMatchObject({
    text: expect.stringMatching(/^## Slide 3: Numbers[\s\S]*\| North \| 10 \|[\s\S]*Notes: Mention Q2\.$/),
  });
});

test("the same description gives the same bytes, even with a chart, and a dry run writes none [S-40]", async () => {
  const source = JSON.stringify([
    CHART,
    { title: "x", image: "dot.png", bullets: ["a", { text: "b", bullets: ["c"] }] },
  ]);
  await call("create", source, "--out", "one.pptx");
  await call("create", source, "--out", "two.pptx");
  expect(readFileSync(at("one.pptx")).equals(readFileSync(at("two.pptx")))).toBe(true);
  expect(inspectPackage(at("one.pptx")).problems).toEqual([]);
  const dry = await call("create", source, "--out", "dry.pptx", "--dry-run");
  expect(dry.json).toMatchObject({ written: { dryRun: true } });
  expect(() => readFileSync(at("dry.pptx"))).toThrow(/ENOENT/);
});

test.each(["column", "bar", "line", "area", "pie", "doughnut"])(
  "a %s chart is complete [S-40]",
  async (type) => {
    const slide = { title: type, chart: { type, categories: ["a"], series: [{ name: "s", values: [1] }] } };
    await call("create", JSON.stringify([slide]), "--out", `${type}.pptx`);
    const { problems, texts } = inspectPackage(at(`${type}.pptx`));
    expect(problems).toEqual([]);
    expect(Object.keys(texts)).toContain("ppt/slides/slide1.xml");
    const { json } = await call("read", `${type}.pptx`, "--format", "json");
    expect(json).toMatchObject({
      slides: [{ charts: [{ categories: ["a"], series: [{ name: "s", values: [1] }] }] }],
    });
  },
);

test("a template gives its design, without its slides and their parts [S-40]", async () => {
  await call("create", JSON.stringify([CHART, { title: "old", image: "dot.png" }]), "--out", "template.pptx");
  await call(
    "create",
    '[{"title": "New", "layout": "section header"}]',
    "--template",
    "template.pptx",
    "--out",
    "new.pptx",
  );
  const { problems, texts } = inspectPackage(at("new.pptx"));
  expect(problems).toEqual([]);
  expect(Object.entries(texts).filter(([name]) => name.startsWith("ppt/slides/"))).toEqual([
    ["ppt/slides/slide1.xml", "New"],
  ]);
  expect(readFileSync(at("new.pptx")).includes("media")).toBe(false);
  const wrong = await call("add", "new.pptx", '[{"title": "x", "layout": "Nope"}]', "--out", "x.pptx");
  expect(wrong).toMatchObject({ code: 1, json: { error: { code: "NO_LAYOUT" } } });
  expect(wrong.stderr).toContain("Title and Content");
});

test.each([
  ['{"slides": 1}', "a list of slides"],
  ["[]", "one slide or more"],
  ['[{"titel": "x"}]', 'the field \\"titel\\" must be one of'],
  [
    '[{"chart": {"type": "radar", "categories": ["a"], "series": []}}]',
    "slides[0].chart.type must be column",
  ],
  ['[{"chart": {"categories": ["a", "b"], "series": [{"values": [1]}]}}]', "must be 2 numbers"],
  ['[{"bullets": "x"}]', "slides[0].bullets must be a list"],
])("names the wrong place in the description %s [S-40]", async (source, message) => {
  const { code, stderr } = await call("create", source, "--out", "never.pptx");
  expect(code).toBe(3);
  expect(stderr).toContain(message);
});
