import { z } from "zod";
import type { SqlValue } from "../engine/sql.ts";

/** A row by column. Bytes are written as base64, because JSON has no bytes. */
export type BackupRow = Readonly<Record<string, SqlValue>>;

const Value = z.union([
  z.string(),
  z.int(),
  z.null(),
  z
    .strictObject({ base64: z.base64() })
    .transform(({ base64 }) => Uint8Array.from(Buffer.from(base64, "base64"))),
]);
const Row = z.record(z.string(), Value);

/** Reads a row of either engine: SQLite returns objects without a prototype. */
export const AnyRow = {
  parse: (row: unknown): BackupRow =>
    z
      .record(z.string(), z.union([z.string(), z.int(), z.null(), z.instanceof(Uint8Array)]))
      .parse({ ...z.looseObject({}).parse(row) }),
};

export function formatRow(row: BackupRow): string {
  const values = Object.entries(row).map(([column, value]) => [
    column,
    value instanceof Uint8Array ? { base64: Buffer.from(value).toString("base64") } : value,
  ]);
  return JSON.stringify(Object.fromEntries(values));
}

/** Throws for anything that `formatRow` does not write. */
export function parseRow(line: string): BackupRow {
  return Row.parse(JSON.parse(line));
}
