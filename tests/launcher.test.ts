import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = join(root, "node_modules/.bin/skillhold");
const { version } = JSON.parse(readFileSync(join(root, "packages/cli/package.json"), "utf8"));
const systemNode = findSystemNode();

const hosts = [
  { name: "the pinned Node", node: process.execPath, why: undefined },
  {
    name: "the system's older Node",
    node: systemNode ?? process.execPath,
    why: systemNode === undefined ? " (skipped: no Node before 22.18 on the path)" : undefined,
  },
];

for (const { name, node, why } of hosts) {
  describe.skipIf(why !== undefined)(`skillhold on ${name}${why ?? ""}`, () => {
    const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
      spawnSync(node, [bin, ...args], { encoding: "utf8", cwd: root, env: { ...cleanEnv(), ...env } });

    test("prints help with its commands and nothing on stderr [S-60]", () => {
      const { status, stdout, stderr } = run(["--help"]);
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      for (const command of ["validate", "properties", "prompt"]) expect(stdout).toContain(`  ${command} `);
      expect(stdout).toContain("$ skillhold validate");
    });

    test("prints its version [S-60]", () => {
      expect(run(["--version"])).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: "" });
    });

    test("suggests the command that was meant and passes exit code 2 on [S-60]", () => {
      expect(run(["validat"])).toMatchObject({
        status: 2,
        stdout: "",
        stderr: "error: unknown command 'validat'\nhint: Did you mean validate?\n",
      });
    });

    test("answers misuse with the envelope when --json is given [S-60]", () => {
      const { status, stdout, stderr } = run(["validate", "--profil", "strict", "--json"]);
      expect({ status, stderr }).toEqual({ status: 2, stderr: "" });
      expect(JSON.parse(stdout)).toEqual({
        ok: false,
        error: { code: "USAGE", message: "unknown option '--profil'", hint: "Did you mean --profile?" },
      });
    });

    test("colors a failure only when asked to [S-60]", () => {
      const colour = "\u001b[";
      expect(run(["validat"]).stderr).not.toContain(colour);
      expect(run(["validat"], { FORCE_COLOR: "1" }).stderr).toContain(colour);
      expect(run(["validat"], { FORCE_COLOR: "1", NO_COLOR: "1" }).stderr).not.toContain(colour);
    });

    test("loads the sources of the other packages, and passes exit code 5 on [S-60]", () => {
      const { status, stderr } = run(["-C", join(root, "no-such-folder"), "validate"]);
      expect({ status, stderr }).toMatchObject({
        status: 5,
        stderr: expect.stringContaining("not a folder"),
      });
    });
  });
}

test("a reader that closes early is not a failure [S-60]", async () => {
  const child = spawn(process.execPath, [bin, "--help"], { env: cleanEnv() });
  child.stdout.destroy();
  const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

function cleanEnv(): NodeJS.ProcessEnv {
  const { FORCE_COLOR: _forced, NO_COLOR: _off, NODE_OPTIONS: _options, ...env } = process.env;
  return env;
}

function findSystemNode(): string | undefined {
  return (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => !folder.includes("node_modules"))
    .map((folder) => join(folder, "node"))
    .find((node) => {
      const [major = 0, minor = 0] = spawnSync(node, ["-p", "process.versions.node"], { encoding: "utf8" })
        .stdout?.split(".")
        .map(Number) ?? [99];
      return major < 22 || (major === 22 && minor < 18);
    });
}
