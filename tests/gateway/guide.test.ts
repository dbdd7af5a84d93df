import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { ServeScene, tokenOf } from "./serve.fixture.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const guide = readFileSync(join(root, "docs/guide/gateway.md"), "utf8");
const run = promisify(execFile);
const scene = new ServeScene();
afterAll(() => scene.close());

test("the steps of the guide work as written [S-53]", async () => {
  const [, tour = ""] = /## A tour with curl\n.*?```sh\n(.*?)```/s.exec(guide) ?? [];
  expect(tour.split("\n").length).toBeGreaterThan(10);
  const gateway = await scene.serve(["--no-seed"]);
  const { authorization } = await tokenOf(gateway);
  const env = {
    URL: gateway.url,
    TOKEN: authorization.replace("Bearer ", ""),
    HOME: gateway.command.home,
    PATH: [join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter),
  };
  const script = `set -eu\n${tour.replaceAll(/^api (.*)$/gm, "api $1\necho")}`;
  const { stdout } = await run("bash", ["-c", script], { cwd: scene.folder(), env });
  for (const part of ['"role":"admin"', '"status":"published"', "name: hello", '"enabled":true', '"seq"'])
    expect(stdout).toContain(part);
});

test("the guide documents every option and every dependency event [S-54] [S-60]", async () => {
  const { command } = await import("@skillhold/cli/test/command/serve/serve");
  const flags = command.options.map(({ flags: text }) => text.split(" ", 1)[0] ?? "");
  const { DependencyEvent } = await import("@skillhold/protocol/http");
  const types = DependencyEvent.options.map(({ shape }) => shape.type.value);
  for (const word of [...flags, ...types]) expect(guide, word).toContain(`\`${word}`);
});

test("the proxy in the guide overwrites forwarded addresses of clients [S-53]", () => {
  const [, proxy = ""] = /```nginx\n(.*?)```/s.exec(guide) ?? [];
  expect(proxy).toContain("proxy_set_header X-Forwarded-For $remote_addr;");
  const [, most = ""] = /client_max_body_size (\S+);/.exec(proxy) ?? [];
  expect(most).toBe("0");
});
