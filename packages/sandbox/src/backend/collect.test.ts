import { execFileSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { collectFiles } from "./collect.ts";

const limits = { files: 100, bytes: 1_000_000 };
let folder: string;
let source: string;
let target: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skillhold-test-"));
  source = join(folder, "source");
  target = join(folder, "target");
  mkdirSync(source);
  mkdirSync(target);
});
afterEach(() => rmSync(folder, { recursive: true }));

const put = (path: string, text = path): void => {
  mkdirSync(join(source, path, ".."), { recursive: true });
  writeFileSync(join(source, path), text);
};

test("copies regular files with their folders and the executable bit [S-29]", async () => {
  put("a/b/c.txt");
  put("run");
  chmodSync(join(source, "run"), 0o4777);
  chmodSync(join(source, "a/b/c.txt"), 0o600);
  const { files, refused } = await collectFiles(source, target, limits);
  expect(files).toEqual([
    { path: "a/b/c.txt", size: 9 },
    { path: "run", size: 3 },
  ]);
  expect(refused).toEqual([]);
  expect(readFileSync(join(target, "a/b/c.txt"), "utf8")).toBe("a/b/c.txt");
  expect(lstatSync(join(target, "run")).mode & 0o7777).toBe(0o755);
  expect(lstatSync(join(target, "a/b/c.txt")).mode & 0o7777).toBe(0o644);
});

test("does not copy, open or report skipped paths [S-29]", async () => {
  put("config.json", "");
  put("mounted/inner");
  put("config.json.bak");
  put("deep/config.json");
  const { files, refused } = await collectFiles(source, target, limits, new Set(["config.json", "mounted"]));
  expect(files.map(({ path }) => path)).toEqual(["config.json.bak", "deep/config.json"]);
  expect(refused).toEqual([]);
});

test.runIf(process.platform === "linux")(
  "reports links and special files without copying them [S-29]",
  async () => {
    writeFileSync(join(folder, "secret"), "of the host");
    mkdirSync(join(folder, "outside"));
    symlinkSync(join(folder, "secret"), join(source, "link"));
    symlinkSync(join(folder, "outside"), join(source, "folder-link"));
    linkSync(join(folder, "secret"), join(source, "hard"));
    execFileSync("/usr/bin/mkfifo", [join(source, "fifo")]);
    put("good");
    const { files, refused } = await collectFiles(source, target, limits);
    expect(files).toEqual([{ path: "good", size: 4 }]);
    const reasons = Object.fromEntries(refused.map(({ path, reason }) => [path, reason]));
    expect(reasons).toEqual({
      link: "Symbolic link.",
      "folder-link": "Symbolic link.",
      hard: "Has hard links.",
      fifo: "Neither a file nor a folder.",
    });
  },
);

test.runIf(process.platform === "linux")(
  "reports non-portable names without copying them [S-29]",
  async () => {
    for (const name of ["new\nline", "back\\slash", "a\u202Eb", "con", "trail.", "~home", "A", "a"])
      put(name);
    const { files, refused } = await collectFiles(source, target, limits);
    expect(files).toHaveLength(1);
    expect(files[0]?.path.toLowerCase()).toBe("a");
    expect(refused).toHaveLength(7);
  },
);

test("reports files over the limits without copying them [S-29]", async () => {
  for (const name of ["1", "2", "3", "4"]) put(name, "12345");
  const few = await collectFiles(source, target, { files: 2, bytes: 1000 });
  expect(few.files).toHaveLength(2);
  expect(few.refused).toHaveLength(2);
  rmSync(target, { recursive: true });
  mkdirSync(target);
  const small = await collectFiles(source, target, { files: 10, bytes: 11 });
  expect(small.files).toHaveLength(2);
  expect(small.refused.map(({ reason }) => reason)).toEqual(
    Array(2).fill("The files exceed the total size limit."),
  );
});

test("stops after a maximum number of names [S-29]", async () => {
  for (let index = 0; index < 60; index += 1) mkdirSync(join(source, `folder-${index}`));
  const { refused } = await collectFiles(source, target, { files: 2, bytes: 10 });
  expect(refused.at(-1)?.reason).toBe("Too many files.");
});

test("copies empty and large files completely [S-29]", async () => {
  put("empty", "");
  put("large", "x".repeat(700_000));
  await collectFiles(source, target, limits);
  expect(readFileSync(join(target, "empty"))).toHaveLength(0);
  expect(readFileSync(join(target, "large"), "utf8")).toBe("x".repeat(700_000));
});

test("rejects a target folder that is not empty [S-29]", async () => {
  writeFileSync(join(target, "mine"), "");
  await expect(collectFiles(source, target, limits)).rejects.toMatchObject({ code: "USAGE" });
});

test("counts a flood of rejected entries instead of listing them [S-29]", async () => {
  for (let index = 0; index < 150; index += 1) symlinkSync("/etc/passwd", join(source, `link-${index}`));
  const { refused } = await collectFiles(source, target, { files: 1000, bytes: 1000 });
  expect(refused).toHaveLength(101);
  expect(refused.at(-1)).toEqual({ path: ".", reason: "50 more entries were not copied." });
});
