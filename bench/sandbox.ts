import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Sandbox } from "@skillhold/core/run";
import type { RunLimits } from "@skillhold/core/test/run/sandbox";
import { bubblewrap } from "@skillhold/sandbox/test/backend/bubblewrap";
import { supervise } from "@skillhold/sandbox/test/backend/supervise";

const MB = 1024 * 1024;
const limits: RunLimits = {
  wallMs: 60_000,
  cpuMs: 30_000,
  memoryBytes: 512 * MB,
  processes: 64,
  diskBytes: 50 * MB,
  outputBytes: MB,
};
const argv = ["/bin/sh", "-c", "echo done"] as const;
const rounds = 100;
const parallel = 50;

/** What the sandbox adds to a trivial script beside the same spawn bare, and fifty of them at once. */
export async function benchSandbox(): Promise<void> {
  const sandbox = bubblewrap();
  const bare: number[] = [];
  const confined: number[] = [];
  // In turns, so that a slow moment of the machine falls on both.
  for (let round = -5; round < rounds; round += 1) {
    const first = await time(runBare);
    const second = await time(() => runConfined(sandbox));
    if (round < 0) continue;
    bare.push(first);
    confined.push(second);
  }
  for (const [name, share] of [
    ["p50", 0.5],
    ["p99", 0.99],
  ] as const) {
    const [without, within] = [bare, confined].map((times) => percentile(times, share));
    const added = (within ?? 0) - (without ?? 0);
    const aim = name === "p50" ? " (aim: at most 15 ms added)" : "";
    console.log(
      `sandbox: ${name} bare ${without?.toFixed(1)} ms, confined ${within?.toFixed(1)} ms, added ${added.toFixed(1)} ms${aim}`,
    );
  }
  const all = await time(() => Promise.all(Array.from({ length: parallel }, () => runConfined(sandbox))));
  const one = percentile(confined, 0.5);
  console.log(
    `sandbox: ${parallel} at once ${all.toFixed(0)} ms, all correct, ratio ${(all / (one * parallel)).toFixed(2)} to one after another (aim: at most 1)`,
  );
}

async function time(task: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await task();
  return performance.now() - start;
}

async function runBare(): Promise<void> {
  const child = spawn(argv[0], argv.slice(1), {
    stdio: ["pipe", "pipe", "pipe"],
    env: { PATH: "/usr/bin:/bin" },
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stdin.end();
  await once(child, "close");
  check(output);
}

async function runConfined(sandbox: Sandbox): Promise<void> {
  const running = await sandbox.start({
    skill: "/usr/share",
    mounts: [],
    network: "none",
    limits,
    hasChannel: false,
    command: () => ({ argv, env: {} }),
  });
  try {
    check((await supervise(running, limits)).stdout);
  } finally {
    await running.dispose();
  }
}

function check(output: string): void {
  if (output !== "done\n") throw new Error(`The script answered ${JSON.stringify(output)}.`);
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
