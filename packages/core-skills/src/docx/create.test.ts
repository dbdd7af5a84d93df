import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import mammoth from "mammoth";
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

const SOURCE = `# Yearly report

Plain, **bold**, *italic*, ~~old~~, \`code\` & a [link](https://example.com/a?b=1&c=2).

## Lists

- one
  - inner
- two

3. three
4. four

| Name | Amount |
|------|-------:|
| Tea  | 3 |
| A \\| B | 4 |

> said

![a dot](dot.png)

<!-- pagebreak -->

## End <tag>
`;
writeFileSync(at("source.md"), SOURCE);
writeFileSync(at("dot.png"), tinyPng);

async function create(name: string, ...options: string[]): Promise<string> {
  const result = await call("create", "source.md", "--out", name, ...options);
  expect(result).toMatchObject({ code: 0, stderr: "" });
  return at(name);
}

test("another reader finds the headings, styles, lists, table, link and image of the Markdown [S-40]", async () => {
  const path = await create("made.docx");
  const { value: html } = await mammoth.convertToHtml({ path });
  expect(html).toContain("<h1>Yearly report</h1>");
  expect(html).toContain("<strong>bold</strong>, <em>italic</em>, <s>old</s>");
  expect(html).toContain('<a href="https://example.com/a?b=1&amp;c=2">link</a>');
  expect(html).toContain("<ul><li>one<ul><li>inner</li></ul></li><li>two</li></ul>");
  expect(html).toContain("<ol><li>three</li><li>four</li></ol>");
  expect(html).toMatch(/<th><p><strong>Name<\/strong><\/p><\/th>[\s\S]*<td><p>A \| B<\/p><\/td>/);
  expect(html).toMatch(/<img alt="a dot" src="data:image\/png;base64,/);
  expect(html).toContain("<h2>End &lt;tag&gt;</h2>");
});

test("the package is complete: every relationship, type and id is valid [S-40]", async () => {
  const path = await create(
    "whole.docx",
    "--header",
    "Top",
    "--footer",
    "Page {page} of {pages}",
    "--title",
    "T",
  );
  const { problems, texts } = inspectPackage(path);
  expect(problems).toEqual([]);
  expect(texts["word/header1.xml"]).toBe("Top");
  expect(texts["word/footer1.xml"]).toBe("Page  of ");
});

test.skipIf(soffice === undefined)(
  "LibreOffice shows the text on two pages, with page and list numbers (needs LibreOffice) [S-40]",
  async () => {
    const [first = "", second = "", ...rest] = pageTexts(await create("shown.docx", "--page-numbers"));
    expect(rest).toEqual([]);
    expect(first).toMatch(/Yearly report[\s\S]*3\. +three[\s\S]*Tea +3[\s\S]*1 ?\/ ?2/);
    expect(second).toMatch(/End <tag>[\s\S]*2 ?\/ ?2/);
  },
);

test("the same description gives the same bytes, and a dry run writes none [S-40]", async () => {
  const [one, two] = [await create("one.docx"), await create("two.docx")];
  expect(readFileSync(one).equals(readFileSync(two))).toBe(true);
  const dry = await call("create", "source.md", "--out", "dry.docx", "--dry-run");
  expect(dry.json).toMatchObject({ ok: true, written: { dryRun: true, bytes: readFileSync(one).length } });
  expect(() => readFileSync(at("dry.docx"))).toThrow(/ENOENT/);
});

test("reading a created document returns the original Markdown [S-40]", async () => {
  const { json } = await call("read", await create("back.docx"));
  const { text } = json as { text: string };
  expect(text).toContain(
    "Plain, **bold**, *italic*, ~~old~~, `code` & a [link](https://example.com/a?b=1&c=2).",
  );
  expect(text).toContain("- one\n  - inner\n- two\n\n3. three\n4. four");
  expect(text).toContain("| Name | Amount |\n| --- | --- |\n| Tea | 3 |\n| A \\| B | 4 |");
  expect(text).toContain("![a dot](word/media/image1.png)\n\n<!-- pagebreak -->\n\n## End \\<tag>");
});

test("JSON describes page, header, properties and blocks [S-40]", async () => {
  const description = {
    title: "From JSON",
    author: "Ada",
    header: "Head",
    page: { size: "Letter", orientation: "landscape", margin: 2 },
    blocks: [
      { type: "heading", level: 2, text: "Data" },
      {
        type: "table",
        header: ["a", "b"],
        rows: [
          [1, null],
          ["x", true],
        ],
      },
      { type: "list", ordered: true, items: ["first", { text: "second", items: ["inner"] }] },
      "and *Markdown*",
    ],
  };
  const made = await call("create", JSON.stringify(description), "--out", "json.docx");
  expect(made.json).toMatchObject({ properties: { title: "From JSON", author: "Ada" } });
  const { value: html } = await mammoth.convertToHtml({ path: at("json.docx") });
  expect(html).toContain(
    "<ol><li>first</li><li>second<ol><li>inner</li></ol></li></ol><p>and <em>Markdown</em></p>",
  );
  expect(html).toMatch(/<td><p>1<\/p><\/td><td><\/td>[\s\S]*<td><p>true<\/p>/);
});

test.each([
  ['{"blocks": 1}', "blocks must be a list of blocks."],
  ['{"blocks": [{"type": "dance"}]}', "blocks[0].type must be heading, paragraph"],
  ['{"blocks": [], "color": 1}', 'The field "color" must be one of'],
  ['[{"type": "table", "rows": [1]}]', "blocks[0].rows[0] must be a list of cells."],
  ['[{"type": "heading", "level": 9}]', "blocks[0].level must be a number from 1 to 6."],
])("names the wrong place in the description %s [S-40]", async (source, message) => {
  const { code, json } = await call("create", source, "--out", "never.docx");
  expect(code).toBe(3);
  expect(json).toMatchObject({
    error: { code: "INVALID_DESCRIPTION", message: expect.stringContaining(message) },
  });
});

test("images come from files of known kinds, never from the network [S-40]", async () => {
  const from = (path: string) =>
    call("create", JSON.stringify([{ type: "image", path }]), "--out", "never.docx");
  writeFileSync(at("fake.png"), "not an image at all, but long enough");
  expect(await from("https://example.com/a.png")).toMatchObject({ code: 2 });
  expect(await from("fake.png")).toMatchObject({ code: 3, json: { error: { code: "UNSUPPORTED_IMAGE" } } });
  expect(await from("missing.png")).toMatchObject({ code: 1, json: { error: { code: "FILE_NOT_FOUND" } } });
});

test("a template gives its styles, page, header and footer to the new text [S-40]", async () => {
  const template = await create("template.docx", "--header", "Letterhead", "--font", "Georgia");
  const made = await call("create", '["# New\\n\\n1. item"]', "--template", template, "--out", "styled.docx");
  expect(made.code).toBe(0);
  const { problems, texts } = inspectPackage(at("styled.docx"));
  expect(problems).toEqual([]);
  expect(texts["word/document.xml"]).toBe("Newitem");
  expect(texts["word/header1.xml"]).toBe("Letterhead");
  const { json } = await call("read", "styled.docx");
  expect(json).toMatchObject({ text: "# New\n\n1. item" });
});

test("writes a link that could run a program as text [S-40]", async () => {
  await call("create", '["[click](javascript:alert) [file](file:///etc/passwd)"]', "--out", "link.docx");
  const { value: html } = await mammoth.convertToHtml({ path: at("link.docx") });
  expect(html).toBe("<p>click file</p>");
});

test("footnotes and a table of contents are written, found by another reader, and kept by an edit [S-40]", async () => {
  const source = [
    "[TOC]",
    "# First",
    "A claim[^a] and another[^b], `[^a]` as code, and an unknown one[^x].",
    "[^a]: Said by **Ada**.\n[^b]: See [here](https://example.com/note).",
    "[^unused]: Stays in the text.",
    "## Second",
  ].join("\n\n");
  writeFileSync(at("notes.md"), source);
  const made = await call("create", "notes.md", "--out", "notes.docx");
  expect(made).toMatchObject({ code: 0, stderr: "" });
  const { value: html } = await mammoth.convertToHtml({ path: at("notes.docx") });
  expect(html).toMatch(/A claim<sup><a[^>]*>\[1\]<\/a><\/sup> and another<sup><a[^>]*>\[2\]<\/a><\/sup>/);
  expect(html).toContain("Said by <strong>Ada</strong>.");
  expect(html).toContain('<a href="https://example.com/note">here</a>');
  expect(html).toContain("[^a] as code");
  expect(html).toContain("unknown one[^x]");
  expect(html).toContain("[^unused]: Stays in the text.");
  // The entries are there before Word updates the table.
  expect(html).toMatch(/First[\s\S]*Second[\s\S]*<h1>/);
  expect(inspectPackage(at("notes.docx")).problems).toEqual([]);
  await call("create", "notes.md", "--out", "same.docx");
  expect(readFileSync(at("same.docx")).equals(readFileSync(at("notes.docx")))).toBe(true);
  const added = await call("add", "notes.docx", "notes.md", "--out", "twice.docx");
  expect(added).toMatchObject({ code: 0 });
  const { stdout } = await call("read", "twice.docx");
  expect(JSON.parse(stdout).text).toMatch(/\[\^3\]: Said by Ada\.[\s\S]*\[\^4\]: See here\./);
  const info = await call("info", "twice.docx");
  expect(JSON.parse(info.stdout).counts).toMatchObject({ footnotes: 4 });
});

test("footnotes survive a round trip [S-40]", async () => {
  writeFileSync(at("round.md"), "One[^1] and two[^2].\n\n[^1]: First note.\n\n[^2]: Second note.\n");
  await call("create", "round.md", "--out", "round.docx");
  const { stdout } = await call("read", "round.docx");
  writeFileSync(at("again.md"), JSON.parse(stdout).text);
  await call("create", "again.md", "--out", "again.docx");
  const again = await call("read", "again.docx");
  expect(JSON.parse(again.stdout).text).toBe(JSON.parse(stdout).text);
  expect(JSON.parse(stdout).text).toContain("[^1]: First note.");
});
