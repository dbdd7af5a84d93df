import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { installPorts, makeFolder, makeProgram, removeFolders } from "./environment.fixture.ts";
import { installDependencies } from "./installer.ts";
import { readSpec } from "./spec.ts";
import { type SystemHost, systemStep } from "./system-install.ts";

afterEach(removeFolders);

function hostOf(id: string, settings: Partial<SystemHost> = {}): SystemHost {
  const osRelease = join(makeFolder({ "os-release": `ID=${id}\n` }), "os-release");
  return { env: {}, platform: "linux", osRelease, isRoot: true, ...settings };
}

function stepOf(text: string, mayChangeSystem: boolean, host: SystemHost) {
  const spec = readSpec(text);
  if (typeof spec === "string") throw new Error(spec);
  return systemStep(spec, mayChangeSystem, host);
}

test("without an administrator's permission, a system package is a manual step [S-36]", () => {
  const host = hostOf("debian");
  for (const text of ["jq", "apt:jq"]) {
    expect(stepOf(text, false, host)).toEqual({
      kind: "manual",
      message: "Run as an administrator: apt-get install --yes --no-install-recommends -- jq",
    });
  }
  expect(stepOf("go:example.org/x", false, host)).toMatchObject({ kind: "manual" });
});

test("with the permission it is a command, within our own rights and never with sudo [S-36]", () => {
  const root = hostOf("alpine");
  const user = hostOf("alpine", { isRoot: false });
  expect(stepOf("jq", true, root)).toEqual({
    kind: "command",
    argv: ["apk", "add", "--no-cache", "--", "jq"],
  });
  expect(stepOf("jq", true, user)).toMatchObject({
    kind: "manual",
    message: expect.stringMatching(/Run: apk add/),
  });
  expect(stepOf("brew:jq", true, root).kind).toBe("manual");
  expect(stepOf("jq", true, hostOf("x", { platform: "darwin", isRoot: false }))).toEqual({
    kind: "command",
    argv: ["brew", "install", "--", "jq"],
  });
  expect(stepOf("go:example.org/x", true, user).kind).toBe("command");
});

test("downloads and programs on an unknown system are always manual steps [S-36]", () => {
  const step = stepOf("download:https://example.org/x.tar.gz", true, hostOf("debian"));
  expect(step).toEqual({ kind: "manual", message: "Download it manually: https://example.org/x.tar.gz" });
  expect(stepOf("jq", true, hostOf("plan9"))).toMatchObject({
    kind: "manual",
    message: expect.stringContaining("jq"),
  });
  expect(stepOf("under_score", true, hostOf("debian"))).toMatchObject({ kind: "manual" });
});

test("installs and reports each system package separately [S-36]", async () => {
  const apt = makeProgram(
    "apt-get",
    `for last; do :; done; echo "$last" >> "$(dirname "$0")/calls"
     if [ "$last" = gone ]; then echo "error: no such package" >&2; exit 100; fi`,
  );
  const base = installPorts();
  const env = { PATH: `${dirname(apt)}:/usr/bin:/bin` };
  const ports = { ...base, host: { ...base.host, env, isRoot: true } };
  const plan = {
    skill: "a",
    specs: ["apt:jq", "gone", "download:https://example.org/x"],
    mayChangeSystem: true,
  };
  const { results } = await installDependencies(plan, ports);
  expect(results).toMatchObject([
    { spec: "apt:jq", status: "ok" },
    { spec: "gone", status: "failed", message: "gone: no such package" },
    { spec: "download:https://example.org/x", status: "manual" },
  ]);
  expect(readFileSync(join(dirname(apt), "calls"), "utf8")).toBe("jq\ngone\n");
});
