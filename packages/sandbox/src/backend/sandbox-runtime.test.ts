import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunLimits, SandboxSpec } from "@skillhold/core/test/run/sandbox";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { quoteShellWord, sandboxRuntime } from "./sandbox-runtime.ts";
import { loadSandboxRuntime, type RuntimeConfig, type RuntimeManager } from "./sandbox-runtime-module.ts";
import { supervise } from "./supervise.ts";

const skill = realpathSync(mkdtempSync(join(tmpdir(), "skillhold-runtime-")));
afterAll(() => rmSync(skill, { recursive: true }));

const MB = 1024 * 1024;
const limits: RunLimits = {
  wallMs: 10_000,
  cpuMs: 10_000,
  memoryBytes: 512 * MB,
  processes: 16,
  diskBytes: 4 * MB,
  outputBytes: MB,
};

/** A fake manager without a sandbox: wrapped commands run directly. */
class FakeManager implements RuntimeManager {
  readonly calls: string[] = [];
  readonly configs: RuntimeConfig[] = [];
  readonly ids: string[] = [];
  errors: readonly string[] = [];
  failure: Error | undefined;

  isSupportedPlatform = () => true;
  checkDependencies = () => ({ errors: this.errors });

  async initialize(config: RuntimeConfig): Promise<void> {
    this.calls.push("initialize");
    this.configs.push(config);
  }

  async wrapWithSandboxArgv(
    command: string,
    shell: string,
    config: RuntimeConfig,
    _signal: AbortSignal | undefined,
    _cwd: string,
    options: { readonly commandId: string },
  ): Promise<{ readonly argv: readonly string[] }> {
    if (this.failure !== undefined) throw this.failure;
    this.calls.push("wrap");
    this.configs.push(config);
    this.ids.push(options.commandId);
    return { argv: [shell, "-c", command] };
  }

  registerCommandNetworkLists(id: string, lists: { readonly allowedDomains: readonly string[] }): void {
    this.calls.push(`register ${lists.allowedDomains.join(" ")}`);
    this.ids.push(id);
  }

  unregisterCommandNetworkLists(): void {
    this.calls.push("unregister");
  }

  cleanupAfterCommand(): void {
    this.calls.push("clean");
  }

  async reset(): Promise<void> {
    this.calls.push("reset");
  }
}

function openWith(manager: RuntimeManager, isRoot = false) {
  const load = async () => ({ manager, folder: "/opt/package" });
  return sandboxRuntime({ load, platform: "linux", isRoot });
}

function specOf(argv: readonly [string, ...string[]], more: Partial<SandboxSpec> = {}): SandboxSpec {
  const command = () => ({ argv, env: { GIVEN: "1" } });
  return { skill, mounts: [], network: "none", limits, hasChannel: false, command, ...more };
}

test("reports a missing package with its install command [S-29]", async () => {
  const load = (name: string) => import(`/nowhere/${name}/index.js`);
  await expect(loadSandboxRuntime(load)).rejects.toMatchObject({
    code: "SANDBOX_UNAVAILABLE",
    hint: "Install it: npm install @anthropic-ai/sandbox-runtime",
  });
});

test("rejects root, and the probe says why [S-29]", async () => {
  const manager = new FakeManager();
  const sandbox = openWith(manager, true);
  await expect(sandbox.start(specOf(["/bin/true"]))).rejects.toMatchObject({ code: "SANDBOX_UNAVAILABLE" });
  expect(await sandbox.probe()).toMatchObject({
    isAvailable: false,
    problem: { message: "Under root, the sandbox-runtime backend does not protect kernel settings." },
  });
  expect(manager.calls).toEqual([]);
});

test("rejects a fully open network [S-29]", async () => {
  const run = openWith(new FakeManager()).start(specOf(["/bin/true"], { network: "open" }));
  await expect(run).rejects.toMatchObject({ code: "SANDBOX_UNAVAILABLE" });
});

test("reports missing dependencies of the package, and runs no program [S-29]", async () => {
  const manager = new FakeManager();
  manager.errors = ["socat is missing"];
  const run = openWith(manager).start(specOf(["/bin/true"]));
  await expect(run).rejects.toMatchObject({
    code: "SANDBOX_UNAVAILABLE",
    message: "The sandbox-runtime backend does not work on this machine: socat is missing.",
  });
  expect(manager.calls).toEqual([]);
});

test("cleans up when the setup fails [S-29]", async () => {
  const manager = new FakeManager();
  manager.failure = new Error("no namespace");
  const run = openWith(manager).start(specOf(["/bin/true"]));
  await expect(run).rejects.toMatchObject({ code: "SANDBOX_UNAVAILABLE", message: /no namespace$/ });
  expect(manager.calls).toEqual(["initialize", "unregister", "clean", "reset"]);
});

describe.skipIf(process.platform === "win32")("a run", () => {
  test("can read and write only the given paths [S-29]", async () => {
    const manager = new FakeManager();
    const [input, output] = ["in", "out"].map((name) => mkdtempSync(join(skill, name)));
    if (input === undefined || output === undefined) throw new Error("There are two folders.");
    const mounts = [
      { source: input, target: "/in", isWritable: false },
      { source: output, target: "/out", isWritable: true },
    ];
    const spec = specOf(["/bin/sh", "-c", "pwd"], { mounts });
    const running = await openWith(manager).start(spec);
    const { stdout } = await supervise(running, limits);
    await running.dispose();
    const work = stdout.trim();
    const [general, own] = manager.configs.map((config) => config.filesystem);
    const paths = (list: readonly { readonly path: string }[] | undefined) => list?.map((each) => each.path);
    expect([paths(general?.denyRead), paths(general?.allowRead)]).toEqual([["/"], []]);
    expect(paths(own?.denyRead)).toEqual(["/"]);
    expect(paths(own?.allowRead)).toEqual(
      expect.arrayContaining(["/usr", "/opt/package", skill, work, input, output]),
    );
    expect(paths(own?.allowRead)).not.toContain(tmpdir());
    expect(paths(own?.allowWrite)).toEqual([work, output]);
    expect(paths(own?.denyWrite)).toEqual([skill, input]);
    expect(own?.allowRead.every((each) => each.literal)).toBe(true);
  });

  test("reaches the named hosts under an unguessable id [S-29]", async () => {
    const manager = new FakeManager();
    const running = await openWith(manager).start(
      specOf(["/bin/true"], { network: { hosts: ["example.org"] } }),
    );
    await supervise(running, limits);
    await running.dispose();
    expect(manager.calls).toEqual([
      "initialize",
      "register example.org",
      "wrap",
      "unregister",
      "clean",
      "reset",
    ]);
    expect(manager.configs.map((config) => config.network.allowedDomains)).toEqual([[], ["example.org"]]);
    expect(manager.ids[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(manager.ids[1]).toBe(manager.ids[0]);
  });

  test("has no host variables, and files are collected from its own folder [S-29]", async () => {
    process.env["RUNTIME_CANARY"] = "canary-of-ours";
    const target = mkdtempSync(join(tmpdir(), "skillhold-runtime-out-"));
    try {
      const script = 'env; echo made > file; ln -s /etc/passwd link; echo "$PWD"';
      const running = await openWith(new FakeManager()).start(specOf(["/bin/sh", "-c", script]));
      const { stdout } = await supervise(running, limits);
      const collected = await running.collect(target);
      await running.dispose();
      expect(stdout).toContain("GIVEN=1");
      expect(stdout).not.toContain("canary-of-ours");
      expect(collected.files).toEqual([{ path: "file", size: 5 }]);
      expect(collected.refused.map((each) => each.path)).toEqual(["link"]);
    } finally {
      delete process.env["RUNTIME_CANARY"];
      rmSync(target, { recursive: true });
    }
  });

  test("shares the package's manager with concurrent runs, and resets it after the last [S-29]", async () => {
    const manager = new FakeManager();
    const sandbox = openWith(manager);
    const runs = await Promise.all([1, 2].map(() => sandbox.start(specOf(["/bin/true"]))));
    await Promise.all(runs.map((running) => supervise(running, limits)));
    for (const running of runs) await running.dispose();
    expect(manager.calls.filter((call) => call === "initialize")).toHaveLength(1);
    expect(manager.calls.at(-1)).toBe("reset");
    expect(manager.calls.filter((call) => call === "reset")).toHaveLength(1);
  });

  test("reports that disk and processes are not limited [S-29]", async () => {
    const running = await openWith(new FakeManager()).start(specOf(["/bin/true"]));
    await supervise(running, limits);
    await running.dispose();
    expect(running.enforced).toMatchObject({ wall: "run", output: "run", disk: "none", processes: "none" });
  });

  test("receives its arguments unchanged [S-29]", () => {
    const word = fc.string({ unit: fc.constantFrom(..."'\"\\$`!*?~#&|;<>(){}[]\n\t =-aé") });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 200 }), (words) => {
        const command = ["printf", "%s\\0", ...words].map(quoteShellWord).join(" ");
        const { stdout } = spawnSync("/bin/bash", ["-c", command], { encoding: "utf8", env: {} });
        expect(stdout.split("\0").slice(0, -1)).toEqual(words);
      }),
      { numRuns: 10 },
    );
    expect(() => quoteShellWord("a\0b")).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
  });
});
