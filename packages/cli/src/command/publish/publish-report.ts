import type { Publication, Published, PublishFailure } from "@skillhold/core/session";
import { neutralText } from "@skillhold/core/text";
import { type ErrorCode, errorTable, SkillError } from "@skillhold/protocol/error";
import { type ExitCode, type Io, plain } from "../../terminal/output.ts";
import { count, formatSize, paintFor } from "../../terminal/text.ts";

/** Prints the result of each skill to `out`, and warnings for its author to `err`. */
export async function printPublications(io: Io, skills: readonly Publication[]): Promise<void> {
  const paint = await paintFor(io.color);
  for (const skill of skills) {
    if (skill.status === "failed") printRefusal(io, skill);
    else {
      io.out(`${paint.bold(skill.id)} revision ${skill.revision}: ${outcome(skill)}\n`);
      printNotes(io, skill);
    }
  }
  if (skills.length > 1) io.err(`${summarize(skills)}\n`);
}

/** Adds the finished results to an interrupt: text is printed now, JSON goes into the error's details. */
export async function withResults(io: Io, skills: readonly Publication[], error: unknown): Promise<unknown> {
  if (!(error instanceof SkillError) || error.code !== "INTERRUPTED") return error;
  const { code, message, hint, details } = error;
  if (io.json) return new SkillError(code, message, { hint, details: { ...details, skills }, cause: error });
  await printPublications(io, skills);
  return error;
}

/** The exit code of the first failure. */
export function publishExit(skills: readonly Publication[]): ExitCode {
  const failure = skills.find((skill) => skill.status === "failed");
  return failure === undefined ? 0 : exitCodeOf(failure.error.code);
}

function exitCodeOf(code: string): ExitCode {
  // Every failure's code comes from the table.
  return errorTable[code as ErrorCode].exit;
}

/** The result of a skill that failed before it was staged. */
export function asFailure(path: string, error: unknown): PublishFailure {
  if (!(error instanceof SkillError) || error.code === "INTERRUPTED") throw error;
  const { code, message, hint, details } = error;
  const found = details["diagnostics"];
  // Only staging sets this field, and it sets a list of diagnostics.
  const diagnostics = Array.isArray(found) ? (found as PublishFailure["diagnostics"]) : [];
  return { id: undefined, path, status: "failed", error: { code, message, hint }, diagnostics };
}

function summarize(skills: readonly Publication[]): string {
  const isDryRun = skills.some((skill) => skill.status !== "failed" && skill.isDryRun);
  const parts = (["published", "unchanged", "failed"] as const)
    .map((status) => [skills.filter((skill) => skill.status === status).length, status] as const)
    .filter(([number]) => number > 0)
    .map(([number, status]) => `${number} ${isDryRun && status === "published" ? "to publish" : status}`);
  return `${count(skills.length, "skill")}: ${parts.join(", ")}`;
}

function outcome({ status, isDryRun, isNew, visibility, files, bytes, state }: Published): string {
  if (status === "unchanged") return "unchanged";
  const done = isDryRun ? "would be published" : "published";
  const first = isNew ? `, new and ${visibility}` : "";
  const archived = state === "archived" ? ", archived until its dependencies are installed" : "";
  return `${done}${first} (${count(files, "file")}, ${formatSize(bytes)})${archived}`;
}

function printNotes(io: Io, { warnings, omitted, diagnostics }: Published): void {
  for (const warning of warnings) io.err(`  warning: ${plain(warning)}\n`);
  // Omitted files are listed below with their reasons.
  for (const { severity, code, message } of diagnostics)
    if (severity === "warning" && code !== "FILE_LEFT_OUT") io.err(`  warning: ${code} ${plain(message)}\n`);
  for (const { path, message } of omitted)
    io.err(`  omitted: ${neutralText(path, 200)}: ${plain(message)}\n`);
}

function printRefusal(io: Io, { id, path, error, diagnostics }: PublishFailure): void {
  io.err(`${plain(id ?? path)}: ${error.code}: ${plain(error.message)}\n`);
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  for (const { code, message, line, column, file, fix } of errors) {
    io.err(`  ${plain(file ?? "SKILL.md")}:${line}:${column} ${code} ${plain(message)}\n`);
    io.err(`    fix: ${plain(fix)}\n`);
  }
  // Findings come with fixes, so the general hint would add no information.
  if (errors.length === 0) io.err(`  hint: ${plain(error.hint)}\n`);
}
