import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { PDFDocument, PDFName, PDFString } from "@cantoo/pdf-lib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeAssets } from "../../asset.ts";
import { callProgram } from "../shared/program.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { guardPdf } from "./guard.ts";
import { checkFile, hasOracles, readObjects } from "./oracle.fixture.ts";
import { program } from "./program.ts";

const cwd = makeTempFolder(afterAll);
const at = (name: string) => join(cwd, name);
const call = (...argv: string[]) => callProgram(program, argv, { cwd });
const succeed = async (...argv: string[]) => {
  const { code, json, stderr } = await call(...argv);
  if (code !== 0) throw new Error(stderr);
  return json;
};

/** A font of the system, where it is installed. */
const FONT =
  [
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf",
  ].find((path) => existsSync(path)) ?? "";

beforeAll(() => void writeAssets("pdf", join(import.meta.dirname, "../../../../skills/pdf/scripts/lib")));

/** A PDF from the text of its objects, with a table of their places. The generation is 0 unless given. */
function writeRaw(
  name: string,
  objects: readonly string[],
  generations: Readonly<Record<number, number>> = {},
): void {
  let text = "%PDF-1.7\n";
  const entries = objects.map((object, index) => {
    const generation = generations[index + 1] ?? 0;
    const entry = `${String(text.length).padStart(10, "0")} ${String(generation).padStart(5, "0")} n \n`;
    text += `${index + 1} ${generation} obj\n${object}\nendobj\n`;
    return entry;
  });
  const start = text.length;
  const size = objects.length + 1;
  text += `xref\n0 ${size}\n0000000000 65535 f \n${entries.join("")}trailer\n<</Size ${size}/Root 1 ${generations[1] ?? 0} R>>\nstartxref\n${start}\n%%EOF\n`;
  writeFileSync(at(name), text, "latin1");
}

const stream = (content: string) => `<</Length ${content.length}>>\nstream\n${content}\nendstream`;
const page = (font: string) =>
  `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<</Font<</F1 ${font}>>>>>>`;
const HELVETICA = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>";

test.each([
  ["90ms-RKSJ-H", "Japan1", "82a082a282a4", "あいう"],
  ["UniGB-UCS2-H", "GB1", "6D458C08", "浅谈"],
  ["KSCms-UHC-H", "Korea1", "b0a1b3aa", "가나"],
])("reads text with the predefined character map %s [S-40]", async (encoding, ordering, bytes, expected) => {
  const font = `<</Type/Font/Subtype/Type0/BaseFont/Any/Encoding/${encoding}/DescendantFonts[<</Type/Font/Subtype/CIDFontType0/BaseFont/Any/CIDSystemInfo<</Registry(Adobe)/Ordering(${ordering})/Supplement 2>>/FontDescriptor<</Type/FontDescriptor/FontName/Any/Flags 4>>>>]>>`;
  const content = stream(`BT /F1 20 Tf 50 200 Td <${bytes}> Tj ET`);
  writeRaw("cjk.pdf", [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    page(font),
    content,
  ]);
  expect(await succeed("text", "cjk.pdf")).toMatchObject({
    text: expect.stringContaining(expected),
    emptyPages: "",
  });
});

/** Writes a form with meaningless field names and with labels on the page. */
async function writeForm(name: string): Promise<void> {
  const document = await PDFDocument.create();
  const sheet = document.addPage([300, 300]);
  const form = document.getForm();
  sheet.drawText("Full name:", { x: 20, y: 254, size: 10 });
  const field = form.createTextField("topmostSubform[0].f1_01[0]");
  field.setText("Ada Lovelace");
  field.addToPage(sheet, { x: 90, y: 250, width: 150, height: 16 });
  sheet.drawText("I agree", { x: 50, y: 203, size: 10 });
  const box = form.createCheckBox("c1_1[0]");
  box.addToPage(sheet, { x: 20, y: 200, width: 14, height: 14 });
  box.check();
  const note = document.context.obj({
    Type: "Annot",
    Subtype: "FreeText",
    Rect: [20, 100, 200, 120],
    Contents: PDFString.of("See page 2"),
    DA: PDFString.of("/Helv 10 Tf 0 g"),
  });
  sheet.node.addAnnot(document.context.register(note));
  writeFileSync(at(name), await document.save());
}

test("reads the values of form fields and free text with the page [S-40]", async () => {
  await writeForm("form.pdf");
  const answer = await succeed("text", "form.pdf");
  expect(answer).toMatchObject({ formValues: 2, emptyPages: "" });
  const { text } = answer as { text: string };
  expect(text).toMatch(/Full name:\s+Ada Lovelace/);
  expect(text).toMatch(/\[x\]\s+I agree/);
  expect(text).toContain("See page 2");
});

test("lists fields with their label and place [S-40]", async () => {
  await writeForm("labels.pdf");
  expect(await succeed("fields", "labels.pdf")).toMatchObject({
    fields: [
      {
        name: "topmostSubform[0].f1_01[0]",
        label: "Full name",
        boxes: [{ page: 1, box: [89.5, 249.5, 151, 17] }],
      },
      { name: "c1_1[0]", label: "I agree" },
    ],
  });
});

test.runIf(hasOracles)("writes objects of other generations so that readers find them [S-40]", async () => {
  writeRaw(
    "generation.pdf",
    [
      "<</Type/Catalog/Pages 2 0 R>>",
      "<</Type/Pages/Kids[3 1 R]/Count 1>>",
      page("5 2 R").replace("4 0 R", "4 1 R"),
      stream("BT /F1 20 Tf 50 200 Td (Hello) Tj ET"),
      HELVETICA,
    ],
    { 3: 1, 4: 1, 5: 2 },
  );
  expect(checkFile(at("generation.pdf"))).toBe("");
  await succeed("metadata", "generation.pdf", "--title", "X", "--out", "flat.pdf");
  expect(checkFile(at("flat.pdf"))).toBe("");
  expect(await succeed("text", "flat.pdf")).toMatchObject({ text: expect.stringContaining("Hello") });
});

test("keeps an XFA layer when the metadata changes, and warns when a form is filled [S-40]", async () => {
  await writeForm("plain.pdf");
  const document = await PDFDocument.load(readFileSync(at("plain.pdf")));
  const form = document.catalog.lookup(PDFName.of("AcroForm"));
  // The fixture has a form, whose dictionary can take another key.
  (form as unknown as { set(key: PDFName, value: PDFString): void }).set(
    PDFName.of("XFA"),
    PDFString.of("<xdp/>"),
  );
  writeFileSync(at("xfa.pdf"), await document.save());
  expect(await succeed("metadata", "xfa.pdf", "--title", "X", "--out", "kept.pdf")).toMatchObject({
    warnings: [],
  });
  expect(await succeed("info", "kept.pdf")).toMatchObject({ form: { fields: 2, xfa: true } });
  const filled = await succeed("fill", "xfa.pdf", "--data", '{"c1_1[0]":false}', "--out", "filled.pdf");
  expect(filled).toMatchObject({ warnings: [expect.stringContaining("XFA")] });
  expect(await succeed("extract", "xfa.pdf", "--pages", "1", "--out", "part.pdf")).toMatchObject({
    warnings: [expect.stringContaining("XFA")],
  });
});

test("describes a file that can be read but not changed [S-40]", async () => {
  writeRaw("short.pdf", [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 2>>",
    page("5 0 R"),
    stream("BT /F1 20 Tf 50 200 Td (Hello) Tj ET"),
    HELVETICA,
  ]);
  expect(await succeed("info", "short.pdf")).toMatchObject({
    editable: false,
    problem: expect.stringContaining("damaged"),
  });
  const { json } = await call("metadata", "short.pdf", "--title", "X", "--out", "never.pdf");
  expect(json).toMatchObject({ ok: false, error: { code: "BROKEN_FILE" } });
});

test("reads the other pages when one is damaged [S-40]", async () => {
  writeRaw("half.pdf", [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R 99 0 R]/Count 2>>",
    page("5 0 R"),
    stream("BT /F1 20 Tf 50 200 Td (Hello) Tj ET"),
    HELVETICA,
  ]);
  expect(await succeed("text", "half.pdf")).toMatchObject({
    text: expect.stringContaining("Hello"),
    failedPages: "2",
  });
});

test("rejects an output that lost text, annotations or pages [S-40]", async () => {
  await writeForm("source.pdf");
  const file = {
    path: "source.pdf",
    absolute: at("source.pdf"),
    name: "source.pdf",
    bytes: new Uint8Array(readFileSync(at("source.pdf"))),
  };
  const pages = [{ file, password: "", index: 0 }];
  await expect(guardPdf(file.bytes, "same.pdf", { pages, isWhole: true })).resolves.toBeUndefined();
  const change = async (edit: (document: PDFDocument) => void) => {
    const document = await PDFDocument.load(file.bytes);
    edit(document);
    return document.save();
  };
  const noText = await change((document) => document.getPage(0).node.delete(PDFName.of("Contents")));
  await expect(guardPdf(noText, "out.pdf", { pages })).rejects.toThrow(/lost 2 pieces of text/);
  const noFields = await change((document) => document.getPage(0).node.delete(PDFName.of("Annots")));
  await expect(guardPdf(noFields, "out.pdf", { pages })).rejects.toThrow(/0 of 2 Widget annotations/);
  await expect(guardPdf(file.bytes, "out.pdf", { pages: [...pages, ...pages] })).rejects.toThrow(
    /1 of 2 pages/,
  );
  await expect(guardPdf(new Uint8Array(10), "out.pdf", { pages })).rejects.toThrow(/cannot be opened/);
});

/** Counts dark pixels of an area in a PNG of the kind that the script writes: 8-bit RGB without filters. */
function countDark(png: Buffer, area: { left: number; right: number; top: number; bottom: number }): number {
  const width = png.readUInt32BE(16);
  const start = png.indexOf("IDAT");
  const rows = inflateSync(png.subarray(start + 4, start + 4 + png.readUInt32BE(start - 4)));
  let count = 0;
  for (let y = area.top; y < area.bottom; y += 1) {
    for (let x = area.left; x < area.right; x += 1)
      if ((rows[y * (width * 3 + 1) + 1 + x * 3] ?? 255) < 128) count += 1;
  }
  return count;
}

test("draws pages with their fields as images [S-40]", async () => {
  await writeForm("drawn.pdf");
  const answer = await succeed("render", "drawn.pdf", "--dpi", "72", "--out-dir", "images");
  expect(answer).toMatchObject({
    scale: 1,
    images: [{ page: 1, width: 300, height: 300, path: join("images", "page-1.png") }],
  });
  expect(
    countDark(readFileSync(at("images/page-1.png")), { left: 92, right: 200, top: 36, bottom: 48 }),
  ).toBeGreaterThan(20);
  expect(
    countDark(readFileSync(at("images/page-1.png")), { left: 250, right: 290, top: 100, bottom: 290 }),
  ).toBe(0);
  expect(existsSync(at("images/page-2.png"))).toBe(false);
});

test.runIf(hasOracles)("keeps annotations through encryption and decryption [S-40]", async () => {
  await writeForm("locked-source.pdf");
  await succeed("encrypt", "locked-source.pdf", "--password", "x", "--out", "locked.pdf");
  await succeed("decrypt", "locked.pdf", "--password", "x", "--out", "open.pdf");
  expect(checkFile(at("open.pdf"))).toBe("");
  expect(readObjects(at("open.pdf"))).toContain("/FreeText");
});

test("writes text at places of a page, and makes it fit [S-40]", async () => {
  await writeForm("flat.pdf");
  const entries = [
    { page: 1, box: [20, 50, 100, 14], text: "Placed here" },
    { page: 1, box: [20, 30, 60, 14], text: "A long text in a small box" },
  ];
  const answer = await succeed(
    "write",
    "flat.pdf",
    "--texts",
    JSON.stringify(entries),
    "--out",
    "placed.pdf",
  );
  expect(answer).toMatchObject({ entries: 2 });
  const { text } = (await succeed("text", "placed.pdf")) as { text: string };
  expect(text).toContain("Placed here");
  expect(text).toContain("Full name:");
  const wrong = JSON.stringify([{ page: 9, box: [0, 0, 10, 10], text: "x" }]);
  expect((await call("write", "flat.pdf", "--texts", wrong, "--out", "never.pdf")).json).toMatchObject({
    error: { message: expect.stringContaining("no page 9") },
  });
  const tight = JSON.stringify([{ page: 1, box: [0, 0, 10, 10], text: "far too long for this box" }]);
  expect((await call("write", "flat.pdf", "--texts", tight, "--out", "never.pdf")).json).toMatchObject({
    error: { code: "TEXT_TOO_LONG" },
  });
  expect(existsSync(at("never.pdf"))).toBe(false);
});

test.runIf(existsSync(FONT))("embeds a font for other scripts [S-40]", async () => {
  await writeForm("greek.pdf");
  const entries = JSON.stringify([{ page: 1, box: [20, 50, 200, 14], text: "Ελληνικά Ж" }]);
  expect((await call("write", "greek.pdf", "--texts", entries, "--out", "never.pdf")).json).toMatchObject({
    error: { code: "CHARACTERS_NOT_SUPPORTED" },
  });
  await succeed("write", "greek.pdf", "--texts", entries, "--font", FONT, "--out", "embedded.pdf");
  expect(await succeed("text", "embedded.pdf")).toMatchObject({
    text: expect.stringContaining("Ελληνικά Ж"),
  });
});
