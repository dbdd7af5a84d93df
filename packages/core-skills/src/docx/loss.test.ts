import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { strToU8, unzipSync, zipSync } from "fflate";
import { afterAll, expect, test } from "vitest";
import { guardOffice } from "../shared/office-guard.ts";
import { inspectPackage } from "../shared/office-oracle.fixture.ts";
import { callProgram } from "../shared/program.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { program } from "./program.ts";
import { makeDocx, paragraph } from "./word.fixture.ts";

const cwd = makeTempFolder(afterAll);
const at = (name: string) => join(cwd, name);
const call = (...argv: string[]) => callProgram(program, argv, { cwd });
const succeed = async (...argv: string[]) => {
  const { code, json, stderr } = await call(...argv);
  if (code !== 0) throw new Error(stderr);
  return json;
};

const partsOf = (name: string) => unzipSync(readFileSync(at(name)));
const textOf = (name: string, part: string) => Buffer.from(partsOf(name)[part] ?? []).toString();

const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml";
const MACRO = "application/vnd.ms-word";
const TYPES = {
  dotx: `${WORD}.template.main+xml`,
  dotm: `${MACRO}.template.macroEnabledTemplate.main+xml`,
  docm: `${MACRO}.document.macroEnabled.main+xml`,
  docx: `${WORD}.document.main+xml`,
} as const;

/** A template as Word saves it: its own content type, macros in the kinds that have them, and properties. */
function writeTemplate(kind: keyof typeof TYPES): string {
  const name = `template.${kind}`;
  const parts = unzipSync(makeDocx(paragraph("Dear {{name}}")));
  const read = (part: string) => Buffer.from(parts[part] ?? []).toString();
  const hasMacros = kind.endsWith("m");
  const types = read("[Content_Types].xml")
    .replace(TYPES.docx, TYPES[kind])
    .replace(
      "</Types>",
      '<Default Extension="bin" ContentType="application/vnd.ms-office.vbaProject"/></Types>',
    );
  const macro =
    '<Relationship Id="rId9" Type="http://schemas.microsoft.com/office/2006/relationships/vbaProject" Target="vbaProject.bin"/>';
  const core =
    '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>Standard letter</dc:title><dc:creator>yegor</dc:creator><cp:lastModifiedBy>olga</cp:lastModifiedBy><dcterms:created>2001-01-01T00:00:00Z</dcterms:created></cp:coreProperties>';
  writeFileSync(
    at(name),
    zipSync({
      ...parts,
      "[Content_Types].xml": strToU8(
        types.replace(
          "</Types>",
          '<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>',
        ),
      ),
      "_rels/.rels": strToU8(
        read("_rels/.rels").replace(
          "</Relationships>",
          '<Relationship Id="rId2" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>',
        ),
      ),
      "docProps/core.xml": strToU8(core),
      ...(hasMacros
        ? {
            "word/vbaProject.bin": strToU8("macros"),
            "word/_rels/document.xml.rels": strToU8(
              read("word/_rels/document.xml.rels").replace("</Relationships>", `${macro}</Relationships>`),
            ),
          }
        : {}),
    }),
  );
  return name;
}

test.each(["dotx", "dotm", "docm"] as const)(
  "writes a .docx from a .%s with the type of a document [S-40]",
  async (kind) => {
    const template = writeTemplate(kind);
    writeFileSync(at("text.md"), "# New\n\nText.\n");
    const made = await succeed("create", "text.md", "--template", template, "--out", `made-${kind}.docx`);
    const filled = await succeed(
      "fill",
      template,
      "--data",
      '{"name":"Ada"}',
      "--out",
      `filled-${kind}.docx`,
    );
    await succeed("metadata", template, "--title", "T", "--out", `titled-${kind}.docx`);
    for (const name of [`made-${kind}.docx`, `filled-${kind}.docx`, `titled-${kind}.docx`]) {
      expect(textOf(name, "[Content_Types].xml")).toContain(
        `PartName="/word/document.xml" ContentType="${TYPES.docx}"`,
      );
      expect(Object.keys(partsOf(name))).not.toContain("word/vbaProject.bin");
      expect(textOf(name, "word/_rels/document.xml.rels")).not.toContain("vbaProject");
      expect(inspectPackage(at(name)).problems).toEqual([]);
    }
    const expected = kind === "dotx" ? undefined : true;
    expect([made, filled].map((each) => (each as { macrosRemoved?: true }).macrosRemoved)).toEqual([
      expected,
      expected,
    ]);
  },
);

test("keeps the macros and the type when the output is a .docm [S-40]", async () => {
  await succeed("metadata", writeTemplate("docm"), "--title", "T", "--out", "kept.docm");
  expect(textOf("kept.docm", "[Content_Types].xml")).toContain(TYPES.docm);
  expect(textOf("kept.docm", "word/vbaProject.bin")).toBe("macros");
});

test("does not copy the title, author and dates of a template [S-40]", async () => {
  writeFileSync(at("text.md"), "# New\n");
  const template = writeTemplate("dotx");
  expect(
    await succeed("create", "text.md", "--template", template, "--title", "Mine", "--out", "fresh.docx"),
  ).toMatchObject({
    properties: { title: "Mine" },
  });
  expect(textOf("fresh.docx", "docProps/core.xml")).not.toMatch(/yegor|olga|2001/);
});

test("reads and replaces text with its own direction [S-40]", async () => {
  const body = `<w:p><w:dir w:val="rtl"><w:r><w:t>حرية</w:t></w:r></w:dir><w:bdo w:val="rtl"><w:r><w:t> الدين</w:t></w:r></w:bdo></w:p>`;
  writeFileSync(at("arabic.docx"), makeDocx(body));
  expect(await succeed("read", "arabic.docx", "--format", "text")).toMatchObject({ text: "حرية الدين" });
  await succeed("replace", "arabic.docx", "--find", "حرية الدين", "--with", "x", "--out", "replaced.docx");
  expect(await succeed("read", "replaced.docx", "--format", "text")).toMatchObject({ text: "x" });
});

test("rejects an output that lost a paragraph, a part or a content type [S-40]", () => {
  const bytes = makeDocx(paragraph("One") + paragraph("Two"), {
    footnotes: `<w:footnote w:id="1">${paragraph("Note")}</w:footnote>`,
  });
  const source = { path: "in.docx", absolute: at("in.docx"), name: "in.docx", bytes };
  const parts = unzipSync(bytes);
  const change = (name: string, edit: (text: string) => string) =>
    zipSync({ ...parts, [name]: strToU8(edit(Buffer.from(parts[name] ?? []).toString())) });
  const guard = (output: Uint8Array) => () => guardOffice(source, output, "out.docx", {});
  expect(guard(bytes)).not.toThrow();
  expect(guard(change("word/document.xml", (text) => text.replace(paragraph("Two"), "")))).toThrow(
    /1 paragraphs/,
  );
  expect(
    guard(change("[Content_Types].xml", (text) => text.replace(/<Default Extension="rels"[^>]*>/, ""))),
  ).toThrow(/no content type/);
  expect(guard(change("word/document.xml", (text) => text.slice(0, -5)))).toThrow(/well-formed/);
  const { "word/footnotes.xml": _, ...fewer } = parts;
  expect(guard(zipSync(fewer))).toThrow(/footnotes.xml is missing/);
});

test("names an archive entry without a name as the damage [S-40]", async () => {
  writeFileSync(
    at("nameless.docx"),
    zipSync({ "": new Uint8Array(1), "[Content_Types].xml": new Uint8Array(1) }),
  );
  const { json } = await call("read", "nameless.docx");
  expect(json).toMatchObject({
    error: { code: "BROKEN_FILE", message: expect.stringContaining("without a name") },
  });
  expect(existsSync(at("nameless.docx"))).toBe(true);
});
