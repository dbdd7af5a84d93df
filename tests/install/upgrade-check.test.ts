import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runJson, runMain } from "@skillhold/cli/test/fake-host";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openWebServer, type WebServer } from "./web-server.fixture.ts";

let web: WebServer;
let cwd: string;
beforeEach(async () => {
  web = await openWebServer();
  cwd = mkdtempSync(join(tmpdir(), "skillhold-upgrade-"));
});
afterEach(async () => {
  await web.close();
  rmSync(cwd, { recursive: true, force: true });
});
const PATH = "/-/package/skillhold/dist-tags";
const check = () => runJson(["upgrade-check", "--npm-registry", web.url], cwd);

test.each([
  { latest: "99.0.0", isNewer: true },
  { latest: "0.0.1", isNewer: false },
])("compares the release $latest with this one [S-60]", async ({ latest, isNewer }) => {
  web.answer(PATH, { body: { latest } });
  expect(await check()).toMatchObject({ code: 0, data: { latest, isNewer } });
  expect(web.asked).toEqual([PATH]);
});

test("reports a registry without Skillhold, and rejects a strange answer [S-60]", async () => {
  expect(await check()).toMatchObject({ code: 0, data: { latest: null, isNewer: false } });
  web.answer(PATH, { body: { latest: "newest" } });
  expect(await check()).toMatchObject({ error: { code: "REMOTE_FAILED" } });
});

test("no other command asks the registry [S-60]", async () => {
  const env = { npm_config_registry: web.url, XDG_DATA_HOME: join(cwd, "data"), PATH: process.env["PATH"] };
  for (const argv of [["list"], ["doctor"], ["--version"]]) await runMain(argv, cwd, { env });
  expect(web.asked).toEqual([]);
});
