import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { loopbackHosts } from "@skillhold/gateway";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openTestGateway, type TestGateway } from "./gateway.fixture.ts";
import { put, skillText } from "./skill.fixture.ts";
import { openPort, type TestPort } from "./socket.fixture.ts";

const run = promisify(execFile);
/** The skills CLI may need a newer Node than the system has. */
const node = resolve("node_modules/.bin/node");
const skillsCli = resolve("node_modules/skills/bin/cli.mjs");

let gateway: TestGateway;
let port: TestPort;
let home: string;
beforeEach(async () => {
  const hosts: string[] = [];
  gateway = await openTestGateway({ options: { hosts, isDiscoverable: true } });
  port = await openPort(gateway);
  hosts.push(...loopbackHosts(port.port));
  home = await mkdtemp(join(tmpdir(), "skillhold-skills-cli-"));
});
afterEach(async () => {
  await port.close();
  await gateway.close();
  await rm(home, { recursive: true, force: true });
});

async function skills(...args: readonly string[]): Promise<string> {
  const project = join(home, "project");
  await mkdir(project, { recursive: true });
  const env = {
    HOME: home,
    PATH: process.env["PATH"],
    NO_COLOR: "1",
    CI: "1",
    DISABLE_TELEMETRY: "1",
    DO_NOT_TRACK: "1",
  };
  const { stdout } = await run(node, [skillsCli, ...args], { cwd: project, env, timeout: 60_000 });
  return stdout;
}

test("the skills CLI installs a text and an archive from a gateway [S-48]", async () => {
  const script = "#!/bin/sh\necho hello\n";
  await put(gateway, "plain-text", { visibility: "public", body: "Plain instructions." });
  await put(gateway, "with-files", {
    visibility: "public",
    files: {
      "scripts/hello.sh*": script,
      "references/guide.md": "A guide.\n",
      "logo.bin": new Uint8Array([0, 255]),
    },
  });
  await put(gateway, "secret", { body: "Not for you." });
  const url = `http://127.0.0.1:${port.port}`;
  await skills("add", url, "--all", "--copy", "-y");
  const installed = (path: string) => join(home, "project", ".agents", "skills", path);
  expect(await readFile(installed("plain-text/SKILL.md"), "utf8")).toBe(
    skillText("plain-text", "Plain instructions."),
  );
  expect(await readFile(installed("with-files/SKILL.md"), "utf8")).toBe(skillText("with-files"));
  expect(await readFile(installed("with-files/scripts/hello.sh"), "utf8")).toBe(script);
  expect(await readFile(installed("with-files/references/guide.md"), "utf8")).toBe("A guide.\n");
  expect(await readFile(installed("with-files/logo.bin"))).toEqual(Buffer.from([0, 255]));
  await expect(stat(installed("secret"))).rejects.toThrow("ENOENT");
  const lock = JSON.parse(await readFile(join(home, "project", "skills-lock.json"), "utf8"));
  expect(Object.keys(lock.skills)).toEqual(["plain-text", "with-files"]);
  expect(lock.skills["with-files"].sourceType).toBe("well-known");
});
