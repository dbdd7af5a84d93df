import type { Clock } from "@skillhold/core/port";
import { SkillError } from "@skillhold/protocol/error";
import { ZodError, z } from "zod";
import type { Db, Queries, Tx } from "../engine/db.ts";
import { noRegistry } from "../engine/no-registry.ts";
import { sql } from "../engine/sql.ts";
import { checksumOf, type Migration, migrations } from "./migration-table.ts";

const MigrationRow = z.object({ id: z.int(), name: z.string(), checksum: z.string() });

/** The changes allowed to a database of another version. */
export interface MigrationPolicy {
  /** Whether to create a registry in an empty database. */
  readonly create: boolean;
  /** Whether to upgrade an older registry, which older programs then cannot use. */
  readonly upgrade: boolean;
}

/**
 * Migrates a database to the current version. Rejects and keeps one that is newer or has tables of another
 * program.
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
    // Another process may have migrated first.
    const done = await countDone(tx, steps);
    for (const [index, step] of steps.entries()) if (index >= done) await apply(tx, index + 1, step, clock);
  });
}

/** 0 for a database without a registry. */
export async function findVersion(db: Db, steps: readonly Migration[] = migrations): Promise<number> {
  if (await db.hasTable("migration")) return await countDone(db, steps);
  for (const name of steps.flatMap(tablesOf)) {
    // Another process may have created the registry meanwhile, with all tables.
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

/** The table has other columns, or rows of another format. */
function isOfAnother(error: unknown): boolean {
  if (!(error instanceof SkillError)) return false;
  // PostgreSQL has a code for this; SQLite only has the message.
  const hasOtherColumns = error.details["code"] === "42703" || error.message.includes("no such column");
  return hasOtherColumns || error.cause instanceof ZodError;
}

function foreign(place: string, table: string, cause?: unknown): SkillError {
  return new SkillError("CONFIG_INVALID", `In ${place}, the table ${table} belongs to another program.`, {
    hint: "Use a separate database for the registry.",
    details: { table },
    cause,
  });
}

function older(version: number, known: number): SkillError {
  return new SkillError(
    "CONFIG_INVALID",
    `The registry has version ${version} and must be upgraded to version ${known}, but this command is read-only.`,
    {
      hint: "Run a command that writes, for example `skillhold publish`. Older programs cannot use the registry afterwards.",
      details: { version },
    },
  );
}

function newer(version: number, known: number): SkillError {
  return new SkillError(
    "CONFIG_INVALID",
    `The registry has version ${version}, but this program supports versions up to ${known}.`,
    { hint: "Use the newer Skillhold that upgraded it, or choose another store.", details: { version } },
  );
}

function changed({ id, name }: z.infer<typeof MigrationRow>): SkillError {
  return new SkillError("CONFIG_INVALID", `Migration ${id} (${name}) of the registry is unknown.`, {
    hint: "Choose a store that a released version of Skillhold created.",
    details: { id, name },
  });
}
