import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync, gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { archiveInMemory } from "./archive-bytes.ts";
import { descriptorOf, extraField, type ForgedEntry, forgeTar, forgeZip, pax } from "./forge.fixture.ts";
import { honestBlock } from "./tar-attack.fixture.ts";
import { describeTree, readTree, sampleTree, writeTree } from "./tree.fixture.ts";
import { unpack } from "./unpack.ts";
import { honest, zip64 } from "./zip-attack.fixture.ts";

const base = mkdtempSync(join(tmpdir(), "skillhold-unpack-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

async function pathsOf(archive: Uint8Array): Promise<readonly string[]> {
  return (await unpack(archiveInMemory(archive))).files.map(({ path }) => path);
}

describe("unpacks archives of common programs byte for byte", () => {
  const source = mkdtempSync(join(base, "source-"));
  writeTree(source, sampleTree);
  const run = (
    command: string,
    args: readonly string[],
    options: { readonly env?: NodeJS.ProcessEnv } = {},
  ) =>
    execFileSync(command, args, {
      cwd: source,
      maxBuffer: 64 * 1024 * 1024,
      stdio: ["ignore", "pipe", "pipe"],
      ...options,
    });
  const python = (script: string) => run("python3", ["-c", script]);
  const walk = "for r,d,f in os.walk('demo'):\n  z.write(r)\n  for x in f: z.write(os.path.join(r,x))\n";
  const unseekable =
    "class U(io.RawIOBase):\n  def writable(s): return True\n  def seekable(s): return False\n  def write(s,b): return sys.stdout.buffer.write(b)\n";
  const tarOf = (format: string) =>
    `import tarfile,sys\nt=tarfile.open(fileobj=sys.stdout.buffer,mode='w|gz',format=tarfile.${format}_FORMAT)\nt.add('demo')\nt.close()`;

  const writers: readonly (readonly [string, () => Buffer])[] = [
    [
      "python zipfile",
      () =>
        python(
          `import zipfile,os,io,sys\nb=io.BytesIO()\nz=zipfile.ZipFile(b,'w',8)\n${walk}z.close()\nsys.stdout.buffer.write(b.getvalue())`,
        ),
    ],
    [
      "python zipfile, stored",
      () =>
        python(
          `import zipfile,os,io,sys\nb=io.BytesIO()\nz=zipfile.ZipFile(b,'w')\n${walk}z.close()\nsys.stdout.buffer.write(b.getvalue())`,
        ),
    ],
    [
      "python zipfile that cannot go back",
      () => python(`import zipfile,os,io,sys\n${unseekable}z=zipfile.ZipFile(U(),'w',8)\n${walk}z.close()`),
    ],
    ["python tarfile, ustar with GNU names", () => python(tarOf("GNU"))],
    ["python tarfile, pax", () => python(tarOf("PAX"))],
    ["tar of a folder", () => run("tar", ["-czf", "-", "demo"])],
    ["tar of the current folder", () => run("tar", ["-czf", "-", "."])],
    ["tar, not compressed", () => run("tar", ["-cf", "-", "demo"])],
    ["tar in pax format", () => run("tar", ["--format=pax", "-czf", "-", "demo"])],
  ];

  test.each(writers)("%s [S-42]", async (_, make) => {
    const { tree, files, dropped } = await unpack(archiveInMemory(make()));
    expect(describeTree(readTree(tree))).toEqual(describeTree(sampleTree));
    expect(files.map(({ path }) => path).sort()).toEqual(sampleTree.map(({ path }) => path).sort());
    expect(dropped).toEqual([]);
  });

  const hasZip = statSync("/usr/bin/zip", { throwIfNoEntry: false }) !== undefined;
  // Info-ZIP is not on every machine, and its archives are not like those of others.
  describe.skipIf(!hasZip)("Info-ZIP", () => {
    const target = () => join(mkdtempSync(join(base, "zip-")), "a.zip");
    const zipped = (...options: readonly string[]) => {
      const path = target();
      run("zip", ["-q", ...options, path, "demo"]);
      return readFileSync(path);
    };
    test.each([
      ["with folders", () => zipped("-r")],
      ["without folders", () => zipped("-r", "-D")],
      ["without extra fields", () => zipped("-r", "-X")],
      ["in another locale", () => run("zip", ["-qr", "-", "demo"], { env: { ...process.env, LC_ALL: "C" } })],
      ["with large records", () => zipped("-r", "-fz")],
      ["to a pipe", () => run("sh", ["-c", "zip -qr - demo | cat"])],
    ])("zip %s [S-42]", async (_, make) => {
      const { tree } = await unpack(archiveInMemory(make()));
      expect(describeTree(readTree(tree))).toEqual(describeTree(sampleTree));
    });
  });

  describe("git archive", () => {
    const repository = mkdtempSync(join(base, "git-"));
    writeTree(repository, sampleTree);
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@y", ...args], { cwd: repository });
    git("init", "-q");
    git("add", "-A");
    git("commit", "-qm", "All");
    test.each(["zip", "tar.gz", "tar"] as const)("%s [S-42]", async (format) => {
      const archive = git("archive", `--format=${format}`, "--prefix=main/", "HEAD");
      const { tree, format: found } = await unpack(archiveInMemory(archive));
      expect(found).toBe(format);
      const below = sampleTree.map((file) => ({ ...file, path: `main/${file.path}` }));
      expect(describeTree(readTree(tree))).toEqual(describeTree(below));
    });
  });
});

describe("unpacks layouts of programs that are not installed", () => {
  const packed = deflateRawSync(Buffer.from("canary"));
  const streamed = {
    method: 8,
    flags: 0x0008,
    local: { checksum: 0, size: 0, packedSize: 0 },
    descriptor: descriptorOf("canary", packed.length),
  };
  const times = extraField(0x5455, Buffer.from([3, 0, 0, 0, 0]));
  const layouts: readonly (readonly [string, readonly ForgedEntry[]])[] = [
    [
      "a Mac: streamed, names without a flag, other extra fields in the local header",
      [
        {
          name: "café.md",
          ...streamed,
          extra: times,
          local: { ...streamed.local, extra: extraField(0x5855, Buffer.alloc(12)) },
        },
      ],
    ],
    [
      "Windows Explorer: no modes",
      [
        { name: "a.md", attributes: 0x20, madeBy: 0x0014, flags: 0 },
        { name: "d/", data: "", attributes: 0x10, madeBy: 0x0014, flags: 0 },
      ],
    ],
    [
      "7-Zip: modes beside attributes",
      [
        { name: "a.md", attributes: 0x81a48020, madeBy: 0x033f },
        { name: "d/", data: "", attributes: 0x41ed8010, madeBy: 0x033f },
      ],
    ],
    [
      "Java: folders with empty data",
      [
        { name: "d/", data: "", ...streamed, attributes: 0, descriptor: descriptorOf("", 2) },
        { name: "a.md", ...streamed, attributes: 0 },
      ],
    ],
    [
      "JavaScript in a browser: nothing but names",
      [{ name: "a.md", attributes: 0, madeBy: 0x0014, flags: 0x800 }],
    ],
    [
      "sizes after the data without a signature",
      [{ name: "a.md", ...streamed, descriptor: descriptorOf("canary", packed.length, { isSigned: false }) }],
    ],
    [
      "long sizes after the data",
      [{ name: "a.md", ...streamed, descriptor: descriptorOf("canary", packed.length, { isLong: true }) }],
    ],
    [
      "long sizes after the data without a signature",
      [
        {
          name: "a.md",
          ...streamed,
          descriptor: descriptorOf("canary", packed.length, { isSigned: false, isLong: true }),
        },
      ],
    ],
    ["bsdtar: a dot before names", [{ name: "./", data: "", mode: 0o040755 }, { name: "./a.md" }]],
    ["a comment on an entry", [{ name: "a.md", comment: "anything" }]],
  ];

  test.each(layouts)("%s [S-42]", async (_, entries) => {
    const { tree } = await unpack(archiveInMemory(forgeZip([honest, ...entries])));
    const files = readTree(tree);
    expect(files).toHaveLength(2);
    const other = files.find(({ path }) => path !== "demo/SKILL.md");
    expect(Buffer.from(other?.content ?? []).toString()).toBe("canary");
  });

  test("entries in a different order than the directory [S-42]", async () => {
    const archive = forgeZip([{ name: "a" }, { name: "b" }]);
    const start = archive.readUInt32LE(archive.length - 6);
    const half = (archive.length - 22 - start) / 2;
    const swapped = Buffer.concat([
      archive.subarray(0, start),
      archive.subarray(start + half, start + 2 * half),
      archive.subarray(start, start + half),
      archive.subarray(start + 2 * half),
    ]);
    expect(await pathsOf(swapped)).toEqual(["b", "a"]);
  });

  test("a ZIP64 record [S-42]", async () => {
    expect(await pathsOf(zip64())).toEqual(["demo/SKILL.md"]);
  });

  test("a plain-text comment, such as git's commit [S-42]", async () => {
    expect(await pathsOf(forgeZip([honest], { comment: Buffer.from("9b3da61\n") }))).toEqual([
      "demo/SKILL.md",
    ]);
  });

  test("gzip with a name, a comment, an extra field and a checksum [S-42]", async () => {
    const plain = gzipSync(forgeTar([honestBlock]));
    const header = Buffer.concat([
      plain.subarray(0, 10),
      Buffer.from([2, 0, 1, 2]),
      Buffer.from("a.tar\0note\0"),
      Buffer.alloc(2),
    ]);
    header[3] = 0x1e;
    expect(await pathsOf(Buffer.concat([header, plain.subarray(10)]))).toEqual(["demo/SKILL.md"]);
  });

  test("pax records that do not describe the file [S-42]", async () => {
    const harmless = {
      mtime: "1.5",
      "LIBARCHIVE.xattr.com.apple.quarantine": "x",
      "SCHILY.fflags": "x",
      uname: "é",
    };
    const archive = forgeTar([
      pax({ comment: "commit" }, "g"),
      honestBlock,
      pax(harmless),
      { name: "demo/a.md" },
    ]);
    expect(await pathsOf(archive)).toEqual(["demo/SKILL.md", "demo/a.md"]);
  });
});
