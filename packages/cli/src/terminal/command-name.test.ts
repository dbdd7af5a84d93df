import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findCommandName } from "./command-name.ts";

let root: string;
let launcher: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skillhold-name-")));
  launcher = write("lib/skillhold/bin/skillhold.js");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "");
  return file;
}

function link(path: string): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  symlinkSync(launcher, file);
}

function nameIn(cwd: string, path: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  const PATH = path.map((folder) => join(root, folder)).join(delimiter);
  return findCommandName({ env: { PATH, ...env }, cwd: join(root, cwd), launcher, platform: "linux" });
}

test("is skillhold where the shell finds this launcher, and not where it finds another one [S-60]", () => {
  write("other/skillhold");
  link("global/skillhold");
  expect(nameIn("work", ["other", "global"])).toBe("skillhold");
  expect(nameIn("work", ["other"])).toBe(`node ${launcher}`);
});

test("is npx skillhold in a clone or an installation and below, although npm extends PATH [S-60]", () => {
  link("project/node_modules/.bin/skillhold");
  const path = ["project/node_modules/.bin"];
  expect(nameIn("project", path)).toBe("npx skillhold");
  expect(nameIn("project/docs/guide", path)).toBe("npx skillhold");
  expect(nameIn("elsewhere", path)).toBe(`node ${launcher}`);
});

test("is npx skillhold where npx started it from its cache [S-60]", () => {
  link("cache/_npx/123/node_modules/.bin/skillhold");
  const path = ["cache/_npx/123/node_modules/.bin"];
  expect(nameIn("empty", path, { npm_command: "exec" })).toBe("npx skillhold");
});

test("on Windows, the script on PATH counts, and a path with a space is quoted elsewhere [S-60] [S-67]", () => {
  write("global/skillhold.cmd");
  const env = { PATH: join(root, "global") };
  const windows = { cwd: root, launcher, platform: "win32" } as const;
  expect(findCommandName({ ...windows, env })).toBe("skillhold");
  const spaced = "C:\\Program Files\\skillhold.js";
  expect(findCommandName({ ...windows, env: {}, launcher: spaced })).toBe(`node ${JSON.stringify(spaced)}`);
});
