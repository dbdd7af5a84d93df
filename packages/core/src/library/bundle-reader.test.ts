import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { defaultLimits } from "@skillhold/protocol/limits";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BundleReader } from "./bundle-reader.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skillhold-reader-")));
  write("skills/pdf/SKILL.md", "---\nname: pdf\ndescription: x\n---\nUse _shared/a.mjs.\n");
  write("skills/pdf/references/forms.md", "forms");
  write("skills/pdf/.gitignore", ".gitignore\nnotes.txt\n");
  write("skills/pdf/notes.txt", "mine");
  write("outside/pdf/SKILL.md", "---\nname: pdf\ndescription: other\n---\n");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const at = (path: string) => join(root, path);
const hashWith = (reader: BundleReader, folder = at("skills/pdf")) =>
  reader.hash(folder, { allowHardLinks: false, within: dirname(folder) });
/** For whom all that is there has been there for long. */
const later = () => new BundleReader(defaultLimits, () => Date.now() + 60_000);

describe("a skill that is read again", () => {
  test("is the same bundle while nothing has changed [S-26]", async () => {
    const reader = later();
    expect(await hashWith(reader)).toBe(await hashWith(reader));
  });

  test("is packed anew as long as a change might not show in its times [S-26]", async () => {
    const reader = new BundleReader(defaultLimits);
    const first = await hashWith(reader);
    expect(await hashWith(reader)).not.toBe(first);
    expect(await hashWith(reader)).toEqual(first);
  });

  const changes: readonly (readonly [string, () => void])[] = [
    ["a file is edited", () => write("skills/pdf/references/forms.md", "FORMS")],
    [
      "a file is edited and its times are set back",
      () => {
        write("skills/pdf/references/forms.md", "FORMS");
        utimesSync(at("skills/pdf/references/forms.md"), 0, 0);
      },
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

  test.each(changes)("is another one when %s [S-26]", async (_name, change) => {
    const reader = later();
    const before = await hashWith(reader);
    expect(await hashWith(reader)).toBe(before);
    change();
    const after = await hashWith(reader);
    expect(after).toEqual(await hashWith(later()));
    expect(after.treeHash).not.toBe(before.treeHash);
  });

  test("is another one when a helper that it uses is edited [S-26]", async () => {
    write("skills/_shared/a.mjs", "a");
    const reader = later();
    const before = await hashWith(reader);
    expect(await hashWith(reader)).toBe(before);
    write("skills/_shared/a.mjs", "b");
    expect((await hashWith(reader)).treeHash).not.toBe(before.treeHash);
  });

  test("is another one when the way to it leads elsewhere [S-26]", async () => {
    symlinkSync(at("skills"), at("way"));
    const reader = later();
    const before = await hashWith(reader, at("way/pdf"));
    expect(await hashWith(reader, at("way/pdf"))).toBe(before);
    rmSync(at("way"));
    symlinkSync(at("outside"), at("way"));
    expect((await hashWith(reader, at("way/pdf"))).treeHash).not.toBe(before.treeHash);
  });

  test("has its text from memory only while the file is known to be the same [S-17]", async () => {
    const asked: string[] = [];
    const read = (reader: BundleReader) =>
      reader.readSkillFile(
        at("skills/pdf"),
        "SKILL.md",
        { allowHardLinks: false, within: at("skills") },
        (hash) => {
          asked.push(hash);
          return Buffer.from("kept");
        },
      );
    const reader = later();
    const before = await read(reader);
    expect([String(before?.bytes), before?.skillHash]).toEqual(["kept", asked[0]]);
    write("skills/pdf/SKILL.md", "---\nname: pdf\ndescription: y\n---\n");
    utimesSync(at("skills/pdf/SKILL.md"), 0, 0);
    const after = await read(reader);
    expect(after?.skillHash).not.toBe(before?.skillHash);
    expect(asked).toEqual([before?.skillHash, after?.skillHash]);
    const young = await read(new BundleReader(defaultLimits));
    expect(String(young?.bytes)).toContain("description: y");
    expect(asked).toHaveLength(2);
  });

  test("is one again when a file has lost its other name [S-26]", async () => {
    linkSync(at("skills/pdf/references/forms.md"), at("twin"));
    const reader = later();
    const before = await hashWith(reader);
    expect(before.files.map(({ path }) => path)).toEqual(["SKILL.md"]);
    expect(await hashWith(reader)).toBe(before);
    rmSync(at("twin"));
    expect((await hashWith(reader)).files.map(({ path }) => path)).toContain("references/forms.md");
  });
});
