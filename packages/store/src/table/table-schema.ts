import { type Migration, migrations } from "./migration-table.ts";

/** A table of the registry as the migrations leave it. */
export interface TableSchema {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns of the primary key. */
  readonly key: readonly string[];
}

/** The tables after the given migrations. Every name comes from the source text, so it is safe in SQL. */
export function listTables(steps: readonly Migration[] = migrations): readonly TableSchema[] {
  const tables = new Map<string, TableSchema>();
  for (const { script } of steps)
    for (const statement of script.split(";").map((text) => text.trim())) applyStatement(tables, statement);
  return [...tables.values()];
}

function applyStatement(tables: Map<string, TableSchema>, statement: string): void {
  const [, created, body = ""] = /^create table (\w+) \((.*)\) \{strict\}$/s.exec(statement) ?? [];
  if (created !== undefined) tables.set(created, readTable(created, body));
  const [, altered = "", column] = /^alter table (\w+) add column (\w+)/.exec(statement) ?? [];
  const table = tables.get(altered);
  if (column !== undefined && table !== undefined)
    tables.set(altered, { ...table, columns: [...table.columns, column] });
  const [, dropped] = /^drop table (\w+)/.exec(statement) ?? [];
  if (dropped !== undefined) tables.delete(dropped);
  const [, old = "", renamed] = /^alter table (\w+) rename to (\w+)/.exec(statement) ?? [];
  const moved = tables.get(old);
  if (renamed === undefined || moved === undefined) return;
  tables.delete(old);
  tables.set(renamed, { ...moved, name: renamed });
}

function readTable(name: string, body: string): TableSchema {
  const columns = [...body.matchAll(/^\s*(\w+) \{(?:text|int|bytes)\}/gm)].flatMap(
    ([, column]) => column ?? [],
  );
  const [, list] = /^\s*primary key \(([^)]*)\)/m.exec(body) ?? [];
  const [, single] = /^\s*(\w+) \{\w+\}[^,]*primary key/m.exec(body) ?? [];
  const key = list?.split(", ") ?? (single === undefined ? [] : [single]);
  return { name, columns, key };
}
