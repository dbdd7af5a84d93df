import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { defaultLimits } from "@skillhold/protocol/limits";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BundleReader } from "./bundle-reader.ts";
import { anyone, FakeFolders } from "./fake-folders.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skillhold-reader-")));
  write("skills/pdf/SKILL.md", "---\nname: pdf\ndescription: x\n---\nUse _shared/a.mjs.\n");
  write("skills/pdf/references/forms.md", "forms");
  write("skills/pdf/.gitignore", ".gitignore\nnotes.txt\n");
  write("skills/pdf/notes.txt", "mine");
  write("outside/pdf/SKILL.md", "---\nname: pdf\ndescription: other\n---\n");
  // Times that can be given back exactly.
  for (const path of ["SKILL.md", "references/forms.md"]) utimesSync(at(`skills/pdf/${path}`), 1e9, 1e9);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** Edits a file and keeps its length and its settable times; only the change time differs. */
function editUnseen(path: string, text: string): void {
  const { size, atime, mtime } = statSync(at(path));
  write(path, text);
  utimesSync(at(path), atime, mtime);
  expect(statSync(at(path))).toMatchObject({ size, mtimeMs: mtime.getTime() });
}

const at = (path: string) => join(root, path);
const accessTo = (folder: string) => ({ allowHardLinks: false, within: dirname(folder) });
const hashWith = (reader: BundleReader, folder = at("skills/pdf")) => reader.hash(folder, accessTo(folder));
const readSkill = (reader: BundleReader, folder = at("skills/pdf")) =>
  reader.readSkillFile(folder, "SKILL.md", accessTo(folder));
const readPart = (reader: BundleReader, path: string, length = 100, folder = at("skills/pdf")) =>
  reader.readPart(folder, path, { start: 0, length }, accessTo(folder));
const readerAt = (nowMs: () => number) => new BundleReader(defaultLimits, { now: () => new Date(nowMs()) });
/** For whom all that is there has been there for long. */
const later = () => readerAt(() => Date.now() + 60_000);

describe("a repeated read of a skill", () => {
  test("returns the same bundle while nothing has changed [S-26]", async () => {
    const reader = later();
    expect(await hashWith(reader)).toBe(await hashWith(reader));
  });

  test("packs again while a change might not show in the times [S-26]", async () => {
    const { ctimeMs } = statSync(at("skills/pdf/references/forms.md"));
    const reader = readerAt(() => ctimeMs + 1000);
    const first = await hashWith(reader);
    expect(await hashWith(reader)).not.toBe(first);
    expect(await hashWith(reader)).toEqual(first);
  });

  test("returns the same bundle for a file with a time in the future [S-26]", async () => {
    utimesSync(at("skills/pdf/references/forms.md"), 4e9, 4e9);
    const reader = later();
    expect(await hashWith(reader)).toBe(await hashWith(reader));
  });

  test("packs again after half a minute, and when the clock was set back [S-26]", async () => {
    let nowMs = Date.now() + 60_000;
    const reader = readerAt(() => nowMs);
    const first = await hashWith(reader);
    nowMs += 29_999;
    expect(await hashWith(reader)).toBe(first);
    nowMs += 1;
    const second = await hashWith(reader);
    expect(second).not.toBe(first);
    expect(second).toEqual(first);
    expect(await hashWith(reader)).toBe(second);
    nowMs -= 1;
    expect(await hashWith(reader)).not.toBe(second);
  });

  test.each([
    [512, true],
    [513, false],
  ])("is cached with its omissions, up to a limit: %i [S-26]", async (count, isKept) => {
    // One more is left out already by the ignore file, and so is that file itself.
    for (let made = 2; made < count; made += 1) symlinkSync("x", at(`skills/pdf/link-${made}`));
    const reader = later();
    const first = await hashWith(reader);
    expect(first.bundle.omitted).toHaveLength(count);
    expect((await hashWith(reader)) === first).toBe(isKept);
  });

  const changes: readonly (readonly [string, () => void])[] = [
    ["a file is edited", () => write("skills/pdf/references/forms.md", "FORMS")],
    [
      "a file is edited and its times are set back",
      () => editUnseen("skills/pdf/references/forms.md", "FORMS"),
    ],
    ["a file is added to a folder in it", () => write("skills/pdf/references/more.md", "more")],
    ["a file is gone", () => rmSync(at("skills/pdf/references/forms.md"))],
    ["a folder is added", () => write("skills/pdf/scripts/a.sh", "a")],
    ["a file may be run", () => chmodSync(at("skills/pdf/references/forms.md"), 0o755)],
    ["a file has another name elsewhere", () => linkSync(at("skills/pdf/references/forms.md"), at("twin"))],
    ["a folder in it is a skill of its own", () => write("skills/pdf/references/SKILL.md", "---\n---\n")],
    ["an ignore file that names itself says more", () => write("skills/pdf/.gitignore", ".gitignore\n")],
    ["another ignore file is added", () => write("skills/pdf/.skillignore", "references/\n")],
    ["helpers appear beside it", () => write("skills/_shared/a.mjs", "a")],
    [
      "a folder in it is a link",
      () => {
        renameSync(at("skills/pdf/references"), at("references"));
        symlinkSync(at("references"), at("skills/pdf/references"));
      },
    ],
  ];

  test.each(changes)("returns a new bundle when %s [S-26]", async (_name, change) => {
    const reader = later();
    const before = await hashWith(reader);
    expect(await hashWith(reader)).toBe(before);
    change();
    const after = await hashWith(reader);
    expect(after).toEqual(await hashWith(later()));
    expect(after.treeHash).not.toBe(before.treeHash);
  });

  test("returns a new bundle when a helper it uses is edited [S-26]", async () => {
    write("skills/_shared/a.mjs", "a");
    const reader = later();
    const before = await hashWith(reader);
    expect(await hashWith(reader)).toBe(before);
    write("skills/_shared/a.mjs", "b");
    expect((await hashWith(reader)).treeHash).not.toBe(before.treeHash);
  });

  test("returns a new bundle when its path leads elsewhere [S-26]", async () => {
    symlinkSync(at("skills"), at("way"));
    const reader = later();
    const before = await hashWith(reader, at("way/pdf"));
    expect(await hashWith(reader, at("way/pdf"))).toBe(before);
    rmSync(at("way"));
    symlinkSync(at("outside"), at("way"));
    expect((await hashWith(reader, at("way/pdf"))).treeHash).not.toBe(before.treeHash);
  });

  test("has the file's current text, even when the file's times were set back [S-17]", async () => {
    const reader = later();
    const before = await readSkill(reader);
    editUnseen("skills/pdf/SKILL.md", "---\nname: pdf\ndescription: y\n---\nUse _shared/a.mjs.\n");
    const after = await readSkill(reader);
    expect(String(after?.bytes)).toContain("description: y");
    expect(after?.skillHash).not.toBe(before?.skillHash);
    expect(after?.treeHash).not.toBe(before?.treeHash);
  });

  test("follows a skill that was moved behind a link [S-26]", async () => {
    const reader = later();
    const before = await readPart(reader, "references/forms.md");
    renameSync(at("skills"), at("moved"));
    symlinkSync(at("moved"), at("skills"));
    expect((await hashWith(reader)).bundle.root).toBe(at("moved/pdf"));
    expect(await readPart(reader, "references/forms.md")).toEqual(before);
  });

  test("accepts a file again after its other hard link was removed [S-26]", async () => {
    linkSync(at("skills/pdf/references/forms.md"), at("twin"));
    const reader = later();
    const before = await hashWith(reader);
    expect(before.files.map(({ path }) => path)).toEqual(["SKILL.md"]);
    expect(await hashWith(reader)).toBe(before);
    rmSync(at("twin"));
    expect((await hashWith(reader)).files.map(({ path }) => path)).toContain("references/forms.md");
  });
});

test("a library uses the given clock and needs no record for it [S-17]", async () => {
  const folders = new FakeFolders();
  folders.skill("skills/pdf");
  let asked = 0;
  const now = () => {
    asked += 1;
    return new Date(Date.now() + 60_000);
  };
  const library = await folders.open([folders.source("skills")], { ports: { clock: { now } } });
  const before = asked;
  await library.read(anyone, "pdf");
  expect(asked).toBeGreaterThan(before);
  await folders.close();
});
