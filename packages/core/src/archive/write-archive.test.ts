import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { archiveInMemory } from "./archive-bytes.ts";
import type { ArchiveFile } from "./archive-file.ts";
import { describeTree, readTree, sampleTree } from "./tree.fixture.ts";
import { unpack } from "./unpack.ts";
import { writeArchive } from "./write-archive.ts";

const base = mkdtempSync(join(tmpdir(), "skillhold-write-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const formats = ["zip", "tar.gz"] as const;

async function roundTrip(
  format: "zip" | "tar.gz",
  files: readonly ArchiveFile[],
): Promise<readonly ArchiveFile[]> {
  const unpacked = await unpack(archiveInMemory(await writeArchive(format, files)));
  expect(unpacked.format).toBe(format);
  return readTree(unpacked.tree);
}

describe.each(formats)("a %s", (format) => {
  test("keeps every byte and every exec bit [S-46]", async () => {
    expect(describeTree(await roundTrip(format, sampleTree))).toEqual(describeTree(sampleTree));
  });

  test("keeps any files [S-46]", async () => {
    const name = fc.stringMatching(/^[a-zé語][a-z0-9 é語-]{0,60}[a-z0-9]$/);
    const path = fc
      .tuple(fc.array(name, { maxLength: 5 }), name)
      .map(([folders, file]) => [...folders, `${file}.md`].join("/"));
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 3000 }),
      fc
        .tuple(fc.nat({ max: 255 }), fc.nat({ max: 100_000 }))
        .map(([byte, length]) => new Uint8Array(length).fill(byte)),
    );
    const files = fc.uniqueArray(fc.record({ path, executable: fc.boolean(), content }), {
      minLength: 1,
      maxLength: 8,
      selector: (file) => file.path,
    });
    await fc.assert(
      fc.asyncProperty(files, async (all) => {
        expect(describeTree(await roundTrip(format, all))).toEqual(describeTree(all));
      }),
      { numRuns: 30 },
    );
  });

  test("depends only on the files, not on their order, the time or the time zone [S-46]", async () => {
    const digest = (bytes: Uint8Array) => hash("sha256", bytes);
    const first = digest(await writeArchive(format, sampleTree));
    expect(digest(await writeArchive(format, sampleTree.toReversed()))).toBe(first);
    const zone = process.env["TZ"];
    try {
      for (const other of ["Pacific/Kiritimati", "America/St_Johns"]) {
        process.env["TZ"] = other;
        expect(digest(await writeArchive(format, sampleTree))).toBe(first);
      }
    } finally {
      if (zone === undefined) delete process.env["TZ"];
      else process.env["TZ"] = zone;
    }
  });

  test("can be read back at any compression ratio [S-66]", async () => {
    const files = [
      { path: "SKILL.md", executable: false, content: Buffer.from("x") },
      { path: "zeros.bin", executable: false, content: Buffer.alloc(5_000_000) },
      ...Array.from({ length: 200 }, (_, at) => ({
        path: `blank/${at}.csv`,
        executable: false,
        content: Buffer.alloc(60_000, " "),
      })),
    ];
    expect(await roundTrip(format, files)).toHaveLength(202);
  });

  test("has bare paths that other programs can read [S-46]", async () => {
    const folder = mkdtempSync(join(base, "other-"));
    const path = join(folder, "a.archive");
    writeFileSync(path, await writeArchive(format, sampleTree));
    const script =
      format === "zip"
        ? "import zipfile,sys\nz=zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\nprint('\\n'.join(f'{i.filename} {i.external_attr>>16:o} {i.date_time[0]} {z.read(i).hex()}' for i in z.infolist()))"
        : "import tarfile,sys\nt=tarfile.open(sys.argv[1])\nprint('\\n'.join(f'{i.name} {i.mode|0o100000:o} {i.mtime+1980:.0f} {t.extractfile(i).read().hex()}' for i in t))";
    const output = execFileSync("python3", ["-X", "utf8", "-c", script, path], { encoding: "utf8" });
    const expected = sampleTree.map(
      ({ path: each, executable, content }) =>
        `${each} ${executable ? "100755" : "100644"} 1980 ${Buffer.from(content).toString("hex")}`,
    );
    expect(
      output
        .trimEnd()
        .split("\n")
        .map((line) => line.trimEnd())
        .sort(),
    ).toEqual(expected.map((line) => line.trimEnd()).sort());
  });

  test.each([
    [["../x"]],
    [["./x"]],
    [["a/.DS_Store"]],
    [["/x"]],
    [["a\\b"]],
    [["a", "A"]],
    [["a", "a"]],
    [["a", "a/b"]],
    [[]],
  ])("rejects %j, which could not be read back [S-46]", async (paths) => {
    const files = paths.map((path) => ({ path, executable: false, content: Buffer.from("x") }));
    await expect(writeArchive(format, files)).rejects.toMatchObject({ code: "ARCHIVE_INVALID" });
  });
});

test("a tar.gz does not name the system that wrote it [S-46]", async () => {
  const bytes = Buffer.from(await writeArchive("tar.gz", sampleTree));
  expect(bytes.subarray(0, 10).toString("hex")).toBe("1f8b08000000000000ff");
});
