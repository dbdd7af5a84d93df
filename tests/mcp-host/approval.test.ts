import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runJson, runMain } from "@skillhold/cli/test/fake-host";
import { afterEach, beforeEach, expect, test } from "vitest";
import { honest, type RunningServer, serveHttp, skillText } from "./skill-server.ts";

let home: string;
let server: RunningServer;
let script: string;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "skillhold-source-"));
  script = "echo one\n";
  server = await serveHttp(
    honest(() => ({ hello: { "SKILL.md": skillText("hello"), "scripts/hello.sh": script } })),
  );
  expect(await main("source", "add", "mcp", "acme", "--url", server.url)).toMatchObject({ code: 0 });
});
afterEach(async () => {
  await server.close();
  rmSync(home, { recursive: true, force: true });
});

const env = () => ({ HOME: home, PATH: process.env["PATH"] ?? "" });
const main = (...argv: readonly string[]) => runMain(argv, home, { env: env() });
const run = (...more: readonly string[]) => main("run", "hello", "hello.sh", ...more);

test("an approval of a remote skill ends permanently when its content changes [S-28] [S-57]", async () => {
  expect(await run("--yes-for-this-content")).toMatchObject({ code: 0, out: "one\n" });
  expect(await run()).toMatchObject({ code: 0, out: "one\n" });
  script = "echo two\n";
  expect(await main("list")).toMatchObject({ code: 0 });
  script = "echo one\n";
  expect(await run()).toMatchObject({ code: 4, err: expect.stringContaining("approval is needed") });
  const { data } = await runJson(["approval", "list"], home, { env: env() });
  expect(data).toEqual({ approvals: [] });
});
