import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { PDFDocument } from "@cantoo/pdf-lib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { convertInto, soffice } from "../shared/office-oracle.fixture.ts";
import { callProgram } from "../shared/program.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { checkFile, hasOracles, readPages } from "./oracle.fixture.ts";
import { program } from "./program.ts";

const cwd = makeTempFolder(afterAll);
const call = (argv: readonly string[], stdin = "") => callProgram(program, argv, { cwd, stdin });
const at = (name: string) => join(cwd, name);

beforeAll(async () => {
  const document = await PDFDocument.create({ updateMetadata: false });
  const form = document.getForm();
  const pages = [document.addPage([400, 400]), document.addPage([400, 400])] as const;
  const place = (y: number) => ({ x: 20, y, width: 200, height: 20 });
  form.createTextField("person.name").addToPage(pages[0], place(300));
  const code = form.createTextField("code");
  code.setMaxLength(4);
  code.addToPage(pages[0], place(260));
  form.createCheckBox("agree").addToPage(pages[0], { x: 20, y: 220, width: 20, height: 20 });
  const size = form.createDropdown("size");
  size.addOptions(["small", "large"]);
  size.addToPage(pages[1], place(300));
  const way = form.createRadioGroup("way");
  way.addOptionToPage("post", pages[1], { x: 20, y: 260, width: 20, height: 20 });
  way.addOptionToPage("mail", pages[1], { x: 60, y: 260, width: 20, height: 20 });
  const days = form.createOptionList("days");
  days.addOptions(["mon", "tue", "wed"]);
  days.enableMultiselect();
  days.addToPage(pages[1], { x: 20, y: 180, width: 100, height: 60 });
  writeFileSync(at("form.pdf"), await document.save());
});

const values = {
  "person.name": "Ada Lovelace",
  code: "1815",
  agree: true,
  size: "large",
  way: "mail",
  days: ["mon", "wed"],
};

test("lists fields with type, value, options and page [S-40]", async () => {
  const { json } = await call(["fields", "form.pdf"]);
  expect(json).toMatchObject({
    total: 6,
    fields: [
      { name: "person.name", type: "text", value: "", pages: [1] },
      { name: "code", type: "text", maxLength: 4 },
      { name: "agree", type: "checkbox", value: false },
      { name: "size", type: "dropdown", options: ["small", "large"], pages: [2] },
      { name: "way", type: "radio", options: ["post", "mail"], pages: [2] },
      { name: "days", type: "list", options: ["mon", "tue", "wed"] },
    ],
  });
  expect(await call(["fields", "form.pdf", "--match", "PERSON"])).toMatchObject({ json: { total: 1 } });
});

test("fills every kind of field, from the argument, a file or standard input [S-40]", async () => {
  writeFileSync(at("values.json"), JSON.stringify(values));
  for (const data of [JSON.stringify(values), "values.json", "-"]) {
    const filled = await call(
      ["fill", "form.pdf", "--data", data, "--out", "filled.pdf"],
      JSON.stringify(values),
    );
    expect(filled).toMatchObject({ code: 0, json: { filled: Object.keys(values), warnings: [] } });
    const read = await PDFDocument.load(readFileSync(at("filled.pdf")));
    expect(read.getForm().getTextField("person.name").getText()).toBe("Ada Lovelace");
    expect(read.getForm().getOptionList("days").getSelected()).toEqual(["mon", "wed"]);
  }
  const { json } = await call(["fields", "filled.pdf"]);
  expect(json).toMatchObject({
    fields: [
      { value: "Ada Lovelace" },
      { value: "1815" },
      { value: true },
      { value: ["large"] },
      { value: "mail" },
      {},
    ],
  });
});

describe.runIf(hasOracles)("as others read them", () => {
  test("draws filled values, and keeps flattened ones without a field [S-40]", async () => {
    await call(["fill", "form.pdf", "--data", JSON.stringify(values), "--out", "filled.pdf"]);
    await call(["fill", "form.pdf", "--data", JSON.stringify(values), "--flatten", "--out", "flat.pdf"]);
    for (const name of ["filled.pdf", "flat.pdf"]) {
      expect(checkFile(at(name))).toBe("");
      expect(readPages(at(name)).join("\n")).toMatch(/Ada Lovelace[\s\S]*1815[\s\S]*large/);
    }
    expect(await call(["fields", "flat.pdf"])).toMatchObject({ json: { total: 0 } });
  });

  test("the form survives merging, extracting, rotating and encrypting [S-40]", async () => {
    await call(["fill", "form.pdf", "--data", JSON.stringify(values), "--out", "filled.pdf"]);
    const merged = await call(["merge", "filled.pdf", "form.pdf", "--out", "merged.pdf"]);
    expect(merged).toMatchObject({
      json: { renamedFields: expect.arrayContaining([{ from: "code", to: "code_2" }]) },
    });
    expect(checkFile(at("merged.pdf"))).toBe("");
    expect(await call(["fields", "merged.pdf"])).toMatchObject({ json: { total: 12 } });
    // Fields of the copies can be filled, each for itself.
    const both = JSON.stringify({ code: "1", code_2: "2", "person_2.name": "Charles" });
    expect(await call(["fill", "merged.pdf", "--data", both, "--out", "both.pdf"])).toMatchObject({
      code: 0,
    });
    expect(readPages(at("both.pdf"))[2]).toContain("Charles");

    await call(["extract", "both.pdf", "--pages", "3", "--out", "third.pdf"]);
    const { json } = await call(["fields", "third.pdf"]);
    expect(json).toMatchObject({
      total: 3,
      fields: [{ name: "person_2.name", value: "Charles", pages: [1] }, { name: "code_2", value: "2" }, {}],
    });
    expect(checkFile(at("third.pdf"))).toBe("");

    await call(["encrypt", "filled.pdf", "--password", "pw", "--out", "locked.pdf"]);
    await call(["decrypt", "locked.pdf", "--password", "pw", "--out", "open.pdf"]);
    await call(["rotate", "open.pdf", "--by", "90", "--in-place"]);
    expect(await call(["fields", "open.pdf", "--match", "name"])).toMatchObject({
      json: { fields: [{ value: "Ada Lovelace" }] },
    });
  });
});

test.each([
  [{ nobody: "x" }, "UNKNOWN_FIELD", /Fields: person\.name, code/],
  [{ code: "12345" }, "WRONG_VALUE", /at most 4 characters/],
  [{ agree: "yes" }, "WRONG_VALUE", /true or false/],
  [{ size: "huge" }, "WRONG_VALUE", /one of: \\"small\\", \\"large\\"/],
  [{ way: 3 }, "WRONG_VALUE", /one of/],
  [{ size: ["small", "large"] }, "WRONG_VALUE", /one option/],
  [{ "person.name": { a: 1 } }, "WRONG_VALUE", /takes text/],
])("rejects %j, names the valid input, and writes no file [S-40]", async (data, code, message) => {
  const out = ["--out", "never.pdf"];
  const { json, stderr } = await call(["fill", "form.pdf", "--data", JSON.stringify({ ...data }), ...out]);
  expect(json).toMatchObject({ error: { code } });
  expect(stderr).toMatch(message);
  expect(await call(["info", "never.pdf"])).toMatchObject({ json: { error: { code: "FILE_NOT_FOUND" } } });
});

test("keeps a value in another script for viewers to draw, and flattens it with a matching font [S-40]", async () => {
  const data = JSON.stringify({ "person.name": "Жанна" });
  const kept = await call(["fill", "form.pdf", "--data", data, "--out", "kept.pdf"]);
  expect(kept).toMatchObject({ code: 0, json: { warnings: [expect.stringContaining("Ж")] } });
  expect(await call(["fields", "kept.pdf", "--match", "name"])).toMatchObject({
    json: { fields: [{ value: "Жанна" }] },
  });
  const flat = await call(["fill", "form.pdf", "--data", data, "--flatten", "--out", "flat2.pdf"]);
  expect(flat).toMatchObject({ code: 1, json: { error: { code: "CHARACTERS_NOT_SUPPORTED" } } });
  const font = join(
    dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json")),
    "standard_fonts/LiberationSans-Regular.ttf",
  );
  const embedded = ["fill", "form.pdf", "--data", data, "--font", font, "--flatten", "--out", "embedded.pdf"];
  expect(await call(embedded)).toMatchObject({ code: 0, json: { warnings: [] } });
  expect(await call(["text", "embedded.pdf"])).toMatchObject({
    json: { text: expect.stringContaining("Жанна") },
  });
});

// LibreOffice is 330 MB: it is used where it is there, and the same commands are proven above without it.
test.skipIf(soffice === undefined || !hasOracles)("fills a form of LibreOffice [S-40]", async () => {
  writeFileSync(
    at("office.html"),
    '<form><p>Name <input type="text" name="name" value="old"></p><p><input type="checkbox" name="agree"> yes</p>' +
      '<p><select name="size"><option>small<option>large</select></p></form>',
  );
  convertInto(cwd, join(cwd, "office.html"), "pdf:writer_web_pdf_Export");
  expect(await call(["fields", "office.pdf"])).toMatchObject({
    json: {
      fields: [
        { name: "name", value: "old" },
        { name: "agree" },
        { name: "size", options: ["small", "large"] },
      ],
    },
  });
  const data = JSON.stringify({ name: "Grace Hopper", agree: true, size: "large" });
  await call(["fill", "office.pdf", "--data", data, "--out", "office-filled.pdf"]);
  expect(checkFile(at("office-filled.pdf"))).toBe("");
  expect(readPages(at("office-filled.pdf")).join("\n")).toContain("Grace Hopper");
});

// Debian installs this font with LibreOffice.
const dejavu = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";

test.runIf(existsSync(dejavu))(
  "leaves values with both directions to viewers (needs DejaVu Sans) [S-40]",
  async () => {
    const fill = (text: string, ...more: string[]) =>
      call([
        "fill",
        "form.pdf",
        "--data",
        JSON.stringify({ "person.name": text }),
        "--font",
        dejavu,
        ...more,
      ]);
    const mixed = await fill("שלום Ada", "--out", "mixed.pdf");
    expect(mixed).toMatchObject({
      code: 0,
      json: { warnings: [expect.stringContaining("both directions")] },
    });
    expect((await call(["fields", "mixed.pdf"])).stdout).toContain("שלום Ada");
    expect(await fill("שלום Ada", "--flatten", "--out", "never.pdf")).toMatchObject({
      json: { error: { code: "CANNOT_FLATTEN" } },
    });
    expect(await fill("שלום", "--flatten", "--out", "one.pdf")).toMatchObject({
      code: 0,
      json: { warnings: [] },
    });
    expect((await call(["text", "one.pdf"])).stdout).toContain("שלום");
  },
);
