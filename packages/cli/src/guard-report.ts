import { neutralText } from "@skillhold/core/text";
import { describeManifest, type GuardFinding, type GuardReport } from "@skillhold/skill/guard";
import { type Io, plain } from "./terminal/output.ts";
import { count, paintFor } from "./terminal/text.ts";

export interface GuardRow {
  readonly path: string;
  readonly id: string;
  readonly report: GuardReport;
}

/** Findings and capabilities to `out`, one block for each skill; the summary to `err`. */
export async function printGuard(io: Io, rows: readonly GuardRow[], showAll: boolean): Promise<void> {
  const paint = await paintFor(io.color);
  const marks = { block: paint.red("block"), warn: paint.yellow("warn"), info: paint.dim("info") };
  for (const { path, report } of rows) {
    io.out(`${paint.bold(neutralText(path, 200))}: ${report.verdict}\n`);
    for (const line of describeManifest(report.manifest)) io.out(`  ${neutralText(line, 400)}\n`);
    for (const finding of report.findings.filter((each) => showAll || each.severity !== "info"))
      printFinding(io, finding, marks[finding.severity]);
    if (showAll)
      for (const { message } of report.incoherent) io.out(`  ${marks.warn} ${neutralText(message, 300)}\n`);
    for (const { file, reason } of report.limitations)
      io.err(`  not read: ${neutralText(file, 200)}: ${plain(reason)}\n`);
  }
  const sum = (verdict: GuardReport["verdict"]) =>
    rows.filter(({ report }) => report.verdict === verdict).length;
  io.err(
    `${count(rows.length, "skill")}: ${sum("block")} blocked, ${sum("review")} to review, ${sum("clean")} clean\n`,
  );
}

function printFinding(io: Io, finding: GuardFinding, mark: string): void {
  const waived = finding.waivedBy === undefined ? "" : " (waived)";
  io.out(`  ${mark} ${neutralText(finding.file, 200)}:${finding.line} ${finding.ruleId}${waived}\n`);
  io.out(`    ${plain(finding.message)}\n`);
  if (finding.excerpt !== "") io.out(`    > ${neutralText(finding.excerpt, 200)}\n`);
  io.out(`    fix: ${plain(finding.fix)}\n`);
}
