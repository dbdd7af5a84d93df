import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { convert, soffice } from "../shared/office-oracle.fixture.ts";
import { callProgram } from "../shared/program.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { program } from "./program.ts";
import { makeDocx, paragraph } from "./word.fixture.ts";

// LibreOffice takes seconds to start, and more on a busy machine.
vi.setConfig({ testTimeout: 120_000 });
const cwd = makeTempFolder(afterAll);
const call = (...argv: string[]) => callProgram(program, argv, { cwd });
const save = (name: string, bytes: Uint8Array) => writeFileSync(join(cwd, name), bytes);
const textOf = async (name: string, ...options: string[]) => {
  const { json } = await call("read", name, ...options);
  return (json as { text: string }).text;
};

const HTML = `<html><body><h1>Überschrift</h1><p>Ein <b>fetter</b> und <i>schräger</i> Text mit
<a href="https://example.com/">Link</a>.</p><h2>Liste</h2><ul><li>eins<ul><li>innen</li></ul></li><li>zwei</li></ul>
<ol><li>erstens</li><li>zweitens</li></ol><table><tr><th>Name</th><th>Zahl</th></tr><tr><td>Tee</td><td>3</td></tr>
</table></body></html>`;

test.skipIf(soffice === undefined)(
  "reads a document of LibreOffice with its structure (needs LibreOffice) [S-40]",
  async () => {
    const path = join(cwd, "source.html");
    writeFileSync(path, HTML);
    save("libre.docx", convert(path, "docx:MS Word 2007 XML"));
    const text = await textOf("libre.docx");
    expect(text).toContain("# Überschrift");
    expect(text).toMatch(
      /Ein \*\*fetter\*\* und \*schräger\* Text mit \[Link\]\(https:\/\/example\.com\/\)\./,
    );
    expect(text).toContain("- eins\n  - innen\n- zwei");
    expect(text).toContain("1. erstens\n2. zweitens");
    expect(text).toContain("| Name | Zahl |\n| --- | --- |\n| Tee | 3 |");
    const { json } = await call("tables", "libre.docx");
    expect(json).toMatchObject({
      tables: [
        {
          rows: [
            ["Name", "Zahl"],
            ["Tee", "3"],
          ],
        },
      ],
    });
  },
);

const STYLES =
  '<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>' +
  '<w:style w:type="paragraph" w:styleId="Eigen"><w:name w:val="Eigen"/><w:basedOn w:val="berschrift1"/></w:style>' +
  '<w:style w:type="paragraph" w:styleId="Ring"><w:name w:val="Ring"/><w:basedOn w:val="Ring"/></w:style>';
const heading = (style: string, text: string) =>
  `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;

test("recognizes headings in any language by the English name of their style or its base [S-40]", async () => {
  const body = heading("berschrift1", "Eins") + heading("Eigen", "Zwei") + heading("Ring", "Text");
  save("german.docx", makeDocx(body, { styles: STYLES }));
  expect(await textOf("german.docx")).toBe("# Eins\n\n# Zwei\n\nText");
});

const TRACKED =
  '<w:p><w:r><w:t xml:space="preserve">We pay </w:t></w:r><w:del w:author="Bob" w:id="1"><w:r><w:delText>10</w:delText></w:r></w:del>' +
  '<w:ins w:author="Eve" w:id="2"><w:r><w:t>20</w:t></w:r></w:ins><w:r><w:t xml:space="preserve"> euros.</w:t></w:r></w:p>';

test("reports tracked changes, reads them as accepted, and accepts or rejects them [S-40]", async () => {
  save("tracked.docx", makeDocx(TRACKED));
  const { json } = await call("info", "tracked.docx");
  expect(json).toMatchObject({ trackedChanges: { insertions: 1, deletions: 1, authors: ["Eve", "Bob"] } });
  expect(await textOf("tracked.docx")).toBe("We pay 20 euros.");
  await call("changes", "tracked.docx", "--accept", "--out", "accepted.docx");
  await call("changes", "tracked.docx", "--reject", "--out", "rejected.docx");
  expect(await textOf("accepted.docx")).toBe("We pay 20 euros.");
  expect(await textOf("rejected.docx")).toBe("We pay 10 euros.");
  expect((await call("info", "rejected.docx")).json).toMatchObject({
    trackedChanges: { insertions: 0, deletions: 0 },
  });
});

test("accepting a deleted paragraph end joins the paragraph with the next [S-40]", async () => {
  const first =
    '<w:p><w:pPr><w:rPr><w:del w:author="Bob" w:id="1"/></w:rPr></w:pPr><w:r><w:t xml:space="preserve">One </w:t></w:r></w:p>';
  save("joined.docx", makeDocx(first + paragraph("two")));
  await call("changes", "joined.docx", "--accept", "--in-place");
  expect(await textOf("joined.docx")).toBe("One two");
});

const row = (mark: string, text: string) =>
  `<w:tr><w:trPr>${mark}</w:trPr><w:tc><w:tcPr/>${paragraph(text)}</w:tc></w:tr>`;
const table = (...rows: readonly string[]) => `<w:tbl><w:tblPr/><w:tblGrid/>${rows.join("")}</w:tbl>`;
const came = '<w:ins w:author="Eve" w:id="1"/>';
const went = '<w:del w:author="Bob" w:id="2"/>';

test("accepts or rejects inserted and deleted rows, and removes a table without rows [S-40]", async () => {
  const rows = table(row("", "old"), row(came, "new"), row(went, "gone"));
  save("rows.docx", makeDocx(rows + paragraph("between") + table(row(went, "all")) + paragraph("end")));
  const tables = async (name: string) => (await call("tables", name)).json;
  await call("changes", "rows.docx", "--accept", "--out", "rows-accepted.docx");
  expect(await tables("rows-accepted.docx")).toMatchObject({
    tables: [{ rows: [["old"], ["new"]] }],
    total: 1,
  });
  await call("changes", "rows.docx", "--reject", "--out", "rows-rejected.docx");
  expect(await tables("rows-rejected.docx")).toMatchObject({
    tables: [{ rows: [["old"], ["gone"]] }, { rows: [["all"]] }],
  });
  for (const name of ["rows-accepted.docx", "rows-rejected.docx"]) {
    expect((await call("info", name)).json).toMatchObject({
      trackedChanges: { insertions: 0, deletions: 0 },
    });
  }
});

test("lists comments with their author and the text they refer to [S-40]", async () => {
  const body =
    '<w:p><w:r><w:t xml:space="preserve">The </w:t></w:r><w:commentRangeStart w:id="7"/><w:r><w:t>price</w:t></w:r><w:commentRangeEnd w:id="7"/><w:r><w:commentReference w:id="7"/></w:r></w:p>';
  const comments = `<w:comment w:id="7" w:author="Ada" w:date="2026-01-02T03:04:05Z">${paragraph("Too high?")}</w:comment>`;
  save("comments.docx", makeDocx(body, { comments }));
  expect((await call("info", "comments.docx")).json).toMatchObject({
    comments: { items: [{ id: "7", author: "Ada", text: "Too high?", about: "price" }], total: 1 },
  });
});

test("reads notes, text boxes, content controls, tabs and merged cells [S-40]", async () => {
  const body = [
    '<w:p><w:r><w:t>A</w:t><w:tab/><w:t>B</w:t><w:footnoteReference w:id="2"/></w:r></w:p>',
    `<w:sdt><w:sdtContent>${paragraph("controlled")}</w:sdtContent></w:sdt>`,
    `<w:p><w:r><w:pict><w:txbxContent>${paragraph("boxed")}</w:txbxContent></w:pict></w:r></w:p>`,
    `<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>${paragraph("wide")}</w:tc></w:tr>`,
    `<w:tr><w:tc>${paragraph("x")}</w:tc><w:tc>${paragraph("y")}${paragraph("z")}</w:tc></w:tr></w:tbl>`,
  ].join("");
  const footnotes = `<w:footnote w:type="separator" w:id="0">${paragraph("-")}</w:footnote><w:footnote w:id="2">${paragraph("the note")}</w:footnote>`;
  save("rich.docx", makeDocx(body, { footnotes }));
  expect(await textOf("rich.docx", "--format", "text")).toBe(
    "A\tB[^2]\ncontrolled\nboxed\nwide\t\nx\ty z\n[^2]: the note",
  );
});

test("reads a section by its heading, and an unknown heading lists the existing ones [S-40]", async () => {
  const md = "# A\n\nintro\n\n## B\n\nin b\n\n### C\n\nin c\n\n## D\n\nin d\n";
  await call("create", JSON.stringify([md]), "--out", "sections.docx");
  expect(await textOf("sections.docx", "--heading", "b")).toBe("## B\n\nin b\n\n### C\n\nin c");
  const missing = await call("read", "sections.docx", "--heading", "X");
  expect(missing).toMatchObject({ code: 1, json: { error: { code: "HEADING_NOT_FOUND" } } });
  expect(missing.stderr).toContain('Headings: \\"A\\", \\"B\\", \\"C\\", \\"D\\"');
});

test("HTML output cannot run anything [S-40]", async () => {
  const link = `<w:p><w:hyperlink r:id="rId1"><w:r><w:t>go &lt;script&gt;</w:t></w:r></w:hyperlink></w:p>`;
  save("html.docx", makeDocx(link));
  expect(await textOf("html.docx", "--format", "html")).toBe("<p>go &lt;script&gt;</p>");
});

test("reads a document of two hundred pages in bounded parts, to its end [S-40]", async () => {
  const pages = Array.from(
    { length: 200 },
    (_, page) => `# Page ${page + 1}\n\n${"Words of a page. ".repeat(150)}`,
  );
  writeFileSync(join(cwd, "long.md"), pages.join("\n\n<!-- pagebreak -->\n\n"));
  await call("create", "long.md", "--out", "long.docx");
  const first = (await call("read", "long.docx")).json as {
    text: string;
    truncated: boolean;
    nextOffset: number;
  };
  expect(first).toMatchObject({ truncated: true, nextOffset: 20_000 });
  expect(first.text).toHaveLength(20_000);
  const last = (await call("read", "long.docx", "--offset", "500000", "--limit", "200000")).json;
  expect(last).toMatchObject({ truncated: false, text: expect.stringContaining("# Page 200") });
  const { json, stdout } = await call("info", "long.docx");
  expect(json).toMatchObject({ outline: { total: 200 }, counts: { headings: 200 } });
  expect(stdout.length).toBeLessThan(20_000);
});
