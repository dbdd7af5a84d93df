import { hash } from "node:crypto";
import type { Clock } from "@skillhold/core/port";
import { SkillError } from "@skillhold/protocol/error";
import { ZodError, z } from "zod";
import type { Db, Queries, Tx } from "../engine/db.ts";
import { noRegistry } from "../engine/no-registry.ts";
import { sql } from "../engine/sql.ts";
import { type Migration, migrations } from "./migration-table.ts";

const MigrationRow = z.object({ id: z.int(), name: z.string(), checksum: z.string() });

/** What may be done to a database that is not what this program knows. */
export interface MigrationPolicy {
  /** Whether one without a registry is given one. */
  readonly create: boolean;
  /** Whether a registry of an older version is brought up to date: older programs cannot use it any more then. */
  readonly upgrade: boolean;
}

/**
 * Brings a database to what this program knows. One that a newer program has changed, or whose tables are not ours, is
 * refused and left as it is.
 */
export async function migrate(
  db: Db,
  clock: Clock,
  steps: readonly Migration[] = migrations,
  policy: MigrationPolicy = { create: true, upgrade: true },
): Promise<void> {
  const done = await findVersion(db, steps);
  if (done === steps.length) return;
  if (done === 0 && !policy.create) throw noRegistry(db.place);
  if (done > 0 && !policy.upgrade) throw older(done, steps.length);
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

/** 0 for a database without a registry. */
async function findVersion(db: Db, steps: readonly Migration[]): Promise<number> {
  if (await db.hasTable("migration")) return await countDone(db, steps);
  for (const name of steps.flatMap(tablesOf)) {
    // Another process may have made it meanwhile, and then all of ours are there.
    if ((await db.hasTable(name)) && !(await db.hasTable("migration"))) throw foreign(db.place, name);
  }
  return 0;
}

function tablesOf({ script }: Migration): readonly string[] {
  return [...script.matchAll(/create table (\w+)/g)].flatMap(([, name]) => name ?? []);
}

async function apply(tx: Tx, id: number, step: Migration, clock: Clock): Promise<void> {
  await tx.script(step.script);
  await step.fill?.(tx);
  await tx.run(sql`insert into migration (id, name, checksum, at)
    values (${id}, ${step.name}, ${checksumOf(step)}, ${clock.now().toISOString()})`);
}

async function countDone(db: Queries, steps: readonly Migration[]): Promise<number> {
  const query = sql`select id, name, checksum from migration order by id`;
  const rows = await db.all(query, MigrationRow).catch((error: unknown) => {
    throw isOfAnother(error) ? foreign("the database", "migration", error) : error;
  });
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

/** A table of that name with other columns, or with rows that we do not write. */
function isOfAnother(error: unknown): boolean {
  if (!(error instanceof SkillError)) return false;
  // PostgreSQL has a code for it, and SQLite words alone.
  const hasOtherColumns = error.details["code"] === "42703" || error.message.includes("no such column");
  return hasOtherColumns || error.cause instanceof ZodError;
}

function foreign(place: string, table: string, cause?: unknown): SkillError {
  return new SkillError("CONFIG_INVALID", `In ${place} there is a table ${table} of another program.`, {
    hint: "Name a database of its own for the registry.",
    details: { table },
    cause,
  });
}

function older(version: number, known: number): SkillError {
  return new SkillError(
    "CONFIG_INVALID",
    `The registry is of version ${version} and has to be brought to version ${known}; looking at it does not do so.`,
    {
      hint: "Any command that changes it does, `skillhold publish` for one. Older programs cannot use it after that.",
      details: { version },
    },
  );
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
