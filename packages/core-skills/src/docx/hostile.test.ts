import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { afterAll, expect, test } from "vitest";
import { makeBlankDeck } from "../pptx/blank-deck.ts";
import { callProgram } from "../shared/program.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { program } from "./program.ts";
import { makeDocx, paragraph } from "./word.fixture.ts";

const cwd = makeTempFolder(afterAll);
const call = (...argv: string[]) => callProgram(program, argv, { cwd });

const good = makeDocx(paragraph("text"));
const ole = new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ...new Uint8Array(600)]);
const cases: readonly (readonly [string, Uint8Array, string])[] = [
  ["an encrypted document", ole, "ENCRYPTED_OR_LEGACY"],
  ["an empty file", new Uint8Array(), "FILE_EMPTY"],
  ["a text file", strToU8("Dear Sir or Madam, this is no Word document."), "NOT_AN_OFFICE_FILE"],
  ["an archive of something else", zipSync({ "a.txt": strToU8("x") }), "NOT_AN_OFFICE_FILE"],
  ["a document that was cut off", good.slice(0, good.length - 40), "BROKEN_FILE"],
  ["a presentation", makeBlankDeck().pkg.save(), "WRONG_KIND"],
  ["a bomb", zipSync({ "word/document.xml": new Uint8Array(30_000_000) }), "FILE_TOO_LARGE"],
  ["XML that is not well-formed", makeDocx("<w:p><w:r></w:p>"), "BROKEN_FILE"],
  ["XML with an entity that nobody declared", makeDocx(paragraph("&boom;")), "BROKEN_FILE"],
  [
    "XML that is nested without end",
    makeDocx("<w:sdt>".repeat(5000) + "</w:sdt>".repeat(5000)),
    "BROKEN_FILE",
  ],
  ["XML with a document type", withDoctype(), "BROKEN_FILE"],
];

function withDoctype(): Uint8Array {
  const text = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>';
  const type = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";
  const relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument";
  return zipSync({
    "[Content_Types].xml": strToU8(
      `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/d.xml" ContentType="${type}"/></Types>`,
    ),
    "_rels/.rels": strToU8(
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="${relation}" Target="d.xml"/></Relationships>`,
    ),
    "d.xml": strToU8(
      `${text}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"/>`,
    ),
  });
}

test.each(cases)("readers and writers reject %s with a reason [S-40]", async (_, bytes, code) => {
  writeFileSync(join(cwd, "in.docx"), bytes);
  for (const argv of [
    ["info", "in.docx"],
    ["read", "in.docx"],
    ["replace", "in.docx", "--find", "a", "--with", "b", "--out", "out.docx"],
    ["fill", "in.docx", "--data", "{}", "--out", "out.docx"],
    ["merge", "in.docx", "in.docx", "--out", "out.docx"],
  ]) {
    const result = await call(...argv);
    expect(result).toMatchObject({ code: 3, stdout: "", json: { ok: false, error: { code } } });
    expect(result.stderr.length).toBeLessThan(1500);
  }
});

test("ignores a relationship that leads out of the package [S-40]", async () => {
  const body = `<w:p><w:r><w:drawing><a:blip xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" r:embed="rId9"/></w:drawing></w:r><w:r><w:t>text</w:t></w:r></w:p>`;
  const bytes = makeDocx(body, { "../../../etc/passwd": "" });
  writeFileSync(join(cwd, "out-of.docx"), bytes);
  expect((await call("read", "out-of.docx")).json).toMatchObject({ text: "text" });
});
