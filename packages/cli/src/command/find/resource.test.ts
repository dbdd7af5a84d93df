import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeHost, runJson, runMain, skillText, writeFile } from "../../fake-host.ts";
import { main } from "../../main.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-resource-"));
  writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "x"));
  writeFile(root, "skills/pdf/references/forms.md", "Grüße, forms\n");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("resource", () => {
  test("prints a file unchanged [S-26] [S-60]", async () => {
    expect(await runMain(["resource", "pdf", "references/forms.md"], root)).toEqual({
      code: 0,
      out: "Grüße, forms\n",
      err: "",
    });
  });

  test("prints a range in whole characters [S-26]", async () => {
    const argv = ["resource", "pdf", "references/forms.md", "--start", "1", "--length"];
    expect((await runMain([...argv, "6"], root)).out).toBe("rüße");
    expect((await runMain([...argv, "2"], root)).out).toBe("r");
    const { data } = await runJson([...argv, "6"], root);
    expect(data).toMatchObject({ content: "rüße", start: 1, length: 6, hasMore: true, encoding: "utf-8" });
  });

  test("prints binary and large files unchanged [S-26]", async () => {
    const bytes = Buffer.alloc(
      2_500_001,
      Uint8Array.from({ length: 251 }, (_, index) => index),
    );
    writeFile(root, "skills/pdf/assets/logo.bin", bytes);
    const { host, bytes: written } = fakeHost(root);
    expect(await main(["resource", "pdf", "assets/logo.bin"], host)).toBe(0);
    expect(written().equals(bytes)).toBe(true);
  });

  test("rejects binary files on a terminal with a hint [S-26] [S-60]", async () => {
    writeFile(root, "skills/pdf/assets/logo.bin", Buffer.from([0, 27, 255]));
    const { code, out, err } = await runMain(["resource", "pdf", "assets/logo.bin"], root, { columns: 80 });
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("> file");
    const { data } = await runJson(["resource", "pdf", "assets/logo.bin"], root, { columns: 80 });
    expect(data).toMatchObject({ encoding: "base64", content: "ABv/", size: 3 });
  });

  test.each([
    ["../../secret", 7, "RESOURCE_OUTSIDE_SKILL"],
    ["/etc/passwd", 7, "RESOURCE_OUTSIDE_SKILL"],
    ["link.md", 5, "PATH_NOT_FOUND"],
    ["references/form.md", 5, "PATH_NOT_FOUND"],
  ])("rejects %s with exit code %i [S-26]", async (path, exit, code) => {
    writeFile(root, "secret", "secret");
    symlinkSync(join(root, "secret"), join(root, "skills/pdf/link.md"));
    expect(await runJson(["resource", "pdf", path], root)).toMatchObject({ code: exit, error: { code } });
  });

  test("suggests a correction for a misspelled path [S-60]", async () => {
    const { err } = await runMain(["resource", "pdf", "references/form.md"], root);
    expect(err).toContain("Did you mean references/forms.md?");
  });
});
