import { execFileSync } from "node:child_process";
import { mkdtempSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withLimits } from "@skillhold/protocol/limits";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { forgeZip } from "./forge.fixture.ts";
import { type OpenedArchive, openArchiveFile } from "./open-archive-file.ts";
import { noise } from "./tree.fixture.ts";
import { unpack } from "./unpack.ts";
import { honest } from "./zip-attack.fixture.ts";

const base = mkdtempSync(join(tmpdir(), "skillhold-open-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const opened: OpenedArchive[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

async function open(...[path, options]: Parameters<typeof openArchiveFile>): Promise<OpenedArchive> {
  const archive = await openArchiveFile(path, options);
  opened.push(archive);
  return archive;
}

function fileOf(content: Uint8Array | string): string {
  const path = join(mkdtempSync(join(base, "file-")), "a.zip");
  writeFileSync(path, content);
  return path;
}

async function bytesOf(archive: OpenedArchive, start: number, length: number): Promise<string> {
  const into = Buffer.alloc(length);
  await archive.read(start, into);
  return into.toString();
}

describe("an archive in a file", () => {
  test("reads the requested range [S-42]", async () => {
    const archive = await open(fileOf("0123456789"));
    expect(archive.size).toBe(10);
    expect([await bytesOf(archive, 7, 3), await bytesOf(archive, 0, 10)]).toEqual(["789", "0123456789"]);
  });

  test("reads the opened file after its name was reused [S-42]", async () => {
    const path = fileOf("0123456789");
    const archive = await open(path);
    renameSync(fileOf("other"), path);
    expect(await bytesOf(archive, 0, 10)).toBe("0123456789");
  });

  test("fails on a truncated file [S-42]", async () => {
    const path = fileOf(forgeZip([honest, { name: "b", data: noise(400_000) }]));
    const archive = await open(path);
    truncateSync(path, 200_000);
    await expect(unpack(archive)).rejects.toMatchObject({
      code: "IO_FAILED",
      message: "The archive changed during the read.",
    });
  });

  test("opens a file of exactly the limit and rejects one byte more [S-66]", async () => {
    const path = fileOf("");
    const limits = withLimits({ archiveBytes: 500 * 1024 * 1024 });
    truncateSync(path, limits.archiveBytes);
    expect((await open(path, { limits })).size).toBe(limits.archiveBytes);
    truncateSync(path, limits.archiveBytes + 1);
    await expect(open(path, { limits })).rejects.toMatchObject({
      code: "LIMIT_EXCEEDED",
      details: { limit: "archiveBytes", max: limits.archiveBytes },
    });
  });

  test("does not follow a link [S-42]", async () => {
    const path = fileOf("0123456789");
    symlinkSync(path, `${path}.link`);
    await expect(open(`${path}.link`)).rejects.toMatchObject({ code: "USAGE" });
  });

  test.skipIf(process.platform === "win32")(
    "rejects a folder and a pipe without a writer [S-42]",
    async () => {
      const pipe = join(base, "pipe");
      execFileSync("mkfifo", [pipe]);
      for (const path of [base, pipe]) await expect(open(path)).rejects.toMatchObject({ code: "USAGE" });
    },
  );

  test("uses the caller's label in messages and never the path [S-42]", async () => {
    const path = join(base, "missing");
    const said = async (label?: string) =>
      await open(path, label === undefined ? {} : { label }).catch((error: unknown) => String(error));
    expect(await said("demo.zip")).toContain("demo.zip does not exist.");
    for (const text of [await said(), await said("demo.zip")]) expect(text).not.toContain(base);
  });
});
