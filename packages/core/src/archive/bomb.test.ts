import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { forgeZip, zeros } from "./forge.fixture.ts";
import { honest } from "./zip-attack.fixture.ts";

const base = mkdtempSync(join(tmpdir(), "skillhold-unpack-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe("the memory of a process that meets a bomb", () => {
  const grown = (archive: Buffer): number => {
    const path = join(mkdtempSync(join(base, "bomb-")), "bomb");
    writeFileSync(path, archive);
    const script = `
      import { mkdtempSync, readFileSync } from "node:fs";
      import { unpack } from ${JSON.stringify(fileURLToPath(new URL("./unpack.ts", import.meta.url)))};
      const target = () => mkdtempSync(${JSON.stringify(join(base, "child-"))});
      await unpack(Buffer.from(${JSON.stringify(forgeZip([honest]).toString("base64"))}, "base64"), target());
      const archive = readFileSync(${JSON.stringify(path)});
      const before = process.resourceUsage().maxRSS;
      const code = await unpack(archive, target()).then(() => "none", (error) => error.code);
      process.stdout.write(JSON.stringify({ code, kilobytes: process.resourceUsage().maxRSS - before }));
    `;
    const output = execFileSync(process.execPath, [
      "--conditions=@skillhold/source",
      "--input-type=module",
      "-e",
      script,
    ]);
    const { code, kilobytes } = JSON.parse(output.toString());
    expect(code).toMatch(/^(?:LIMIT_EXCEEDED|ARCHIVE_INVALID)$/);
    return kilobytes / 1024;
  };
  const gigabytes = zeros(2048);

  test("a ZIP of two gigabytes that says it is small is not inflated [S-66]", () => {
    expect(
      grown(forgeZip([honest, { name: "z", method: 8, data: "", packed: gigabytes, size: 10 }])),
    ).toBeLessThan(32);
  });

  test("a ZIP whose entries are one another, two gigabytes of them, is not inflated [S-66]", () => {
    const packed = zeros(10);
    const one = { method: 8, data: "", packed, size: 10 * 1024 * 1024 };
    const archive = forgeZip([
      { name: "0", ...one },
      ...Array.from({ length: 200 }, (_, at) => ({ name: `${at + 1}`, ...one, sameAs: 0 })),
    ]);
    expect(archive.length).toBeLessThan(40_000);
    expect(grown(archive)).toBeLessThan(32);
  });

  test("gzip of two gigabytes is not inflated beyond the limit [S-66]", () => {
    const archive = Buffer.concat([Buffer.from("1f8b0800000000000003", "hex"), gigabytes, Buffer.alloc(8)]);
    expect(grown(archive)).toBeLessThan(200);
  });
});
