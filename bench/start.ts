// How long the command line takes to start, beside Node itself. Runs are interleaved, so that a busy machine
// slows all of them alike.   node bench/start.ts [rounds]
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const rounds = Number(process.argv[2] ?? 40);
const launcher = fileURLToPath(new URL("../packages/cli/bin/skillhold.js", import.meta.url));
const cacheRoot = mkdtempSync(join(tmpdir(), "skillhold-start-"));
const warmCache = join(cacheRoot, "warm");

const cases = [
  { name: "node -e 0", args: ["-e", "0"], cache: () => warmCache },
  {
    name: "skillhold --help, cold cache",
    args: [launcher, "--help"],
    cache: () => mkdtempSync(join(cacheRoot, "cold-")),
  },
  { name: "skillhold --help, warm cache", args: [launcher, "--help"], cache: () => warmCache },
] as const;
const times = cases.map((): number[] => []);

try {
  measure(launcher, ["--help"], warmCache);
  for (let round = 0; round < rounds; round++) {
    for (const [index, { name, args, cache }] of cases.entries())
      times[index]?.push(measure(name, args, cache()));
  }
} finally {
  rmSync(cacheRoot, { recursive: true, force: true });
}
report();

function measure(name: string, args: readonly string[], cache: string): number {
  const { NODE_DISABLE_COMPILE_CACHE: _off, ...env } = process.env;
  const begin = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, {
    env: { ...env, NODE_COMPILE_CACHE: cache },
    encoding: "utf8",
  });
  const elapsed = performance.now() - begin;
  if (status !== 0) throw new Error(`${name} failed: ${stderr}`);
  return elapsed;
}

function report(): void {
  const [bare, , warm] = times.map((list) => ({ median: median(list), min: Math.min(...list) }));
  console.log(`Node ${process.versions.node}, ${rounds} rounds        median     min`);
  for (const [index, { name }] of cases.entries()) {
    const list = times[index] ?? [];
    console.log(`${name.padEnd(32)}${format(median(list))} ms${format(Math.min(...list))} ms`);
  }
  if (bare === undefined || warm === undefined) return;
  console.log(
    `${"warm beside node".padEnd(32)}${format(warm.median / bare.median, 2)} × ${format(warm.min / bare.min, 2)} ×`,
  );
}

function median(list: readonly number[]): number {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;
}

function format(value: number, digits = 1): string {
  return value.toFixed(digits).padStart(7);
}
