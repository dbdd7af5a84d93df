import { randomInt } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tamperRun } from "../audit/tamper-run.ts";
import { startPostgres } from "../postgres-cluster.ts";
import { recordRun } from "./audit-record.ts";

export interface AuditSoakOptions {
  readonly engine: string;
  readonly count: number;
  readonly say: (text: string) => void;
}

/** Tampers with the log at random; verification must detect every change. Returns the undetected changes. */
export async function soakTampers({ engine, count, say }: AuditSoakOptions): Promise<readonly string[]> {
  return await withStore(engine, async (url) => {
    const { tampers, kinds, missed } = await tamperRun({ url, count, pick: randomInt });
    say(`${engine}: ${tampers} tampers of ${kinds} kinds, ${missed.length} not found\n`);
    return missed;
  });
}

/** Kills working agents; every item that they received must be on record. Returns the unrecorded items. */
export async function soakRecords({ engine, count, say }: AuditSoakOptions): Promise<readonly string[]> {
  return await withStore(engine, async (url, folder) => {
    const onKill = (kills: number) => {
      if (kills % 50 === 0) say(`${engine}: ${kills} kills\n`);
    };
    const report = await recordRun({ url, folder, kills: count, onKill });
    const { kills, handed, begun, unrecorded, problems, errors } = report;
    say(`${engine}: ${kills} kills, ${handed} things handed over, ${begun} runs begun, `);
    say(
      `${unrecorded.length} unrecorded, ${problems.length} problems of the log, ${errors.length} failures\n`,
    );
    return [...unrecorded, ...problems, ...errors];
  });
}

async function withStore<T>(engine: string, use: (url: string, folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "skillhold-soak-"));
  const cluster = engine === "postgres" ? await startPostgres() : undefined;
  try {
    const url = (await cluster?.createDatabase()) ?? `sqlite:${join(folder, "registry.db")}`;
    return await use(url, folder);
  } finally {
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
