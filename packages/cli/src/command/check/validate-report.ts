import type { Diagnostic, Severity } from "@skillhold/protocol";
import { type Io, plain } from "../../terminal/output.ts";

/** The result for one skill; a row of `--json`. */
export interface ValidationRow {
  /** The skill's folder, relative to the working folder. */
  readonly path: string;
  readonly id: string;
  readonly name: string | null;
  readonly valid: boolean;
  /** Whether the parser repaired the YAML in memory; only `--fix` changes the file. */
  readonly repaired: boolean;
  readonly fixed: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** Prints each skill with its findings and fixes to stdout, and the counts to stderr. */
export async function printReport(
  io: Io,
  rows: readonly ValidationRow[],
  problems: readonly string[],
  quiet: boolean,
): Promise<void> {
  const { default: picocolors } = await import("picocolors");
  const paint = picocolors.createColors(io.color);
  const marks: Readonly<Record<Severity, string>> = {
    error: paint.red("error"),
    warning: paint.yellow("warning"),
    info: paint.blue("info"),
  };
  for (const row of rows) {
    const shown = quiet ? row.diagnostics.filter(({ severity }) => severity === "error") : row.diagnostics;
    if (quiet && shown.length === 0) continue;
    const mark = row.valid ? paint.green("valid") : paint.red("invalid");
    io.out(
      `${mark} ${paint.bold(plain(row.path))}${row.fixed ? " (fixed)" : row.repaired ? " (repaired)" : ""}\n`,
    );
    for (const diagnostic of shown)
      io.out(formatDiagnostic(diagnostic, marks[diagnostic.severity], paint.dim));
  }
  for (const problem of problems) io.err(`note: ${plain(problem)}\n`);
  if (!quiet) io.err(`${summarize(rows)}\n`);
}

function formatDiagnostic(diagnostic: Diagnostic, mark: string, dim: (text: string) => string): string {
  const { file, line, column, code, message, fix } = diagnostic;
  const place = `${file ?? "SKILL.md"}:${line}:${column}`;
  return `  ${plain(place)} ${mark} ${plain(message)} ${dim(code)}\n    ${dim(`fix: ${plain(fix)}`)}\n`;
}

function summarize(rows: readonly ValidationRow[]): string {
  const invalid = rows.filter(({ valid }) => !valid).length;
  const fixed = rows.filter((row) => row.fixed).length;
  const skills = rows.length === 1 ? "1 skill" : `${rows.length} skills`;
  return `${skills}: ${rows.length - invalid} valid, ${invalid} invalid${fixed > 0 ? `, ${fixed} fixed` : ""}`;
}
