import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { writeAssets } from "../../asset.ts";
import { callProgram } from "../shared/program.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { program } from "./program.ts";

const cwd = makeTempFolder(afterAll);
const call = (argv: readonly string[], stdin = "") => callProgram(program, argv, { cwd, stdin });
const hasTesseract = existsSync("/usr/bin/tesseract") || existsSync("/usr/local/bin/tesseract");

beforeAll(async () => {
  writeAssets("pdf", join(import.meta.dirname, "../../../../skills/pdf/scripts/lib"));
  await call(["create", "-", "--out", "text.pdf"], "# Invoice 4711\n\nPlease pay within thirty days.");
  await call(["render", "text.pdf", "--dpi", "200", "--out-dir", "pages"]);
  await call(["create", "-", "--out", "scan.pdf"], "![scan](pages/page-1.png)\n\n\\newpage\n\nTyped text");
});

afterEach(() => vi.unstubAllEnvs());

test.runIf(hasTesseract)("reads the text of a scanned page (needs Tesseract) [S-40]", async () => {
  expect(await call(["text", "scan.pdf"])).toMatchObject({ json: { emptyPages: "1" } });
  const { json } = await call(["text", "scan.pdf", "--ocr", "eng"]);
  expect(json).toMatchObject({
    emptyPages: "",
    ocrPages: "1",
    text: expect.stringContaining("Invoice 4711"),
  });
  expect(json).toMatchObject({ text: expect.stringContaining("Typed text") });
});

test.runIf(hasTesseract)("names a language that is not installed (needs Tesseract) [S-40]", async () => {
  expect(await call(["text", "scan.pdf", "--ocr", "xxx"])).toMatchObject({
    code: 1,
    json: { error: { code: "OCR_FAILED" } },
  });
});

test("says when Tesseract is missing [S-40]", async () => {
  vi.stubEnv("PATH", cwd);
  expect(await call(["text", "scan.pdf", "--ocr", "eng"])).toMatchObject({
    code: 1,
    json: { error: { code: "TESSERACT_MISSING" } },
  });
});

test.each(["", "-l", "../eng", "eng;ls", "eng+"])("rejects the language %j [S-40]", async (languages) => {
  expect(await call(["text", "scan.pdf", `--ocr=${languages}`])).toMatchObject({ code: 2 });
});
