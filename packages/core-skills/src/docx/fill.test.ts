import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

const BODY = [
  paragraph("Dear ", ["<w:b/>", "{{cust"], ["<w:b/>", "omer.name}}"], ","),
  paragraph("{{#vip}}", "Thank you for ten years.", "{{/vip}}"),
  `<w:tbl><w:tr><w:tc>${paragraph("Item")}</w:tc><w:tc>${paragraph("Price")}</w:tc></w:tr>`,
  `<w:tr><w:tc>${paragraph("{{#items}}{{product}}")}</w:tc><w:tc>${paragraph(["<w:i/>", "{{price}}"], "{{/items}}")}</w:tc></w:tr></w:tbl>`,
  paragraph("{{logo}}"),
  paragraph("{{site}}"),
].join("");
writeFileSync(at("template.docx"), makeDocx(BODY, { footer: paragraph("{{company}}") }));
writeFileSync(at("logo.png"), tinyPng);

const DATA = {
  customer: { name: "Ada & <Co>" },
  vip: true,
  items: [
    { product: "Tea", price: 3 },
    { product: "Milk", price: 4.5 },
  ],
  logo: { image: "logo.png", width: 40 },
  site: { link: "https://example.com", text: "our site" },
  company: "Globex",
};
const fill = (data: unknown, out: string, ...options: string[]) =>
  call("fill", "template.docx", "--data", JSON.stringify(data), "--out", out, ...options);

test("lists the tags of a template, including those that span runs [S-40]", async () => {
  const { json } = await call("tags", "template.docx");
  expect((json as { tags: { name: string }[] }).tags.map(({ name }) => name)).toEqual([
    ...["customer.name", "vip", "items", "product", "price", "logo", "site", "company"],
  ]);
});

test("fills values, rows, conditions, images and links, and keeps styles [S-40]", async () => {
  expect(await fill(DATA, "filled.docx")).toMatchObject({ code: 0, json: { missing: [], unused: [] } });
  const { value: html } = await mammoth.convertToHtml({ path: at("filled.docx") });
  expect(html).toContain("Dear <strong>Ada &amp; &lt;Co&gt;</strong>,");
  expect(html).toContain("Thank you for ten years.");
  expect(html).toMatch(/Tea<\/p><\/td><td><p><em>3<\/em>[\s\S]*Milk<\/p><\/td><td><p><em>4\.5<\/em>/);
  expect(html).toContain('<a href="https://example.com">our site</a>');
  expect(html).toContain("<img");
  const { problems, texts } = inspectPackage(at("filled.docx"));
  expect(problems).toEqual([]);
  expect(texts["word/footer.xml"]).toBe("Globex");
});

test.skipIf(soffice === undefined)(
  "LibreOffice shows a filled template (needs LibreOffice) [S-40]",
  async () => {
    await fill({ ...DATA, vip: false }, "shown.docx");
    const [page = ""] = pageTexts(at("shown.docx"));
    expect(page).toMatch(/Dear Ada & <Co>,[\s\S]*Tea +3\s+Milk +4\.5/);
    expect(page).not.toContain("Thank you");
  },
);

test("the same values give the same bytes [S-40]", async () => {
  await fill(DATA, "one.docx");
  await fill(DATA, "two.docx");
  expect(readFileSync(at("one.docx")).equals(readFileSync(at("two.docx")))).toBe(true);
});

test("names missing and unused values [S-40]", async () => {
  const { company: _, ...less } = DATA;
  const failed = await fill({ ...less, compny: "typo" }, "missing.docx");
  expect(failed).toMatchObject({ code: 1, json: { error: { code: "MISSING_VALUES" } } });
  expect(failed.stderr).toContain("no value for: company.");
  const allowed = await fill({ ...less, compny: "typo" }, "missing.docx", "--allow-missing");
  expect(allowed.json).toMatchObject({ ok: true, missing: ["company"], unused: ["compny"] });
});

test("rejects names of a value's prototype and raw XML as values [S-40]", async () => {
  writeFileSync(at("proto.docx"), makeDocx(paragraph("{{constructor}} {{__proto__}}")));
  const failed = await call("fill", "proto.docx", "--data", "{}", "--out", "x.docx");
  expect(failed.stderr).toContain("no value for: constructor, __proto__.");
  writeFileSync(at("raw.docx"), makeDocx(paragraph("{{a}}")));
  const raw = await call(
    "fill",
    "raw.docx",
    "--data",
    '{"a": {"_type": "rawXml", "xml": "<w:x/>"}}',
    "--out",
    "x.docx",
  );
  expect(raw.code).not.toBe(0);
});

test("rejects a template with unclosed tags [S-40]", async () => {
  writeFileSync(at("open.docx"), makeDocx(paragraph("{{#items}} never closed")));
  const { code, json } = await call("fill", "open.docx", "--data", '{"items": []}', "--out", "x.docx");
  expect({ code, json }).toMatchObject({ code: 3, json: { error: { code: "BROKEN_TEMPLATE" } } });
});
