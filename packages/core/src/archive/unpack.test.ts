import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { SkillError } from "@skillhold/protocol/error";
import { withLimits } from "@skillhold/protocol/limits";
import { afterAll, describe, expect, test } from "vitest";
import { archiveInMemory } from "./archive-bytes.ts";
import { forgeTar, forgeZip } from "./forge.fixture.ts";
import { noise } from "./tree.fixture.ts";
import { type UnpackedArchive, unpack } from "./unpack.ts";
import { honest } from "./zip-attack.fixture.ts";

const base = mkdtempSync(join(tmpdir(), "skillhold-unpack-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

async function unpackTo(archive: Uint8Array): Promise<UnpackedArchive & { readonly folder: string }> {
  const folder = mkdtempSync(join(base, "target-"));
  return { ...(await unpack(archiveInMemory(archive), folder)), folder };
}

async function pathsOf(archive: Uint8Array): Promise<readonly string[]> {
  return (await unpackTo(archive)).files.map(({ path }) => path);
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "none",
    (error: unknown) => (error instanceof SkillError ? error.code : `not a SkillError: ${error}`),
  );
}

describe("unpacks unusual but harmless archives", () => {
  test("names with a meaning on other systems [S-42]", async () => {
    const names = [
      "demo/%2e%2e/%2e%2e/x",
      "__proto__",
      "demo/constructor",
      "demo/__proto__/x",
      "demo/...x",
      "-rf",
    ];
    expect(await pathsOf(forgeZip(names.map((name) => ({ name }))))).toEqual(names);
  });

  test("reduces modes to those of files and programs [S-42]", async () => {
    const modes = { su: 0o104755, sticky: 0o101644, none: 0o100000, all: 0o100777, group: 0o100070 };
    const { folder, files } = await unpackTo(
      forgeZip(Object.entries(modes).map(([name, mode]) => ({ name, mode }))),
    );
    const found = files.map(({ path, executable }) => [
      path,
      statSync(join(folder, path)).mode & 0o7777,
      executable,
    ]);
    expect(found).toEqual([
      ["su", 0o755, true],
      ["sticky", 0o644, false],
      ["none", 0o644, false],
      ["all", 0o755, true],
      ["group", 0o644, false],
    ]);
  });

  test("keeps a nested archive as a file [S-42]", async () => {
    const inner = forgeZip([{ name: "../ESCAPE" }]);
    const { folder } = await unpackTo(forgeZip([honest, { name: "demo/in.zip", data: inner }]));
    expect(readFileSync(join(folder, "demo/in.zip"))).toEqual(inner);
  });

  test("drops and lists macOS metadata files [S-42]", async () => {
    const leftovers = ["__MACOSX/demo/._SKILL.md", "demo/.DS_Store", "demo/._x"];
    const { folder, files, dropped } = await unpackTo(
      forgeZip([honest, ...leftovers.map((name) => ({ name }))]),
    );
    expect(dropped).toEqual(leftovers);
    expect(files.map(({ path }) => path)).toEqual(["demo/SKILL.md"]);
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual(["demo", join("demo", "SKILL.md")]);
  });

  test("accepts any compression ratio for a small file [S-66]", async () => {
    const blanks = " ".repeat(60_000);
    const { folder } = await unpackTo(
      forgeZip([
        { name: "blank.csv", data: blanks, method: 8 },
        { name: "b", data: noise(400) },
      ]),
    );
    expect(readFileSync(join(folder, "blank.csv"), "utf8")).toBe(blanks);
  });
});

describe("limits and interruptions", () => {
  const two = forgeZip([honest, { name: "demo/b", data: noise(4000) }]);

  test.each([
    ["archiveBytes", 1024 * 1024, forgeZip([{ name: "b", data: noise(1024 * 1024) }])],
    [
      "unpackedBytes",
      1024 * 1024,
      forgeZip([
        { name: "b", method: 8, data: "ab".repeat(600_000) },
        { name: "c", data: noise(8000) },
      ]),
    ],
    ["bundleFiles", 1, two],
    ["archiveRatio", 10, forgeZip([{ name: "b", method: 8, data: "ab".repeat(50_000) }])],
    ["archiveRatio", 10, gzipSync(forgeTar([{ name: "b", data: "ab".repeat(50_000) }]))],
    ["pathDepth", 1, two],
    ["pathBytes", 64, forgeZip([{ name: "a".repeat(65) }])],
  ])("enforces the %s limit of %d [S-66]", async (limit, value, archive) => {
    const folder = mkdtempSync(join(base, "target-"));
    const error = await unpack(archiveInMemory(archive), folder, {
      limits: withLimits({ [limit]: value }),
    }).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: "LIMIT_EXCEEDED", details: { limit, max: value } });
    expect(readdirSync(folder)).toEqual([]);
  });

  test("rejects small entries that are a bomb together [S-66]", async () => {
    const folder = mkdtempSync(join(base, "target-"));
    const data = Buffer.alloc(60_000);
    const archive = forgeZip(Array.from({ length: 800 }, (_, at) => ({ name: `${at}`, data, method: 8 })));
    expect(await codeOf(unpack(archiveInMemory(archive), folder))).toBe("LIMIT_EXCEEDED");
  });

  test("does not touch a folder that is not empty [S-42]", async () => {
    const folder = mkdtempSync(join(base, "target-"));
    writeFileSync(join(folder, "mine"), "mine");
    expect(await codeOf(unpack(archiveInMemory(two), folder))).toBe("USAGE");
    expect(readdirSync(folder)).toEqual(["mine"]);
  });

  test("an error in the last entry leaves nothing of the first [S-42]", async () => {
    const folder = mkdtempSync(join(base, "target-"));
    const archive = forgeZip([honest, { name: "demo/last", checksum: 1 }]);
    expect(await codeOf(unpack(archiveInMemory(archive), folder))).toBe("ARCHIVE_INVALID");
    expect(readdirSync(folder)).toEqual([]);
  });

  test("an interrupted unpacking leaves nothing [S-42]", async () => {
    const folder = mkdtempSync(join(base, "target-"));
    const archive = forgeZip(Array.from({ length: 1000 }, (_, at) => ({ name: `f${at}` })));
    const stop = new AbortController();
    const work = unpack(archiveInMemory(archive), folder, { signal: stop.signal });
    const watch = setInterval(() => {
      if (readdirSync(folder).length > 0) stop.abort();
    }, 0);
    expect(await codeOf(work)).toBe("INTERRUPTED");
    clearInterval(watch);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("distinguishes a failing disk from a broken archive [S-42]", async () => {
    const file = join(mkdtempSync(join(base, "target-")), "gone");
    mkdirSync(file);
    const archive = forgeZip(Array.from({ length: 1000 }, (_, at) => ({ name: `f${at}` })));
    const work = unpack(archiveInMemory(archive), file);
    rmSync(file, { recursive: true });
    expect(await codeOf(work)).toBe("IO_FAILED");
  });
});
