import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startPostgres } from "../postgres-cluster.ts";
import { soakRecords, soakTampers } from "./audit-run.ts";
import { crash } from "./crash.ts";
import { soakGateway } from "./gateway.ts";
import { soakProposals } from "./proposal-run.ts";
import { soakEnvironments, soakFiles, soakPool, soakSweeps } from "./resource-run.ts";

/**
 * Usage: npm run soak [-- <campaign>] [--count <number>] [--seconds <number>]
 *   [--engine sqlite|postgres] [--at-once <number>].
 *
 * crash: publishers are killed at random instants: acknowledged revisions survive, no revision is half visible, and
 * fsck finds only waste. audit: the log is tampered with, and verification detects it. record: agents are killed at
 * random instants: every delivered item and every run has a record. proposal: appliers are killed at random instants: each
 * proposal is applied whole or not at all. sweep: contents are published again while their bytes are swept: no byte in
 * use is lost, and none is left over. gateway: clients come and go for a while: no request fails, and memory does not grow.
 * environment: installers are killed at random instants: environments are complete and shared. files: a gateway runs out
 * of open files. pool: stores run out of connections. Both recover, and lose nothing that was acknowledged.
 */
const { values, positionals } = parseArgs({
  options: {
    count: { type: "string" },
    seconds: { type: "string", default: "600" },
    engine: { type: "string" },
    "at-once": { type: "string", default: "2" },
  },
  allowPositionals: true,
});
const atOnce = Number(values["at-once"]);
const campaigns = {
  crash: { count: 1000, run: soakCrashes },
  audit: { count: 1000, run: (engine: Engine, count: number) => soakTampers({ engine, count, say }) },
  proposal: { count: 500, run: (engine: Engine, count: number) => soakProposals({ engine, count, say }) },
  sweep: { count: 3000, run: (engine: Engine, count: number) => soakSweeps({ engine, count, say }) },
  record: { count: 500, run: (engine: Engine, count: number) => soakRecords({ engine, count, say }) },
} as const;
type Engine = "sqlite" | "postgres";

if (positionals.length === 0 || positionals.includes("gateway")) {
  const problems = await soakGateway({ seconds: Number(values.seconds), say });
  for (const problem of problems.slice(0, 20)) say(`  ${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
}
const single = {
  environment: { count: 50, run: soakEnvironments },
  files: { count: 10, run: soakFiles },
  pool: { count: 5000, run: soakPool },
} as const;
for (const [name, { count, run }] of Object.entries(single)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const problems = await run({ count: Number(values.count ?? count), say });
  for (const problem of problems.slice(0, 20)) say(`  ${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
}
for (const [name, { count, run }] of Object.entries(campaigns)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  for (const engine of ["sqlite", "postgres"] as const) {
    if (values.engine !== undefined && values.engine !== engine) continue;
    const problems = await run(engine, Number(values.count ?? count));
    for (const problem of problems.slice(0, 20)) say(`  ${problem.trim()}\n`);
    if (problems.length > 0) process.exitCode = 1;
  }
}

async function soakCrashes(engine: Engine, kills: number): Promise<readonly string[]> {
  const started = performance.now();
  const folder = mkdtempSync(join(tmpdir(), "skillhold-soak-"));
  const cluster = engine === "postgres" ? await startPostgres() : undefined;
  try {
    const url = (await cluster?.createDatabase()) ?? `sqlite:${join(folder, "registry.db")}`;
    const onKill = (count: number) => {
      if (count % 50 === 0) say(`${engine}: ${count} kills\n`);
    };
    const report = await crash({ url, folder, kills, atOnce, onKill });
    const { acknowledged, lost, halfVisible, findings, errors } = report;
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    say(`${engine}: ${kills} kills in ${seconds} s, ${acknowledged} acknowledged, ${lost.length} lost, `);
    say(`${halfVisible.length} half visible, ${findings.length} fsck findings, ${errors.length} failures\n`);
    return [...lost, ...halfVisible, ...findings, ...errors];
  } finally {
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function say(text: string): void {
  process.stdout.write(text);
}
