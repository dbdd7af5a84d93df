import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { program } from "../docx/program.ts";
import { soffice } from "./office-oracle.fixture.ts";
import { callProgram } from "./program.fixture.ts";
import { makeTempFolder } from "./temp-folder.fixture.ts";

const cwd = makeTempFolder(afterAll);
const call = (...argv: string[]) => callProgram(program, argv, { cwd, stdin: "# Title\n\nText.\n" });

test("says that LibreOffice is missing when it is not installed [S-40]", async () => {
  await call("create", "-", "--out", "a.docx");
  vi.stubEnv("PATH", "");
  const { json } = await call("pdf", "a.docx", "--out", "a.pdf");
  expect(json).toMatchObject({ ok: false, error: { code: "LIBREOFFICE_MISSING" } });
});

test("rejects a file that is not an office document before it starts a program [S-40]", async () => {
  const { json } = await call("pdf", "missing.docx", "--out", "a.pdf");
  expect(json).toMatchObject({ ok: false, error: { code: "FILE_NOT_FOUND" } });
});

test.runIf(soffice !== undefined)("saves a document as PDF [S-40]", async () => {
  await call("create", "-", "--out", "b.docx");
  expect((await call("pdf", "b.docx", "--out", "b.pdf")).json).toMatchObject({ ok: true });
  expect(readFileSync(join(cwd, "b.pdf")).subarray(0, 5).toString()).toBe("%PDF-");
});
