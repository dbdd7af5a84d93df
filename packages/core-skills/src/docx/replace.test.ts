import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import mammoth from "mammoth";
import { afterAll, expect, test } from "vitest";
import { inspectPackage } from "../shared/office-oracle.fixture.ts";
import { callProgram } from "../shared/program.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { program } from "./program.ts";
import { makeDocx, paragraph } from "./word.fixture.ts";

const cwd = makeTempFolder(afterAll);
const call = (...argv: string[]) => callProgram(program, argv, { cwd });
const at = (name: string) => join(cwd, name);

const BODY = [
  paragraph("The firm ", ["<w:b/>", "Ac"], ["<w:b/><w:i/>", "me Ltd"], " pays. ", ["<w:i/>", "Acme Ltd"]),
  `<w:tbl><w:tr><w:tc>${paragraph("acme ltd")}</w:tc></w:tr></w:tbl>`,
  `<w:p><w:hyperlink><w:r><w:t>Acme</w:t></w:r><w:r><w:t xml:space="preserve"> Ltd</w:t></w:r></w:hyperlink></w:p>`,
  `<w:p><w:r><w:t>Acme</w:t><w:tab/><w:t>Ltd</w:t></w:r></w:p>`,
].join("");
writeFileSync(
  at("in.docx"),
  makeDocx(BODY, {
    header: paragraph("Acme", " Ltd"),
    footer: paragraph("© Acme Ltd"),
    footnotes: `<w:footnote w:id="1">${paragraph("see Acme Ltd")}</w:footnote>`,
  }),
);

test("replaces text across runs, cells, links, headers, footers and notes, and keeps the style [S-40]", async () => {
  const { json } = await call(
    "replace",
    "in.docx",
    "--find",
    "Acme Ltd",
    "--with",
    "Globex & Co",
    "--out",
    "out.docx",
  );
  expect(json).toMatchObject({ ok: true, total: 6, replaced: [{ find: "Acme Ltd", count: 6 }] });
  const { value: html } = await mammoth.convertToHtml({ path: at("out.docx") });
  expect(html).toContain("The firm <strong>Globex &amp; Co</strong> pays. <em>Globex &amp; Co</em>");
  const { problems, texts } = inspectPackage(at("out.docx"));
  expect(problems).toEqual([]);
  expect(texts).toMatchObject({
    "word/header.xml": "Globex & Co",
    "word/footer.xml": "© Globex & Co",
    "word/footnotes.xml": "see Globex & Co",
  });
  expect(texts["word/document.xml"]).toContain("acme ltd");
});

test("keeps the bytes of parts without replacements [S-40]", async () => {
  await call("replace", "in.docx", "--find", "Acme Ltd", "--with", "X", "--out", "kept.docx");
  const [before, after] = ["in.docx", "kept.docx"].map((name) => unzipSync(readFileSync(at(name))));
  expect(after?.["_rels/.rels"]).toEqual(before?.["_rels/.rels"]);
  expect(after?.["[Content_Types].xml"]).toEqual(before?.["[Content_Types].xml"]);
});

test("replaces several texts at once, so that one may become another [S-40]", async () => {
  writeFileSync(at("swap.docx"), makeDocx(paragraph("cat dog category")));
  const pairs = JSON.stringify({ cat: "dog", dog: "cat" });
  await call("replace", "swap.docx", "--pairs", pairs, "--whole-word", "--out", "swapped.docx");
  expect((await call("read", "swapped.docx")).json).toMatchObject({ text: "dog cat category" });
});

test("ignores case on request, and keeps line breaks of the new text [S-40]", async () => {
  const options = ["--find", "ACME LTD", "--with", "one\ntwo", "--ignore-case"];
  const { json } = await call("replace", "in.docx", ...options, "--out", "lines.docx");
  expect(json).toMatchObject({ total: 7 });
  const { value: html } = await mammoth.convertToHtml({ path: at("lines.docx") });
  expect(html).toContain("<strong>one<br />two</strong>");
});

test("writes no file without a match, or over the input [S-40]", async () => {
  const none = await call("replace", "in.docx", "--find", "Initech", "--with", "x", "--out", "none.docx");
  expect(none).toMatchObject({ code: 1, stdout: "", json: { error: { code: "NOTHING_FOUND" } } });
  const same = await call("replace", "in.docx", "--find", "Acme", "--with", "x", "--out", "./in.docx");
  expect(same).toMatchObject({ code: 1, json: { error: { code: "OUTPUT_IS_INPUT" } } });
  expect(await call("replace", "in.docx", "--find", "Acme", "--out", "x.docx")).toMatchObject({ code: 2 });
});
