import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { strToU8, unzipSync, zipSync } from "fflate";
import mammoth from "mammoth";
import { afterAll, expect, test, vi } from "vitest";
import { inspectPackage, pageTexts, soffice, tinyPng } from "../shared/office-oracle.fixture.ts";
import { callProgram } from "../shared/program.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { program } from "./program.ts";
import { makeDocx, paragraph } from "./word.fixture.ts";

// LibreOffice takes seconds to start, and more on a busy machine.
vi.setConfig({ testTimeout: 120_000 });
const cwd = makeTempFolder(afterAll);
const call = (...argv: string[]) => callProgram(program, argv, { cwd });
const at = (name: string) => join(cwd, name);
writeFileSync(at("dot.png"), tinyPng);
const make = (name: string, markdown: string) => call("create", JSON.stringify([markdown]), "--out", name);
const textOf = async (name: string) => ((await call("read", name)).json as { text: string }).text;

test("inserts Markdown after a heading, or at the end of a section or of the document [S-40]", async () => {
  await make("base.docx", "# A\n\na1\n\n# B\n\nb1");
  await call("add", "base.docx", '["new"]', "--after", "A", "--out", "after.docx");
  await call("add", "base.docx", '["new"]', "--end-of", "A", "--out", "end-of.docx");
  await call("add", "base.docx", '["new"]', "--out", "end.docx");
  expect(await textOf("after.docx")).toBe("# A\n\nnew\n\na1\n\n# B\n\nb1");
  expect(await textOf("end-of.docx")).toBe("# A\n\na1\n\nnew\n\n# B\n\nb1");
  expect(await textOf("end.docx")).toBe("# A\n\na1\n\n# B\n\nb1\n\nnew");
});

test("added text uses the document's styles with the same name and brings missing ones [S-40]", async () => {
  const styles =
    '<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/><w:rPr><w:color w:val="FF0000"/></w:rPr></w:style>';
  const heading = '<w:p><w:pPr><w:pStyle w:val="berschrift1"/></w:pPr><w:r><w:t>Alt</w:t></w:r></w:p>';
  writeFileSync(at("german.docx"), makeDocx(heading, { styles }));
  await call(
    "add",
    "german.docx",
    '["# Neu\\n\\n> quoted\\n\\n- item\\n\\n![dot](dot.png)"]',
    "--out",
    "both.docx",
  );
  const { problems } = inspectPackage(at("both.docx"));
  expect(problems).toEqual([]);
  const { value: html, messages } = await mammoth.convertToHtml({ path: at("both.docx") });
  expect(html).toMatch(/<h1>Alt<\/h1><h1>Neu<\/h1><p>quoted<\/p><ul><li>item<\/li><\/ul><p><img/);
  expect(messages.map(({ message }) => message)).toEqual([
    "Unrecognised paragraph style: 'Quote' (Style ID: Quote)",
  ]);
});

test("numbered lists of merged documents restart, and bullets stay bullets [S-40]", async () => {
  await make("one.docx", "# One\n\n- bullet\n\n1. a\n2. b");
  await make("two.docx", "# Two\n\n1. c\n2. d\n\n![dot](dot.png)\n\n[link](https://example.com)");
  const merged = await call("merge", "one.docx", "two.docx", "one.docx", "--out", "merged.docx");
  expect(merged.json).toMatchObject({ ok: true, documents: 3 });
  expect(await textOf("merged.docx")).toBe(
    [
      "# One\n\n- bullet\n\n1. a\n2. b\n\n<!-- pagebreak -->",
      "# Two\n\n1. c\n2. d\n\n![dot](word/media/image1.png)\n\n[link](https://example.com)\n\n<!-- pagebreak -->",
      "# One\n\n- bullet\n\n1. a\n2. b",
    ].join("\n\n"),
  );
  expect(inspectPackage(at("merged.docx")).problems).toEqual([]);
});

test.skipIf(soffice === undefined)(
  "LibreOffice numbers the lists of merged documents the same way (needs LibreOffice) [S-40]",
  async () => {
    await make("one.docx", "# One\n\n1. a\n2. b");
    await make("two.docx", "# Two\n\n1. c\n2. d");
    await call("merge", "one.docx", "two.docx", "--out", "shown.docx");
    const [first = "", second = ""] = pageTexts(at("shown.docx"));
    expect(first).toMatch(/One\s+1\. +a\s+2\. +b/);
    expect(second).toMatch(/Two\s+1\. +c\s+2\. +d/);
  },
);

test("notes are renumbered; comments and sections are left out and counted [S-40]", async () => {
  const noted = (text: string) => ({
    body: `<w:p><w:r><w:t>${text}</w:t><w:footnoteReference w:id="1"/></w:r><w:r><w:commentReference w:id="0"/></w:r></w:p><w:p><w:pPr><w:sectPr/></w:pPr></w:p>`,
    footnotes: `<w:footnote w:id="1">${paragraph(`note of ${text}`)}</w:footnote>`,
  });
  for (const name of ["first", "second"]) {
    const { body, footnotes } = noted(name);
    writeFileSync(at(`${name}.docx`), makeDocx(body, { footnotes, styles: "" }));
  }
  const merged = await call("merge", "first.docx", "second.docx", "--no-page-break", "--out", "noted.docx");
  expect(merged.json).toMatchObject({ dropped: { comments: 1, sections: 1 } });
  expect(await textOf("noted.docx")).toBe(
    "first[^1]\n\nsecond[^2]\n\n[^1]: note of first\n\n[^2]: note of second",
  );
});

test("endnotes are read, replaced, and copied into a document without any [S-40]", async () => {
  const body = '<w:p><w:r><w:t>claim</w:t><w:endnoteReference w:id="4"/></w:r></w:p>';
  const separator = `<w:endnote w:type="separator" w:id="-1">${paragraph("")}</w:endnote>`;
  const endnotes = `${separator}<w:endnote w:id="4">${paragraph("proof of 1999")}</w:endnote>`;
  writeFileSync(at("ends.docx"), makeDocx(body, { endnotes, styles: "" }));
  expect(await textOf("ends.docx")).toBe("claim[^e4]\n\n[^e4]: proof of 1999");
  await call("replace", "ends.docx", "--find", "1999", "--with", "2001", "--in-place");
  await make("none.docx", "before");
  await call("merge", "none.docx", "ends.docx", "--no-page-break", "--out", "both.docx");
  expect(await textOf("both.docx")).toMatch(/^before\n\nclaim\[\^e(\d+)\]\n\n\[\^e\1\]: proof of 2001$/);
  expect(inspectPackage(at("both.docx")).problems).toEqual([]);
});

test("extracts sections into a new document, and images into files [S-40]", async () => {
  await make("whole.docx", "# A\n\na\n\n# B\n\n![dot](dot.png)\n\n## B1\n\nb\n\n# C\n\nc");
  await call("extract", "whole.docx", "--heading", "B", "--out", "part.docx");
  expect(await textOf("part.docx")).toBe("# B\n\n![dot](word/media/image1.png)\n\n## B1\n\nb");
  const { json } = await call("images", "whole.docx", "--out-dir", "images");
  expect(json).toMatchObject({ images: [{ path: "images/image1.png" }] });
  expect(readFileSync(at("images/image1.png")).equals(tinyPng)).toBe(true);
});

test("sets, removes and reads properties without other changes [S-40]", async () => {
  await make("plain.docx", "text");
  const set = ["--title", "A & B", "--author", "Ada", "--created", "2026-05-01"];
  await call("metadata", "plain.docx", ...set, "--in-place");
  const { json } = await call("info", "plain.docx");
  expect(json).toMatchObject({
    properties: { title: "A & B", author: "Ada", created: "2026-05-01T00:00:00Z" },
  });
  const without = await call("metadata", "plain.docx", "--author", "", "--out", "less.docx");
  expect(without.json).toMatchObject({ properties: { title: "A & B" } });
  expect(without.stdout).not.toContain("Ada");
  expect(await call("metadata", "plain.docx", "--created", "soon", "--out", "x.docx")).toMatchObject({
    code: 2,
  });
});

test("reads and changes a document in the strict variant, but does not merge it with others [S-40]", async () => {
  const parts = unzipSync(makeDocx(paragraph("strict text")));
  const body = Buffer.from(parts["word/document.xml"] ?? []).toString();
  const strict = body.replace(
    /http:\/\/schemas[^"]*wordprocessingml[^"]*/,
    "http://purl.oclc.org/ooxml/wordprocessingml/main",
  );
  writeFileSync(at("strict.docx"), zipSync({ ...parts, "word/document.xml": strToU8(strict) }));
  await make("usual.docx", "usual");
  const refused = { code: 3, json: { error: { code: "STRICT_FORMAT" } } };
  expect(await call("add", "strict.docx", '["new"]', "--out", "x.docx")).toMatchObject(refused);
  expect(await call("merge", "usual.docx", "strict.docx", "--out", "x.docx")).toMatchObject(refused);
  await call("replace", "strict.docx", "--find", "strict", "--with", "plain", "--in-place");
  expect(await textOf("strict.docx")).toBe("plain text");
});
