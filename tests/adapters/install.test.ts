import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const script = join(import.meta.dirname, "../../scripts/install-frameworks.mjs");

test("without a registry, the installer says what it needs and leaves no half of an installation [S-72]", () => {
  const scratch = mkdtempSync(join(tmpdir(), "skillhold-frameworks-"));
  try {
    const env = {
      PATH: process.env["PATH"],
      HOME: scratch,
      XDG_CACHE_HOME: join(scratch, "cache"),
      npm_config_cache: join(scratch, "npm"),
      npm_config_registry: "http://127.0.0.1:9",
      npm_config_fetch_retries: "0",
    };
    const { status, stdout, stderr } = spawnSync(process.execPath, [script], { env, encoding: "utf8" });
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain("Connect to the package registry");
    expect(stderr).toContain("ECONNREFUSED");
    expect(readdirSync(join(scratch, "cache/skillhold-frameworks"))).toEqual([]);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
});

test("every framework is pinned, and every peer of the adapters is among them [S-72]", () => {
  const read = (path: string) => JSON.parse(readFileSync(join(import.meta.dirname, path), "utf8"));
  const pinned: Record<string, string> = read("package.json").dependencies;
  expect(Object.values(pinned).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  const peers = Object.keys(read("../../packages/adapters/package.json").peerDependencies);
  expect(peers.filter((name) => !Object.hasOwn(pinned, name))).toEqual([]);
  expect(readFileSync(join(import.meta.dirname, "package-lock.json"), "utf8")).not.toContain('"resolved"');
});
