import { type Dependency, formatNeed, type ScanNote } from "@skillhold/core/dependency";
import { neutralText } from "@skillhold/core/text";
import { type Io, plain } from "../../terminal/output.ts";
import { type Column, formatTable } from "../../terminal/table.ts";
import { count, paintFor } from "../../terminal/text.ts";

/** The dependencies found in one skill. */
export interface DependencyScan {
  readonly path: string;
  readonly id: string;
  readonly dependencies: readonly Dependency[];
  readonly notes: readonly ScanNote[];
}

const scanColumns: readonly Column[] = [
  { title: "SKILL", most: 30 },
  { title: "DEPENDENCY", most: 40 },
  { title: "IMPORT", most: 24 },
  { title: "NEEDED" },
  { title: "DECLARED" },
  { title: "SEEN" },
];

export async function printScan(
  io: Io,
  rows: readonly DependencyScan[],
  problems: readonly string[],
): Promise<void> {
  const cells = rows.flatMap(({ id, dependencies }) =>
    dependencies.map((dependency) => [
      id,
      formatNeed(dependency),
      dependency.import === dependency.name ? "" : dependency.import,
      neededCell(dependency),
      dependency.declared ? "yes" : "no",
      formatPlaces(dependency),
    ]),
  );
  await printTable(io, scanColumns, cells);
  for (const { id, notes } of rows) io.err(formatNotes(id, notes));
  for (const problem of problems) io.err(`note: ${plain(problem)}\n`);
  io.err(`${count(rows.length, "skill")}, ${cells.length} dependencies\n`);
}

/** Prints a table of untrusted text; prints no header when there are no rows. */
export async function printTable(
  io: Io,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): Promise<void> {
  if (rows.length === 0) return;
  const paint = await paintFor(io.color);
  const width = io.isOutTty ? io.columns : undefined;
  const cells = rows.map((row) => row.map((cell) => neutralText(cell)));
  io.out(formatTable(columns, cells, { width, paintTitle: paint.dim }));
}

export function neededCell({ optional }: Pick<Dependency, "optional">): string {
  return optional ? "optional" : "required";
}

export function formatPlaces({ seen }: Pick<Dependency, "seen">): string {
  const [first] = seen;
  if (first === undefined) return "";
  return `${first.file}:${first.line}${seen.length > 1 ? ` and ${seen.length - 1} more` : ""}`;
}

export function formatNotes(id: string, notes: readonly ScanNote[]): string {
  return notes.map(({ file, message }) => `note: ${plain(`${id}: ${file}: ${message}`)}\n`).join("");
}
