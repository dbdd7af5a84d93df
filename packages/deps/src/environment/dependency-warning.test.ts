import { openMemoryLibrary } from "@skillhold/core/library";
import { nodeHost } from "@skillhold/core/source";
import { afterEach, expect, test } from "vitest";
import { checkPorts, makeFolder, removeFolders, runtimeInstead } from "./environment.fixture.ts";
import { dependencyWarnings, warningsOf } from "./survey.ts";

afterEach(removeFolders);

const text = (name: string) => `---\nname: ${name}\ndescription: A skill.\n---\nDo it.\n`;
const library = openMemoryLibrary(
  [
    { folder: "wanting", files: { "SKILL.md": text("wanting"), "a.mjs": 'import "zzz-absent";' } },
    { folder: "whole", files: { "SKILL.md": text("whole"), "a.mjs": 'import "node:fs";' } },
  ],
  { host: nodeHost(process) },
);
const viewer = { runtime: "test" };

test("warns about missing dependencies with the install command [S-24] [S-38]", async () => {
  const ports = { ...checkPorts(), home: makeFolder({}) };
  expect(await dependencyWarnings(library, viewer, "wanting", ports)).toEqual([
    "Missing: npm:zzz-absent. `skillhold deps install wanting` installs them.",
  ]);
  expect(await dependencyWarnings(library, viewer, "wanting", checkPorts())).toEqual([
    "Missing: npm:zzz-absent. Packages cannot be installed on this machine.",
  ]);
  expect(await dependencyWarnings(library, viewer, "whole", checkPorts())).toEqual([]);
});

test("gives no warning when the check fails or the skill does not exist [S-35] [S-38]", async () => {
  const runtime = runtimeInstead("node", () => Promise.resolve({ program: "/nowhere/node", mounts: [] }));
  const ports = checkPorts({ findRuntime: runtime });
  expect(await dependencyWarnings(library, viewer, "wanting", ports)).toEqual([]);
  expect(await dependencyWarnings(library, viewer, "nothing", checkPorts())).toEqual([]);
});

test("rejects when the call is canceled [S-35]", async () => {
  const ports = checkPorts({ signal: AbortSignal.abort() });
  await expect(dependencyWarnings(library, viewer, "wanting", ports)).rejects.toThrow();
});

test("names no command where packages cannot be installed [S-38]", () => {
  const state = {
    state: "missing",
    missing: ["jq"],
    unknown: [],
    warnings: [],
    isUnsupported: true,
  } as const;
  expect(warningsOf("a", state)).toEqual(["Missing: jq. Packages cannot be installed on this machine."]);
});
