import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { afterAll, expect, test } from "vitest";
import { inspectPackage, pageTexts, soffice, tinyPng } from "../shared/office-oracle.fixture.ts";
import { callProgram } from "../shared/program.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { program } from "./program.ts";

const cwd = makeTempFolder(afterAll);
const at = (name: string) => join(cwd, name);
const call = (...argv: string[]) => callProgram(program, argv, { cwd });
writeFileSync(at("dot.png"), tinyPng);

const slides = [
  { title: "Review", subtitle: "October" },
  { title: "Agenda", kind: "agenda", bullets: ["Results", "Decisions"] },
  { title: "Part", kind: "section", text: "What comes next" },
  {
    title: "Buy or build",
    columns: [
      { title: "Buy", bullets: ["Fast"] },
      { title: "Build", text: "It *fits*", table: { header: ["A"], rows: [["1"]] } },
    ],
  },
  { title: "Two", columns: [{ text: "Left" }, { image: "dot.png" }] },
  { title: "Shop", kind: "picture", image: { path: "dot.png", alt: "A shop" }, text: "Opened in May" },
  { quote: "Less is more.", by: "Mies van der Rohe" },
  { title: "Growth", number: 12, text: "percent" },
  { title: "Thank you", kind: "closing", text: "ada@example.com" },
];
const layouts = [
  "Title Slide",
  "Agenda",
  "Section Header",
  "Comparison",
  "Two Content",
  "Picture with Caption",
  "Quote",
  "Big Number",
  "Closing",
];

async function layoutsOf(name: string): Promise<unknown> {
  const { json } = await call("info", name);
  return (json as { slides: { items: { layout: string }[] } }).slides.items.map(({ layout }) => layout);
}

async function textOf(name: string, slide: number): Promise<unknown> {
  const { json } = await call("read", name, "--slides", String(slide));
  return (json as { text: string }).text;
}

test("takes a layout for each kind of slide [S-40]", async () => {
  const { json } = await call("create", JSON.stringify(slides), "--out", "kinds.pptx");
  expect(json).toMatchObject({ ok: true, slides: 9 });
  expect(inspectPackage(at("kinds.pptx")).problems).toEqual([]);
  expect(await layoutsOf("kinds.pptx")).toEqual(layouts);
  expect(await textOf("kinds.pptx", 4)).toMatch(/Buy[\s\S]*Fast[\s\S]*Build[\s\S]*It fits/);
  expect(await textOf("kinds.pptx", 7)).toMatch(/Less is more\.[\s\S]*Mies van der Rohe/);
  const parts = unzipSync(readFileSync(at("kinds.pptx")));
  expect(strFromU8(parts["ppt/slides/slide2.xml"] ?? new Uint8Array()).match(/buAutoNum/g)).toHaveLength(2);
});

test("makes all kinds of slides in a design without these layouts [S-40]", async () => {
  await call("create", JSON.stringify([{ title: "Old" }]), "--out", "plain.pptx");
  const plain = { title: "x", layout: "Closing" };
  expect((await call("add", "plain.pptx", JSON.stringify([plain]), "--out", "named.pptx")).code).toBe(0);
  const parts = unzipSync(readFileSync(at("plain.pptx")));
  const kept = ["Title Slide", "Title and Content", "Section Header", "Two Content", "Title Only", "Blank"];
  for (const [name, bytes] of Object.entries(parts)) {
    const layout = /<p:cSld name="([^"]+)"/.exec(strFromU8(bytes))?.[1];
    if (!name.startsWith("ppt/slideLayouts/slideLayout") || kept.includes(layout ?? "")) continue;
    const other = strFromU8(bytes)
      .replace(`name="${layout}"`, 'name="Other"')
      .replace(/ type="[a-zA-Z]+" preserve/, " preserve");
    parts[name] = strToU8(other.replaceAll(/<p:sp>(?:(?!<p:sp>).)*<p:ph(?:(?!<p:sp>).)*<\/p:sp>/gs, ""));
  }
  writeFileSync(at("six.pptx"), zipSync(parts));
  const { json } = await call(
    "create",
    JSON.stringify(slides),
    "--template",
    "six.pptx",
    "--out",
    "other.pptx",
  );
  expect(json).toMatchObject({ ok: true, slides: 9 });
  expect(inspectPackage(at("other.pptx")).problems).toEqual([]);
  expect(await layoutsOf("other.pptx")).toEqual([
    ...["Title Slide", "Title and Content", "Section Header", "Two Content", "Two Content"],
    ...["Two Content", "Title and Content", "Title and Content", "Title Slide"],
  ]);
  expect(await textOf("other.pptx", 4)).toMatch(/Buy[\s\S]*Fast[\s\S]*Build/);
  expect(await textOf("other.pptx", 8)).toMatch(/12[\s\S]*percent/);
});

test("finds quotes and columns in Markdown [S-40]", async () => {
  const source = `# Talk

## Compare

### Before

- slow

### After

- fast

## Words

> Simplicity is prerequisite for reliability.
> — Edsger W. Dijkstra

## More words

> Well-known — and true.

## Plain

### One heading

- a
`;
  writeFileSync(at("talk.md"), source);
  await call("create", "talk.md", "--out", "talk.pptx");
  expect(await layoutsOf("talk.pptx")).toEqual([
    ...["Title Slide", "Comparison", "Quote", "Quote", "Title and Content"],
  ]);
  const parts = unzipSync(readFileSync(at("talk.pptx")));
  const xml = (slide: number) => strFromU8(parts[`ppt/slides/slide${slide}.xml`] ?? new Uint8Array());
  expect(xml(3)).toContain("<a:t>Edsger W. Dijkstra</a:t>");
  expect(xml(3)).toContain('name="Caption"');
  expect(xml(4)).toContain("<a:t>Well-known — and true.</a:t>");
  expect(xml(4)).not.toContain('name="Caption"');
});

test.each([
  [{ columns: [{ text: "one" }] }, "slides[0].columns"],
  [{ columns: [{ text: "a" }, { notes: "b" }] }, "slides[0].columns[1]"],
  [{ columns: [{ text: "a" }, { text: "b" }], bullets: ["c"] }, "slides[0].bullets"],
  [{ quote: "a", number: 1 }, "slides[0].number"],
  [{ quote: ["a"] }, "slides[0].quote"],
  [{ kind: "quote", text: "a" }, "slides[0].quote"],
  [{ kind: "picture", text: "a" }, "slides[0].image"],
  [{ kind: "poster", text: "a" }, "slides[0].kind"],
])("rejects %j and names %s [S-40]", async (slide, place) => {
  expect((await call("create", JSON.stringify([slide]), "--out", "never.pptx")).json).toMatchObject({
    error: { code: "INVALID_DESCRIPTION", message: expect.stringContaining(place) },
  });
});

test.skipIf(soffice === undefined)("LibreOffice shows all layouts (needs LibreOffice) [S-40]", async () => {
  await call("create", JSON.stringify(slides), "--out", "shown.pptx");
  const pages = pageTexts(at("shown.pptx"));
  expect(pages).toHaveLength(9);
  for (const [index, text] of [
    "Review",
    "1.",
    "Part",
    "Build",
    "Left",
    "May",
    "Mies",
    "12",
    "ada@",
  ].entries())
    expect(pages[index]).toContain(text);
});
