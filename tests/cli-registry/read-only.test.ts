import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runJson, runMain, skillText, writeFile } from "@skillhold/cli/test/fake-host";
import { removeStores } from "@skillhold/cli/test/registry.fixture";
import { asNobody } from "@skillhold/store/test/local/as-nobody.fixture";
import { afterEach, beforeEach, expect, test } from "vitest";

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "skillhold-read-only-"));
});
afterEach(() => removeStores(base));

const env = () => ({
  XDG_DATA_HOME: join(base, "data"),
  SKILLHOLD_USER: "ann",
  PATH: process.env["PATH"],
});
const text = (...argv: readonly string[]) => runMain(argv, base, { env: env() });
const json = (...argv: readonly string[]) => runJson(argv, base, { env: env() });

test("a read-only store can be read, and changes fail with a reason [S-60] [S-64]", async () => {
  writeFile(base, "pdf/SKILL.md", skillText("pdf", "Reads PDF files.", "One.\n"));
  await text("publish", "pdf");
  await text("list", "--no-store");
  execFileSync("chmod", ["-R", "a-w", base]);
  await asNobody(base, async () => {
    expect((await json("list", "--source", "registry")).data.skills).toMatchObject([{ id: "pdf" }]);
    expect((await text("versions", "pdf", "1", "--file", "SKILL.md")).out).toContain("One.\n");
    expect((await json("versions", "pdf")).data.versions).toHaveLength(1);
    expect((await json("fsck")).data.isClean).toBe(true);
    // Reading a skill is recorded first.
    expect((await json("read", "pdf", "--source", "registry")).error).toMatchObject({
      code: "IO_FAILED",
      message: expect.stringContaining("registry.db cannot be opened"),
    });
    expect(await json("delete", "pdf")).toMatchObject({
      error: { code: "STORE_FAILED", hint: expect.stringContaining("read-only") },
    });
  });
});
