import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startPostgres } from "../postgres-cluster.ts";
import { type CrashReport, crash } from "./crash.ts";

/**
 * Usage: npm run soak [-- --kills <number> --engine sqlite|postgres --at-once <number>]. Publishers are killed at random
 * instants: nothing acknowledged may be lost, nothing half visible, and fsck finds nothing but waste.
 */
const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "1000" },
    engine: { type: "string" },
    "at-once": { type: "string", default: "2" },
  },
});
const kills = Number(values.kills);
const atOnce = Number(values["at-once"]);

for (const engine of values.engine === undefined ? ["sqlite", "postgres"] : [values.engine]) {
  const started = performance.now();
  const report = await soak(engine);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  const { acknowledged, lost, halfVisible, findings, errors } = report;
  say(`${engine}: ${kills} kills in ${seconds} s, ${acknowledged} acknowledged, ${lost.length} lost, `);
  say(`${halfVisible.length} half visible, ${findings.length} fsck findings, ${errors.length} failures\n`);
  const problems = [...lost, ...halfVisible, ...findings, ...errors];
  for (const problem of problems.slice(0, 20)) say(`  ${problem.trim()}\n`);
  if (problems.length > 0) process.exitCode = 1;
}

async function soak(engine: string): Promise<CrashReport> {
  const folder = mkdtempSync(join(tmpdir(), "skillhold-soak-"));
  const cluster = engine === "postgres" ? await startPostgres() : undefined;
  try {
    const url = (await cluster?.createDatabase()) ?? `sqlite:${join(folder, "registry.db")}`;
    const onKill = (count: number) => {
      if (count % 50 === 0) say(`${engine}: ${count} kills\n`);
    };
    return await crash({ url, folder, kills, atOnce, onKill });
  } finally {
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function say(text: string): void {
  process.stdout.write(text);
}
