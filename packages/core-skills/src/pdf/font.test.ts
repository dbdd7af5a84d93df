import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { callProgram } from "../shared/program.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { checkFile, hasOracles } from "./oracle.fixture.ts";
import { program } from "./program.ts";

const cwd = makeTempFolder(afterAll);
const call = (argv: readonly string[], stdin = "") => callProgram(program, argv, { cwd, stdin });

/** Fonts with Greek and Cyrillic that come with the reader of PDF files. */
const fonts = join(
  dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json")),
  "standard_fonts",
);
const regular = join(fonts, "LiberationSans-Regular.ttf");
const bold = join(fonts, "LiberationSans-Bold.ttf");

const markdown =
  "# Отчёт\n\nΕλληνικά και **Жирный** текст, `код`.\n\n| Имя | Цена |\n|---|--:|\n| Ручка | 12 |\n";

test("creates a document in another script with an embedded font [S-40]", async () => {
  const argv = ["create", "-", "--font", regular, "--bold-font", bold, "--page-numbers"];
  expect(await call([...argv, "--out", "report.pdf"], markdown)).toMatchObject({
    code: 0,
    json: { replaced: [] },
  });
  const { json } = await call(["text", "report.pdf"]);
  for (const text of ["Отчёт", "Ελληνικά και Жирный текст, код.", "Ручка"])
    expect(json).toMatchObject({ text: expect.stringContaining(text) });
  if (hasOracles) expect(checkFile(join(cwd, "report.pdf"))).toBe("");
  await call([...argv, "--out", "again.pdf"], markdown);
  expect(readFileSync(join(cwd, "again.pdf")).equals(readFileSync(join(cwd, "report.pdf")))).toBe(true);
});

test("names characters that the embedded font lacks [S-40]", async () => {
  const failed = await call(["create", "-", "--font", regular, "--out", "never.pdf"], "Привет 你\n");
  expect(failed).toMatchObject({ code: 1, json: { error: { code: "CHARACTERS_NOT_SUPPORTED" } } });
  expect(failed.stderr).toContain("你");
  expect(failed.stderr).not.toContain("П (");
});

// Debian installs this font with LibreOffice.
const hebrew = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";

const rightToLeft = [
  "שלום עולם (Hello)",
  "המספר 123 ו-45% (סוגריים).",
  "هذا نص عربي مع كلمات English والرقم 2026.",
  "English with עברית inside and العربية too (ok).",
];

/** Brackets are drawn mirrored, and readers differ in turning them back. */
const withoutBrackets = (text: string) => text.replace(/[()]/g, "");

async function readPlain(name: string): Promise<string> {
  const { json } = await call(["text", name]);
  return withoutBrackets((json as { text: string }).text);
}

test.runIf(existsSync(hebrew))(
  "sets right-to-left text in its order (needs DejaVu Sans) [S-40]",
  async () => {
    const list = "1. פריט ראשון\n2. פריט שני";
    const create = ["create", "-", "--font", hebrew, "--out", "hebrew.pdf"];
    const created = await call(create, `${rightToLeft.join("\n\n")}\n\n${list}\n`);
    expect(created.code).toBe(0);
    expect(created.json).not.toHaveProperty("warnings");
    const text = await readPlain("hebrew.pdf");
    for (const line of [...rightToLeft, "פריט ראשון"]) expect(text).toContain(withoutBrackets(line));
    if (hasOracles) expect(checkFile(join(cwd, "hebrew.pdf"))).toBe("");
  },
);

test.runIf(existsSync(hebrew))("writes right-to-left text on pages (needs DejaVu Sans) [S-40]", async () => {
  await call(["create", "-", "--out", "page.pdf"], "Page");
  const [text = ""] = rightToLeft;
  const texts = JSON.stringify([{ page: 1, box: [50, 50, 400, 20], text }]);
  const font = ["--font", hebrew];
  for (const [out, ...argv] of [
    ["marked.pdf", "watermark", "page.pdf", "--text", text, "--angle", "0"],
    ["written.pdf", "write", "page.pdf", "--texts", texts],
  ]) {
    expect(await call([...argv, ...font, "--out", out ?? ""])).toMatchObject({
      code: 0,
      json: { warnings: [] },
    });
    expect(await readPlain(out ?? "")).toContain(withoutBrackets(text));
  }
});

test("stamps a watermark in another script [S-40]", async () => {
  await call(["create", "-", "--out", "plain.pdf"], "Plain");
  const stamp = ["watermark", "plain.pdf", "--text", "ЧЕРНОВИК", "--out", "draft.pdf"];
  expect(await call(stamp)).toMatchObject({ json: { error: { code: "CHARACTERS_NOT_SUPPORTED" } } });
  expect(await call([...stamp, "--font", regular])).toMatchObject({ code: 0 });
  const { json } = await call(["text", "draft.pdf"]);
  expect(json).toMatchObject({ text: expect.stringContaining("ЧЕРНОВИК") });
});

test.each([
  ["no font", "BAD_FONT"],
  ["", "FILE_EMPTY"],
])("rejects a font file with the text %j [S-40]", async (content, code) => {
  writeFileSync(join(cwd, "bad.ttf"), content);
  expect(await call(["create", "-", "--font", "bad.ttf", "--out", "never.pdf"], "x")).toMatchObject({
    json: { error: { code } },
  });
  expect(await call(["info", "never.pdf"])).toMatchObject({ json: { error: { code: "FILE_NOT_FOUND" } } });
});

test("rejects a bold font without a regular one [S-40]", async () => {
  expect(await call(["create", "-", "--bold-font", bold, "--out", "never.pdf"], "x")).toMatchObject({
    code: 2,
  });
});
