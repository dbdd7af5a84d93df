import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { stageRoot } from "@skillhold/sandbox/test/backend/stage";
import { afterEach, expect, test } from "vitest";
import { makeFolder, removeFolders } from "./environment.fixture.ts";
import { openTree } from "./environment-build.ts";
import { environmentHome } from "./environment-folder.ts";

afterEach(removeFolders);

test("makes installed files readable for every user, and removes links that lead outside [S-36]", async () => {
  const folder = makeFolder({ "a/secret.js": "", "a/tool": "", "b.js": "" });
  chmodSync(join(folder, "a/tool"), 0o4700);
  chmodSync(join(folder, "a/secret.js"), 0o600);
  symlinkSync("../b.js", join(folder, "a/inside"));
  symlinkSync("/etc/passwd", join(folder, "a/outside"));
  symlinkSync("nowhere", join(folder, "a/broken"));
  chmodSync(join(folder, "a"), 0o700);
  await openTree(folder);
  const mode = (path: string) => statSync(join(folder, path)).mode & 0o7777;
  expect(["a", "a/tool", "a/secret.js"].map(mode)).toEqual([0o755, 0o755, 0o644]);
  const isThere = (path: string) => lstatSync(join(folder, path), { throwIfNoEntry: false }) !== undefined;
  expect(["a/inside", "a/outside", "a/broken"].map(isThere)).toEqual([true, false, false]);
});

test("stores environments with the data, or where root's runs can reach them [S-36]", async () => {
  const data = makeFolder();
  expect(await environmentHome(data, true)).toBe(join(data, "environments"));
  chmodSync(data, 0o700);
  expect(await environmentHome(data, false)).toBe(join(data, "environments"));
  const open = await environmentHome(data, true);
  expect(dirname(open)).toBe(await stageRoot());
  expect(existsSync(open)).toBe(true);
  expect(await environmentHome(data, true)).toBe(open);
  rmdirSync(open);
});

test("closes the folders for environments to other users [S-36]", async () => {
  const data = join(makeFolder(), "data");
  const home = await environmentHome(data, false);
  for (const folder of [data, home]) expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("removes environments of a deleted data folder [S-36]", async () => {
  const gone = mkdtempSync(join(tmpdir(), "skillhold-data-"));
  const open = await environmentHome(gone, true);
  expect(existsSync(open)).toBe(true);
  rmSync(gone, { recursive: true });
  const next = mkdtempSync(join(tmpdir(), "skillhold-data-"));
  const kept = await environmentHome(next, true);
  expect([existsSync(open), existsSync(kept)]).toEqual([false, true]);
  rmSync(next, { recursive: true });
});
