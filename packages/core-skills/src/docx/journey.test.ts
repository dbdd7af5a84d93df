import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { inspectPackage } from "../shared/office-oracle.fixture.ts";
import { openSandbox } from "../shared/sandbox.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { makeDocx, paragraph } from "./word.fixture.ts";

// A sandbox takes seconds to start, and more on a busy machine.
vi.setConfig({ testTimeout: 120_000 });
const cwd = makeTempFolder(afterAll);

test.skipIf(process.platform !== "linux")(
  "fills a template in the sandbox, from a mounted folder to a kept one [S-40]",
  async () => {
    const sandbox = await openSandbox("docx", cwd);
    mkdirSync(join(cwd, "in"));
    writeFileSync(join(cwd, "in/letter.docx"), makeDocx(paragraph("Dear {{name}}")));
    const argv = ["fill", "/mnt/in/letter.docx", "--data", '{"name": "Ada"}', "--out", "ada.docx"];
    const { code, stdout, stderr } = sandbox.run(["--mount", "./in", "--out", "out"], argv);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, written: { path: "ada.docx" } });
    expect(inspectPackage(join(cwd, "out/ada.docx"))).toEqual({
      problems: [],
      texts: { "word/document.xml": "Dear Ada" },
    });
    const refused = sandbox.run(
      ["--mount", "./in"],
      ["metadata", "/mnt/in/letter.docx", "--title", "x", "--in-place"],
    );
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("WRITE_FAILED") });
  },
);
