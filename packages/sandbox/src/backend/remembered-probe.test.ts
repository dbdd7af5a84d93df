import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox, SandboxProbe } from "@skillhold/core/run";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cachedProbe } from "./remembered-probe.ts";

let root: string;
let file: string;
let now: number;
let probes: number;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-probe-"));
  file = join(root, "cache/probe.json");
  now = Date.parse("2026-01-01T00:00:00Z");
  probes = 0;
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("caches a successful probe for an hour across processes [S-29]", async () => {
  const first = await open().probe();
  expect(await open().probe()).toEqual(first);
  expect(probes).toBe(1);
  expect(statSync(file).mode & 0o077).toBe(0);
  now += 3_600_000;
  await open().probe();
  expect(probes).toBe(2);
});

test("does not cache a failed probe [S-29]", async () => {
  expect((await open({ isAvailable: false }).probe()).isAvailable).toBe(false);
  expect((await open().probe()).isAvailable).toBe(true);
});

test("ignores a probe of another machine, time or shape [S-29]", async () => {
  await open().probe();
  const text = readFileSync(file, "utf8");
  const memory = JSON.parse(text);
  for (const other of [
    JSON.stringify({ ...memory, key: `${memory.key} ` }),
    JSON.stringify({ ...memory, at: now + 1 }),
    text.slice(1),
    "null",
  ]) {
    probes = 0;
    writeFileSync(file, other);
    await open().probe();
    expect(probes).toBe(1);
  }
});

test("works without a writable cache file [S-29]", async () => {
  writeFileSync(join(root, "cache"), "");
  expect((await open().probe()).isAvailable).toBe(true);
  expect(readdirSync(root)).toEqual(["cache"]);
});

function open(part: Partial<SandboxProbe> = {}): Sandbox {
  const limits = {
    wall: "run",
    cpu: "run",
    memory: "run",
    processes: "run",
    disk: "run",
    output: "run",
  } as const;
  const sandbox: Sandbox = {
    id: "none",
    start: () => Promise.reject(new Error("nothing is started")),
    probe: async () => {
      probes += 1;
      return { id: "none", isAvailable: true, checks: [], enforced: limits, ...part };
    },
  };
  return cachedProbe(sandbox, file, { now: () => new Date(now) });
}
