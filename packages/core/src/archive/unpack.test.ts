import { gzipSync } from "node:zlib";
import { SkillError } from "@skillhold/protocol/error";
import { withLimits } from "@skillhold/protocol/limits";
import { describe, expect, test } from "vitest";
import { archiveInMemory } from "./archive-bytes.ts";
import { forgeTar, forgeZip } from "./forge.fixture.ts";
import { noise, readTree } from "./tree.fixture.ts";
import { checkArchive, unpack } from "./unpack.ts";
import { honest } from "./zip-attack.fixture.ts";

async function read(archive: Uint8Array) {
  const { tree, ...unpacked } = await unpack(archiveInMemory(archive));
  const files = new Map(readTree(tree).map(({ path, content }) => [path, Buffer.from(content)]));
  return { ...unpacked, tree, contents: files };
}

async function pathsOf(archive: Uint8Array): Promise<readonly string[]> {
  return (await read(archive)).files.map(({ path }) => path);
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

  test("reduces modes to the execute bit [S-42]", async () => {
    const modes = { su: 0o104755, sticky: 0o101644, none: 0o100000, all: 0o100777, group: 0o100070 };
    const { tree } = await read(forgeZip(Object.entries(modes).map(([name, mode]) => ({ name, mode }))));
    const found = [...tree.files()].map(({ path, executable }) => [path, executable]);
    expect(found).toEqual([
      ["su", true],
      ["sticky", false],
      ["none", false],
      ["all", true],
      ["group", false],
    ]);
  });

  test("keeps a nested archive as a file [S-42]", async () => {
    const inner = forgeZip([{ name: "../ESCAPE" }]);
    const { contents } = await read(forgeZip([honest, { name: "demo/in.zip", data: inner }]));
    expect(contents.get("demo/in.zip")).toEqual(inner);
  });

  test("drops and lists macOS metadata files [S-42]", async () => {
    const leftovers = ["__MACOSX/demo/._SKILL.md", "demo/.DS_Store", "demo/._x"];
    const { contents, files, dropped } = await read(
      forgeZip([honest, ...leftovers.map((name) => ({ name }))]),
    );
    expect(dropped).toEqual(leftovers);
    expect(files.map(({ path }) => path)).toEqual(["demo/SKILL.md"]);
    expect([...contents.keys()]).toEqual(["demo/SKILL.md"]);
  });

  test("accepts any compression ratio for a small file [S-66]", async () => {
    const blanks = " ".repeat(60_000);
    const { contents } = await read(
      forgeZip([
        { name: "blank.csv", data: blanks, method: 8 },
        { name: "b", data: noise(400) },
      ]),
    );
    expect(contents.get("blank.csv")?.toString()).toBe(blanks);
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
    const error = await unpack(archiveInMemory(archive), {
      limits: withLimits({ [limit]: value }),
    }).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: "LIMIT_EXCEEDED", details: { limit, max: value } });
  });

  test("rejects small entries that are a bomb together [S-66]", async () => {
    const data = Buffer.alloc(60_000);
    const archive = forgeZip(Array.from({ length: 800 }, (_, at) => ({ name: `${at}`, data, method: 8 })));
    expect(await codeOf(unpack(archiveInMemory(archive)))).toBe("LIMIT_EXCEEDED");
  });

  test("rejects all for an error in the last entry [S-42]", async () => {
    const archive = forgeZip([honest, { name: "demo/last", checksum: 1 }]);
    expect(await codeOf(unpack(archiveInMemory(archive)))).toBe("ARCHIVE_INVALID");
  });

  test("stops when it is aborted [S-42]", async () => {
    const archive = forgeZip(Array.from({ length: 1000 }, (_, at) => ({ name: `f${at}` })));
    const stop = new AbortController();
    const { read } = await checkArchive(archiveInMemory(archive), { signal: stop.signal });
    const work = async () => {
      for await (const _ of read()) stop.abort();
    };
    expect(await codeOf(work())).toBe("INTERRUPTED");
  });

  test.each([
    ["a ZIP", two],
    ["a tar", forgeTar([{ name: "a" }, { name: "b", data: noise(4000) }])],
    ["a tar.gz", gzipSync(forgeTar([{ name: "a" }, { name: "b", data: noise(4000) }]))],
  ])("reads the same bytes of %s twice [S-42]", async (_, archive) => {
    const { read, files } = await checkArchive(archiveInMemory(archive));
    const reads = [];
    for (let round = 0; round < 2; round += 1) {
      const contents = [];
      for await (const { path, bytes } of read()) contents.push([path, Buffer.from(bytes).toString("hex")]);
      reads.push(contents);
    }
    expect(reads[0]).toHaveLength(files.length);
    expect(reads[1]).toEqual(reads[0]);
  });
});
