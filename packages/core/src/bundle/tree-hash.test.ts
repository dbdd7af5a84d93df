import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { withLimits } from "@skillhold/protocol/limits";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { countTurns } from "../loop-turn.fixture.ts";
import { pack } from "./pack.ts";
import { combineDigests, hashFile, hashSkillFile, treeHash } from "./tree-hash.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "skillhold-hash-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Leaf {
  readonly path: string;
  readonly content: Uint8Array;
  readonly executable: boolean;
}

let count = 0;
function write(leaves: readonly Leaf[], mtime = 1_000_000): string {
  count += 1;
  const folder = join(base, `skill-${count}`);
  mkdirSync(folder);
  for (const { path, content, executable } of leaves) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    chmodSync(file, executable ? 0o755 : 0o644);
    utimesSync(file, mtime, mtime);
  }
  return folder;
}
const hashOf = async (folder: string) => (await treeHash(await pack(folder))).hash;
const sha256 = (...parts: readonly (string | Uint8Array)[]) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const leaf = (path: string, content: string | Uint8Array, executable = false): Leaf => ({
  path,
  content: Buffer.from(content),
  executable,
});

test.skipIf(process.platform === "win32")("the tree hash follows its description [S-13]", async () => {
  const folder = write([
    leaf("scripts/b.sh", "run", true),
    leaf("SKILL.md", "text"),
    leaf("ｆ", ""),
    leaf("𝒶", ""),
  ]);
  const text = [
    ...["skillhold-tree-1\n", "SKILL.md\0-\0", sha256("text"), "scripts/b.sh\0x\0", sha256("run")],
    ...["ｆ\0-\0", sha256(""), "𝒶\0-\0", sha256("")],
  ];
  const { hash, files } = await treeHash(await pack(folder));
  expect(hash).toBe(`sha256:${sha256(...text).toString("hex")}`);
  expect(files[1]).toEqual({
    path: "scripts/b.sh",
    size: 3,
    digest: `sha256:${sha256("run").toString("hex")}`,
    executable: true,
  });
  expect(combineDigests(files.toReversed())).toBe(hash);
});

test.skipIf(process.platform === "win32")(
  "a fixed tree has a fixed hash on every machine [S-13]",
  async () => {
    const folder = write([
      leaf("SKILL.md", "---\nname: a\n---\n"),
      leaf("scripts/run.sh", "#!/bin/sh\n", true),
    ]);
    expect(await hashOf(folder)).toBe(
      "sha256:947f62fbd56c27ea43d45dcf465b89ac1dd58ff9f1abfedb4011dc311b89fd9b",
    );
  },
);

const tree = fc.uniqueArray(
  fc.record({
    path: fc
      .array(fc.constantFrom("a", "b", "c.d", "é"), { minLength: 1, maxLength: 3 })
      .map((parts) => `${parts.join("/")}.x`),
    content: fc.uint8Array({ maxLength: 40 }),
    executable: fc.boolean(),
  }),
  { selector: ({ path }) => path, minLength: 1, maxLength: 8 },
);

test("the tree hash does not depend on write order or times [S-13]", async () => {
  const property = fc.asyncProperty(
    tree,
    fc.integer({ min: 1, max: 2_000_000_000 }),
    async (leaves, mtime) => {
      expect(await hashOf(write(leaves.toReversed(), mtime))).toBe(await hashOf(write(leaves)));
    },
  );
  await fc.assert(property, { numRuns: 60 });
});

test.skipIf(process.platform === "win32")(
  "a change of any byte, path or mode changes the tree hash [S-13]",
  async () => {
    const change = fc.constantFrom("byte", "append", "path", "mode", "remove", "add");
    const property = fc.asyncProperty(tree, fc.nat(), change, async (leaves, pick, kind) => {
      const at = pick % leaves.length;
      const changed = leaves.flatMap((one, index) => (index === at ? alter(one, kind) : [one]));
      expect(await hashOf(write(changed))).not.toBe(await hashOf(write(leaves)));
    });
    await fc.assert(property, { numRuns: 100 });
  },
);

function alter(one: Leaf, kind: string): readonly Leaf[] {
  switch (kind) {
    case "byte":
      return one.content.length === 0
        ? [{ ...one, content: Buffer.from("x") }]
        : [{ ...one, content: one.content.with(0, (one.content[0] ?? 0) ^ 1) }];
    case "append":
      return [{ ...one, content: Buffer.concat([one.content, Buffer.from([0])]) }];
    case "path":
      return [{ ...one, path: `${one.path}y` }];
    case "mode":
      return [{ ...one, executable: !one.executable }];
    case "remove":
      return [];
    default:
      return [one, { ...one, path: `${one.path}z` }];
  }
}

test("hashes files around and far above the chunk size by their bytes [S-13]", async () => {
  const chunk = 256 * 1024;
  const sizes = [0, 1, chunk - 1, chunk, chunk + 1, 3 * chunk, 5_000_001];
  const folder = write(sizes.map((size) => leaf(`${size}.bin`, Buffer.alloc(size, 7))));
  const bundle = await pack(folder);
  const before = process.memoryUsage().arrayBuffers;
  const { files } = await treeHash(bundle);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * 1024 * 1024);
  for (const [at, file] of files.entries()) {
    expect(file.digest).toBe(`sha256:${sha256(Buffer.alloc(file.size, 7)).toString("hex")}`);
    const source = bundle.files[at];
    if (source !== undefined) expect(await hashFile(source)).toEqual(file);
  }
  expect(files).toHaveLength(sizes.length);
});

test("hashes a skill of 3,000 files under a higher limit [S-13] [S-66]", async () => {
  const folder = write(
    Array.from({ length: 3000 }, (_, at) => leaf(`references/${at % 30}/${at}.md`, `${at}`)),
  );
  await expect(pack(folder)).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
  const bundle = await pack(folder, { limits: withLimits({ bundleFiles: 3000 }) });
  expect((await treeHash(bundle)).files).toHaveLength(3000);
});

test.skipIf(process.platform === "win32")(
  "a file that differs from the packed one stops the hash [S-13]",
  async () => {
    const spoil: readonly [string, (file: string) => void, string][] = [
      ["grown", (file) => writeFileSync(file, "longer than before"), "IO_FAILED"],
      ["made executable", (file) => chmodSync(file, 0o755), "IO_FAILED"],
      ["removed", (file) => rmSync(file), "PATH_NOT_FOUND"],
      ["turned into a link", swapForLink, "RESOURCE_OUTSIDE_SKILL"],
    ];
    for (const [name, run, code] of spoil) {
      const folder = write([leaf("SKILL.md", ""), leaf("scripts/a.py", "before")]);
      const bundle = await pack(folder);
      run(join(folder, "scripts/a.py"));
      await expect(treeHash(bundle), name).rejects.toMatchObject({ code });
    }
  },
);

function swapForLink(file: string): void {
  rmSync(file);
  symlinkSync("/etc/hostname", file);
}

test("hashing a large skill yields to other work and can be aborted [S-13]", async () => {
  const folder = write([leaf("SKILL.md", ""), leaf("big.bin", Buffer.alloc(20_000_000))]);
  const bundle = await pack(folder);
  expect(await countTurns(() => treeHash(bundle))).toBeGreaterThan(10);
  const controller = new AbortController();
  const hashing = treeHash(bundle, { signal: controller.signal });
  controller.abort();
  await expect(hashing).rejects.toMatchObject({ code: "INTERRUPTED" });
});

test("the hash of SKILL.md covers its raw bytes [S-13]", () => {
  const hash = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  expect(hashSkillFile(Buffer.from("abc"))).toBe(hash);
});
