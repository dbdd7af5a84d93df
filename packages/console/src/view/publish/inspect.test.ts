import { gzipSync, zipSync } from "fflate";
import { expect, test } from "vitest";
import { packedText } from "./change-text.ts";
import { sortFiles } from "./dropped.ts";
import { inspect } from "./inspect.ts";

const limits = { skillFileBytes: 10_000, unpackedBytes: 1_000_000, archiveSkills: 50 };
const text = (name: string) =>
  `---\nname: ${name}\ndescription: Does ${name}. Use it for ${name}.\n---\nDo it.\n`;
const bytes = (content: string) => new TextEncoder().encode(content);
const files = {
  "box/one/SKILL.md": text("one"),
  "box/one/scripts/a.py": "print()\n",
  "box/one/inner/SKILL.md": text("inner"),
  "box/bad/SKILL.md": "---\nname: bad\ndescription: [1]\n---\n",
  "box/_shared/SKILL.md": text("shared"),
};

/** As `tar` writes it, with a long name in a record of its own where there is one. */
function tar(entries: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> {
  const blocks = Object.entries(entries).flatMap(([path, content]) => {
    const record = ` path=${path}\n`;
    const long = `${record.length + 3}${record}`;
    return path.length > 100
      ? [...block("pax", long, "x"), ...block(path.slice(0, 99), content, "0")]
      : block(path, content, "0");
  });
  return new Uint8Array([...blocks, ...new Uint8Array(1024)]);
}

function block(path: string, content: string, type: string): readonly number[] {
  const head = new Uint8Array(512);
  head.set(bytes(path), 0);
  head.set(bytes(content.length.toString(8).padStart(11, "0")), 124);
  head.set(bytes(" ".repeat(8)), 148);
  head.set(bytes(type), 156);
  head.set(bytes("ustar\x0000"), 257);
  const sum = head.reduce((all, byte) => all + byte, 0);
  head.set(bytes(`${sum.toString(8).padStart(6, "0")}\0 `), 148);
  const body = new Uint8Array(Math.ceil(content.length / 512) * 512);
  body.set(bytes(content));
  return [...head, ...body];
}

const zip = (entries: Readonly<Record<string, string>>) =>
  new Uint8Array(
    zipSync(Object.fromEntries(Object.entries(entries).map(([path, each]) => [path, bytes(each)]))),
  );

const archive = (name: string, content: Uint8Array<ArrayBuffer>) =>
  ({ kind: "archive", name, file: new File([content], name) }) as const;
const folder = {
  kind: "folder",
  name: "box",
  skipped: [],
  files: Object.entries(files).map(([path, content]) => ({ path, file: new File([content], path) })),
} as const;

test.each([
  ["a ZIP", archive("a.zip", zip(files)), "application/zip"],
  ["a tar.gz", archive("a.tgz", new Uint8Array(gzipSync(tar(files)))), "application/gzip"],
  ["a tar", archive("a.tar", tar(files)), "application/octet-stream"],
  ["a ZIP of another name", archive("a.tar.gz", zip(files)), "application/zip"],
  ["a folder", folder, "application/zip"],
])("finds and checks the skills of %s as the gateway does [S-59]", async (_, dropped, type) => {
  const { skills, blob, trouble } = await inspect(dropped, limits);
  expect(trouble).toBe(undefined);
  expect(blob.type).toBe(type);
  expect(skills.map(({ path, id, files: count, isValid }) => [path, id, count, isValid])).toEqual([
    ["box/bad", "bad", 1, false],
    ["box/one", "one", 2, true],
    ["box/one/inner", "inner", 1, true],
  ]);
  expect(skills[0]?.diagnostics).toContainEqual(
    expect.objectContaining({ code: "DESC_NOT_STRING", line: 3 }),
  );
  expect(skills[0]?.lines[2]).toBe("description: [1]");
  expect(await packedText(blob, "box/one/scripts/a.py")).toBe("print()\n");
  expect(await packedText(blob, "box/one/scripts/b.py")).toBe(undefined);
});

test("a packed folder is a ZIP with the same files [S-59]", async () => {
  const { blob } = await inspect(folder, limits);
  const again = await inspect(archive("again.zip", new Uint8Array(await blob.arrayBuffer())), limits);
  expect(again.paths).toEqual(Object.keys(files));
});

test("reads long names in a tar file [S-59]", async () => {
  const path = `${"long-folder-name/".repeat(7)}SKILL.md`;
  const { skills } = await inspect(archive("a.tar", tar({ [path]: text("one") })), limits);
  expect(skills[0]?.path).toBe(path.slice(0, -"/SKILL.md".length));
});

test("does not read a SKILL.md that is too large, and reports it [S-59]", async () => {
  const large = zip({ "SKILL.md": text("one").padEnd(20_000, "x") });
  const { skills } = await inspect(archive("a.zip", large), limits);
  expect(skills).toMatchObject([
    { path: ".", isValid: false, diagnostics: [{ code: "SKILL_FILE_TOO_LARGE" }] },
  ]);
});

test("sends unreadable files for the gateway to check [S-59]", async () => {
  const { skills, trouble, blob } = await inspect(archive("a.zip", bytes("PK is not enough")), limits);
  expect([skills, blob.size]).toEqual([[], 16]);
  expect(trouble).toMatch(/\w/);
  const bomb = archive("a.tgz", new Uint8Array(gzipSync(tar({ "a/b": "x".repeat(8_000_000) }))));
  expect((await inspect(bomb, limits)).trouble).toContain("limit");
  const damaged = tar(files);
  damaged[0] = 1;
  expect((await inspect(archive("a.tar", damaged), limits)).trouble).toContain("has a damaged header");
});

test("loose files are a skill if SKILL.md is among them [S-59]", () => {
  const names = (...all: readonly string[]) => sortFiles(all.map((name) => new File([], name)));
  expect(names("a.zip", "SKILL.md", "notes.txt")).toMatchObject([
    { kind: "archive", name: "a.zip" },
    { kind: "folder", files: [{ path: "SKILL.md" }, { path: "notes.txt" }] },
  ]);
  expect(names("b.skill", "notes.txt", ".DS_Store")).toMatchObject([
    { kind: "archive" },
    { kind: "unknown", name: "notes.txt" },
  ]);
});

test("does not count junk and files that an ignore file names [S-59]", async () => {
  const content = {
    "box/SKILL.md": text("box"),
    "box/.skillignore": "*.log\n",
    "box/run.log": "x",
    "box/Thumbs.db": "x",
    "box/._notes.md": "x",
    "box/notes.md": "x",
  };
  const { skills } = await inspect(archive("a.zip", zip(content)), limits);
  expect(skills).toMatchObject([{ path: "box", files: 3, isValid: true }]);
});

test("reports an ignore file above its limits [S-59]", async () => {
  const content = { "SKILL.md": text("box"), ".skillignore": "x\n".repeat(501) };
  const { skills } = await inspect(archive("a.zip", zip(content)), limits);
  expect(skills).toMatchObject([{ isValid: false, diagnostics: [{ code: "BUNDLE_TOO_LARGE" }] }]);
});
