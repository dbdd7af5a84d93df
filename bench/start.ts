import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compare } from "./measure.ts";

const launcher = fileURLToPath(new URL("../packages/skillhold/bin/skillhold.js", import.meta.url));

/** How long the command line takes to start, beside Node itself. */
export async function benchStart(): Promise<void> {
  const caches = mkdtempSync(join(tmpdir(), "skillhold-start-"));
  const warmCache = join(caches, "warm");
  try {
    const [bare = 0, cold = 0, warm = 0] = await compare([
      () => start(["-e", "0"], warmCache),
      () => start([launcher, "--help"], mkdtempSync(join(caches, "cold-"))),
      () => start([launcher, "--help"], warmCache),
    ]);
    const ratio = (warm / bare).toFixed(2);
    console.log(
      `start: node -e 0 ${bare.toFixed(0)} ms, skillhold --help ${cold.toFixed(0)} ms first, ${warm.toFixed(0)} ms again, ratio ${ratio} (aim: below 2)`,
    );
  } finally {
    rmSync(caches, { recursive: true, force: true });
  }
}

function start(args: readonly string[], cache: string): void {
  const { NODE_DISABLE_COMPILE_CACHE: _off, ...env } = process.env;
  const options = { env: { ...env, NODE_COMPILE_CACHE: cache }, encoding: "utf8" } as const;
  const { status, stderr } = spawnSync(process.execPath, args, options);
  if (status !== 0) throw new Error(`${args.join(" ")} failed: ${stderr}`);
}
