import { dirname } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { findRuntime } from "@skillhold/sandbox/test/backend/runtime";
import { afterEach, expect, test } from "vitest";
import { makeFolder, makeProgram, removeFolders, runtimeInstead } from "./environment.fixture.ts";
import { checkRuntimes } from "./runtimes.ts";

afterEach(removeFolders);

test("finds this machine's interpreters with their versions [S-37]", async () => {
  const { runtimes } = await checkRuntimes({ env: process.env, findRuntime, platform: "linux" });
  expect(runtimes.map(({ name }) => name)).toEqual([
    ...["python3", "pip3", "node", "npm", "uv", "bwrap", "doas", "sudo"],
  ]);
  for (const name of ["python3", "node", "bwrap"]) {
    const found = runtimes.find((runtime) => runtime.name === name);
    expect(found).toMatchObject({ available: true, version: expect.stringMatching(/^\d+\.\d+/) });
  }
});

test("reports missing and unresponsive programs, and derives readiness from the required ones [S-37]", async () => {
  const folder = makeFolder();
  makeProgram("npm", 'echo 11.0.0; echo "$SECRET"', folder);
  makeProgram("bwrap", "echo bubblewrap 0.9.0", folder);
  makeProgram("uv", "exit 1", folder);
  makeProgram("doas", `echo ran > "${folder}/ran"`, folder);
  const python = makeProgram(
    "python3",
    'if [ "$1" = -I ]; then echo pip 23.0.1 from x; else echo Python 3.11.2 >&2; fi',
  );
  const env = { PATH: `relative:${folder}`, SECRET: "9.9.9" };
  const withPython = runtimeInstead("python", () => ({ program: python, mounts: [] }));
  const report = await checkRuntimes({ env, findRuntime: withPython, platform: "linux" });
  const brief = report.runtimes.map(({ name, available, version }) => [name, available, version]);
  expect(brief).toEqual([
    ["python3", true, "3.11.2"],
    ["pip3", true, "23.0.1"],
    ["node", true, process.versions.node],
    ["npm", true, "11.0.0"],
    ["uv", true, undefined],
    ["bwrap", true, "0.9.0"],
    ["doas", true, undefined],
    ["sudo", false, undefined],
  ]);
  expect(report.ready).toBe(true);

  const noPip = runtimeInstead("python", () => ({ program: makeProgram("python3", "exit 1"), mounts: [] }));
  const without = await checkRuntimes({ env, findRuntime: noPip, platform: "linux" });
  expect(without.runtimes[1]).toEqual({ name: "pip3", available: false, required: true });
  expect(without.ready).toBe(false);
  const none = runtimeInstead("python", () => Promise.reject(new SkillError("NOT_READY", "None.")));
  const absent = await checkRuntimes({ env: {}, findRuntime: none, platform: "linux" });
  expect(absent.runtimes.filter(({ available }) => available).map(({ name }) => name)).toEqual(["node"]);
  expect(absent.ready).toBe(false);
});

test("requires bubblewrap only on Linux [S-37]", async () => {
  const folder = dirname(makeProgram("npm", "echo 11.0.0"));
  const python = makeProgram("python3", "echo 3.11.2");
  const ports = {
    env: { PATH: folder },
    findRuntime: runtimeInstead("python", () => ({ program: python, mounts: [] })),
  };
  expect((await checkRuntimes({ ...ports, platform: "linux" })).ready).toBe(false);
  expect((await checkRuntimes({ ...ports, platform: "darwin" })).ready).toBe(true);
});
