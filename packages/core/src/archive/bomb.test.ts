import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync, gzipSync } from "node:zlib";
import { defaultLimits, withLimits } from "@skillhold/protocol/limits";
import { afterAll, describe, expect, test } from "vitest";
import { forgeTar, forgeZip, zeros } from "./forge.fixture.ts";
import { noise } from "./tree.fixture.ts";
import { honest } from "./zip-attack.fixture.ts";

const base = mkdtempSync(join(tmpdir(), "skillhold-unpack-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const MEGABYTE = 1024 * 1024;

/** Reads all files of an archive in a child process. Returns the error code and the growth of its memory in megabytes. */
function meet(archive: Buffer, limits = defaultLimits): { readonly code: string; readonly grown: number } {
  const folder = mkdtempSync(join(base, "bomb-"));
  writeFileSync(join(folder, "bomb"), archive);
  writeFileSync(join(folder, "honest"), forgeZip([honest]));
  const script = `
    import { checkArchive, openArchiveFile } from ${JSON.stringify(fileURLToPath(new URL("./index.ts", import.meta.url)))};
    const limits = ${JSON.stringify(limits)};
    async function meet(name) {
      const archive = await openArchiveFile(${JSON.stringify(`${folder}/`)} + name, { limits });
      try {
        for await (const _ of (await checkArchive(archive, { limits })).read());
      } finally {
        await archive.close();
      }
    }
    await meet("honest");
    const before = process.resourceUsage().maxRSS;
    const code = await meet("bomb").then(() => "none", (error) => error.code);
    process.stdout.write(JSON.stringify({ code, kilobytes: process.resourceUsage().maxRSS - before }));
  `;
  const flags = ["--conditions=@skillhold/source", "--input-type=module", "-e", script];
  const { code, kilobytes } = JSON.parse(execFileSync(process.execPath, flags, { encoding: "utf8" }));
  return { code, grown: kilobytes / 1024 };
}

describe("memory use on archive bombs", () => {
  const grown = (archive: Buffer): number => {
    const met = meet(archive);
    expect(met.code).toMatch(/^(?:LIMIT_EXCEEDED|ARCHIVE_INVALID)$/);
    return met.grown;
  };
  const gigabytes = zeros(2048);

  test("does not inflate a 2 GB ZIP that claims to be small [S-66]", () => {
    expect(
      grown(forgeZip([honest, { name: "z", method: 8, data: "", packed: gigabytes, size: 10 }])),
    ).toBeLessThan(32);
  });

  test("does not inflate a 2 GB ZIP whose entries overlap [S-66]", () => {
    const packed = zeros(10);
    const one = { method: 8, data: "", packed, size: 10 * 1024 * 1024 };
    const archive = forgeZip([
      { name: "0", ...one },
      ...Array.from({ length: 200 }, (_, at) => ({ name: `${at + 1}`, ...one, sameAs: 0 })),
    ]);
    expect(archive.length).toBeLessThan(40_000);
    expect(grown(archive)).toBeLessThan(32);
  });

  test("does not inflate a 2 GB gzip file beyond the limit [S-66]", () => {
    const archive = Buffer.concat([Buffer.from("1f8b0800000000000003", "hex"), gigabytes, Buffer.alloc(8)]);
    expect(grown(archive)).toBeLessThan(256);
  });
});

describe("memory use on a large archive", () => {
  const limits = withLimits({ archiveBytes: 500 * MEGABYTE, unpackedBytes: 500 * MEGABYTE });
  const data = noise(30 * MEGABYTE);

  test.each([
    ["a ZIP of files as they are", () => forgeZip(large(0))],
    ["a ZIP of deflated files", () => forgeZip(large(8))],
    ["a tar", () => forgeTar(large(0))],
    ["a tar.gz", () => gzipSync(forgeTar(large(0)), { level: 0 })],
  ])("grows by less than half of %s [S-66]", (_, make) => {
    const archive = make();
    const { code, grown } = meet(archive, limits);
    expect(code).toBe("none");
    expect(archive.length).toBeGreaterThan(110 * MEGABYTE);
    expect(grown).toBeLessThan(55);
  });

  function large(method: number) {
    const packed = method === 8 ? deflateRawSync(data, { level: 0 }) : data;
    return ["a", "b", "c", "d"].map((name) => ({ name, method, data, packed }));
  }
});
