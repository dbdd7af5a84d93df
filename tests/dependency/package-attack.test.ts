import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "@skillhold/core/run";
import {
  environmentLockHash,
  findEnvironment,
  type InstallPorts,
  installDependencies,
  installForSkill,
  readSpec,
} from "@skillhold/deps/environment";
import { installPorts, removeFolders, sandbox } from "@skillhold/deps/test/environment/environment.fixture";
import { unconfined } from "@skillhold/sandbox/backend";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { forgingBuild, PackageServer } from "./package-server.ts";

let server = new PackageServer();
beforeEach(async () => {
  server = await new PackageServer().open();
});
afterEach(async () => {
  await server.close();
  removeFolders();
});

/** The managers' own configuration names the server. */
function variables(): Readonly<Record<string, string>> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: server.folder,
    npm_config_registry: `${server.url}/`,
    PIP_INDEX_URL: `${server.url}/simple`,
    PIP_TRUSTED_HOST: "127.0.0.1",
  };
}

function portsWith(settings: Partial<InstallPorts> = {}): InstallPorts {
  const ports = installPorts();
  return { ...ports, sandbox, host: { ...ports.host, env: variables() }, ...settings };
}

const install = (ports: InstallPorts, ...specs: readonly string[]) =>
  installDependencies({ skill: "a", specs }, ports);

/** Runs a manager as an installer without a sandbox would, and says whether the attack succeeds. */
async function attackHost(program: string, args: readonly string[]): Promise<boolean> {
  const folder = mkdtempSync(join(server.folder, "host-"));
  const env = { ...variables(), HOME: folder };
  await once(spawn(program, args, { cwd: folder, env, stdio: "ignore" }), "exit");
  const isDone = existsSync(server.marker);
  rmSync(server.marker, { force: true });
  return isDone;
}

describe.runIf(process.platform === "linux")("an installation", () => {
  test("runs no program of a git dependency, at any depth [S-29] [S-36]", async () => {
    server.addNpm("evil-pkg", { dependencies: { middle: "1.0.0" } });
    server.addNpm("middle", { dependencies: { inner: `git+file://${server.makeRepository()}` } });
    expect(await attackHost("npm", ["install", "--ignore-scripts", "--no-audit", "--", "evil-pkg"])).toBe(
      true,
    );
    const ports = portsWith();
    const { results, environment } = await install(ports, "npm:evil-pkg");
    expect(results).toMatchObject([{ status: "failed", message: expect.stringMatching(/git/i) }]);
    expect(environment).toBeUndefined();
    expect([existsSync(server.marker), readdirSync(ports.home)]).toEqual([false, []]);
  });

  test("runs no program of a source package that a wheel refers to [S-29] [S-36]", async () => {
    server.addWheel("evilwheel", [`helper @ ${server.addSource("helper")}`]);
    const host = ["-m", "pip", "install", "--only-binary=:all:", "--target", "x", "evilwheel"];
    expect(await attackHost("/usr/bin/python3", host)).toBe(true);
    const ports = portsWith();
    const { results } = await install(ports, "pip:evilwheel");
    expect(results).toMatchObject([{ status: "failed" }]);
    expect([existsSync(server.marker), readdirSync(ports.home)]).toEqual([false, []]);
  });

  test("installs only the content of the lock, also when a build in the sandbox forges the lock [S-29] [S-36]", async () => {
    const hash = server.addWheel("good");
    const program = forgingBuild(server.marker, server.url, hash);
    server.addWheel("evilwheel", [`helper @ ${server.addSource("helper", program)}`]);
    const ports = portsWith();
    const { results, environment } = await install(ports, "pip:evilwheel");
    expect(existsSync(server.marker)).toBe(false);
    expect([results[0]?.status, environment]).toEqual(["failed", undefined]);
  });

  test("refuses a wheel that refers to another wheel by address [S-36]", async () => {
    server.addWheel("good");
    server.addWheel("pointer", [`good @ ${server.url}/files/good-1.0-py3-none-any.whl`]);
    const { results } = await install(portsWith(), "pip:pointer");
    expect(results[0]?.message).toContain("direct reference");
  });

  test.for([
    ["a remote tarball", () => ({ inner: `${server.url}/inner/-/inner-1.0.0.tgz` })],
    ["a file", () => ({ inner: "file:../inner" })],
    ["a repository", () => ({ inner: "someone/inner" })],
  ] as const)("refuses a package that needs %s [S-36]", async ([, dependencies]) => {
    server.addNpm("inner");
    server.addNpm("outer", { dependencies: dependencies() });
    const { results } = await install(portsWith(), "npm:outer");
    expect(results).toMatchObject([{ status: "failed" }]);
  });

  test("refuses a package without a strong hash [S-36]", async () => {
    server.addNpm("weak", {}, false);
    const { results } = await install(portsWith(), "npm:weak");
    expect(results[0]?.message).toContain("no SHA-256 or stronger hash");
  });

  test("pins every package by hash, and skills with the same lock share the environment [S-36]", async () => {
    server.addNpm("leaf");
    server.addNpm("tree", { dependencies: { leaf: "^1.0.0" } });
    server.addWheel("wheel", ["part"]);
    server.addWheel("part");
    const ports = portsWith();
    const of = async (skill: string, ...specs: readonly string[]) =>
      await installForSkill({ owner: { skill, needs: [] }, specs }, ports);
    const one = await of("one", "npm:tree", "pip:wheel");
    expect(one.results.map(({ message, status }) => message || status)).toEqual(["ok", "ok"]);
    const folder = one.environment ?? "";
    expect(readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
      "leaf",
      "tree",
    ]);
    expect(readdirSync(folder).sort()).not.toContain(".scratch");
    const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
    expect(Object.keys(packages)).toEqual(["", "node_modules/leaf", "node_modules/tree"]);
    expect(packages["node_modules/leaf"].integrity).toMatch(/^sha512-/);
    expect(readFileSync(join(folder, "requirements.lock"), "utf8")).toMatch(
      /^part==1\.0 --hash=sha256:[0-9a-f]{64}\nwheel==1\.0 --hash=sha256:[0-9a-f]{64}\n$/,
    );
    const lock = await environmentLockHash(folder);
    expect(lock).toMatch(/^sha256:[0-9a-f]{64}$/);
    const specs = ["npm:tree", "pip:wheel"].map(readSpec).filter((spec) => typeof spec !== "string");
    expect((await findEnvironment(specs, ports))?.lock).toBe(lock);
    // Another way to write the same packages.
    const two = await of("two", "npm:tree@1.0.0", "pip:wheel==1.0");
    expect(two.environment).toBe(folder);
    const other = await of("three", "npm:leaf");
    expect(other.environment).not.toBe(folder);
  });

  test("reaches no host beside the configured registry [S-29] [S-36]", async () => {
    const elsewhere = await new PackageServer().open();
    try {
      elsewhere.addNpm("far");
      server.addNpm("near", { dependencies: { far: `${elsewhere.url}/far/-/far-1.0.0.tgz` } });
      const { results } = await install(portsWith(), "npm:near");
      expect(results[0]?.status).toBe("failed");
    } finally {
      await elsewhere.close();
    }
  });

  test.for([
    ["no sandbox", unconfined()],
    ["a sandbox with a leak", { ...sandbox, id: "bubblewrap", probe: leaking } as Sandbox],
  ] as const)("is rejected with %s before anyone is asked [S-29] [S-36]", async ([, unusable]) => {
    const clear = () => Promise.reject(new Error("asked"));
    const refused = install(portsWith({ sandbox: unusable, clear }), "npm:one");
    await expect(refused).rejects.toMatchObject({ code: "SANDBOX_UNAVAILABLE" });
  });
});

async function leaking() {
  return { ...(await sandbox.probe()), isAvailable: false };
}
