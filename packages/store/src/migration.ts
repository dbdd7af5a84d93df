import { hash } from "node:crypto";
import type { Clock } from "@skillhold/core";
import { SkillError } from "@skillhold/protocol/error";
import { z } from "zod";
import type { Db, Queries, Tx } from "./db.ts";
import { type Migration, migrations } from "./migration-table.ts";
import { sql } from "./sql.ts";

const MigrationRow = z.object({ id: z.int(), name: z.string(), checksum: z.string() });

/**
 * Brings a database to what this program knows. One that a newer program has changed, or whose migrations are not
 * ours, is refused and left as it is.
 */
export async function migrate(db: Db, clock: Clock, steps: readonly Migration[] = migrations): Promise<void> {
  if ((await db.hasTable("migration")) && (await countDone(db, steps)) === steps.length) return;
  await db.transaction(async (tx) => {
    await tx.lock("migration");
    await tx.script(`create table if not exists migration (
      id {int} not null primary key, name {text} not null, checksum {text} not null, at {text} not null
    ) {strict}`);
    // Another process may have been faster.
    const done = await countDone(tx, steps);
    for (const [index, step] of steps.entries()) if (index >= done) await apply(tx, index + 1, step, clock);
  });
}

async function apply(tx: Tx, id: number, step: Migration, clock: Clock): Promise<void> {
  await tx.script(step.script);
  await step.fill?.(tx);
  await tx.run(sql`insert into migration (id, name, checksum, at)
    values (${id}, ${step.name}, ${checksumOf(step)}, ${clock.now().toISOString()})`);
}

async function countDone(db: Queries, steps: readonly Migration[]): Promise<number> {
  const rows = await db.all(sql`select id, name, checksum from migration order by id`, MigrationRow);
  for (const [index, row] of rows.entries()) {
    const step = steps[index];
    if (step === undefined) throw newer(rows.length, steps.length);
    if (row.id !== index + 1 || row.checksum !== checksumOf(step)) throw changed(row);
  }
  return rows.length;
}

function checksumOf({ script }: Migration): string {
  return hash("sha256", script, "hex");
}

function newer(version: number, known: number): SkillError {
  return new SkillError(
    "CONFIG_INVALID",
    `The registry is of version ${version}; this program knows versions up to ${known}.`,
    { hint: "Use the newer Skillhold that changed it, or name another store.", details: { version } },
  );
}

function changed({ id, name }: z.infer<typeof MigrationRow>): SkillError {
  return new SkillError("CONFIG_INVALID", `Step ${id} (${name}) of the registry is not the one we know.`, {
    hint: "Name the store of a released Skillhold; this one was made by something else.",
    details: { id, name },
  });
}
