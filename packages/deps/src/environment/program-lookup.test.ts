import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { makeFolder, makeProgram, removeFolders } from "./environment.fixture.ts";
import { findProgram, findSandboxProgram } from "./runtimes.ts";

afterEach(removeFolders);

test("a program is an executable file in an absolute folder [S-35]", async () => {
  const folder = makeFolder({ data: "" });
  const tool = makeProgram("tool", "", folder);
  mkdirSync(join(folder, "folder"));
  chmodSync(join(folder, "data"), 0o644);
  const find = (name: string) => findProgram(name, `:relative:${makeFolder()}:${folder}`);
  expect(await find("tool")).toBe(tool);
  for (const name of ["data", "folder", "none", "", ".", "../tool", `${folder}/tool`, "to\0ol", "-tool"]) {
    expect(await find(name)).toBeUndefined();
  }
});

test("does not find a program that the sandbox hides, even through a link [S-35]", async () => {
  const folder = makeFolder();
  symlinkSync("/bin/sh", join(folder, "shown"));
  symlinkSync(makeProgram("tool", ""), join(folder, "hidden"));
  expect(await findSandboxProgram("shown", folder)).toBe(join(folder, "shown"));
  expect(await findSandboxProgram("hidden", folder)).toBeUndefined();
});
