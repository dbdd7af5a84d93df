import type { EvalReport, Interval, OfflineReport, TaskReport, TriggerReport } from "@skillhold/eval";
import { type Io, plain } from "../terminal/output.ts";
import { formatTable } from "../terminal/table.ts";
import { count, paintFor } from "../terminal/text.ts";

/** A report for people. */
export async function printEvalReport(io: Io, report: EvalReport): Promise<void> {
  switch (report.kind) {
    case "tasks":
      await printTasks(io, report);
      break;
    case "triggers":
      await printTriggers(io, report);
      break;
    case "offline":
      await printOffline(io, report);
      break;
  }
  for (const note of report.notes) io.err(`note: ${plain(note)}\n`);
}

/** `83 % (61–94)`. */
export function percent(interval: Interval | undefined): string {
  if (interval === undefined) return "–";
  const { value, low, high } = interval;
  return `${Math.round(100 * value)} % (${Math.round(100 * low)}–${Math.round(100 * high)})`;
}

async function print(
  io: Io,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): Promise<void> {
  const paint = await paintFor(io.color);
  const cells = rows.map((row) => row.map(plain));
  const width = io.isOutTty ? io.columns : undefined;
  io.out(
    formatTable(
      columns.map((title) => ({ title })),
      cells,
      { width, paintTitle: paint.bold },
    ),
  );
}

/** The first characters of a tree hash, which distinguish contents. */
export function shortHash(hash: string): string {
  return hash.replace(/^sha256:/, "").slice(0, 8);
}

async function printTasks(io: Io, report: TaskReport): Promise<void> {
  io.out(
    `${report.skill} ${shortHash(report.treeHash)}: ${count(report.cases.length, "case")}, ${count(report.runs, "run")} each, `,
  );
  io.out(`runner ${plain(`${report.runner.id} (${report.runner.model})`)}\n\n`);
  await print(
    io,
    ["", "passed", "score", "pass^k", "seconds", "tokens", "errors", "timeouts", "ungraded"],
    report.arms.map(({ name, counts, passed, score, passHatK, seconds, tokens }) => [
      name,
      percent(passed),
      score === undefined ? "–" : score.mean.toFixed(2),
      passHatK === undefined ? "–" : passHatK.toFixed(2),
      seconds === undefined ? "–" : seconds.mean.toFixed(1),
      tokens === undefined ? "–" : String(Math.round(tokens.mean)),
      String(counts.error),
      String(counts.timeout),
      String(counts.ungraded),
    ]),
  );
  if (report.comparison !== undefined) io.out(`\n${comparisonLine(report.comparison)}\n`);
  if (report.pairs !== undefined) {
    const { first, second, tie, inconsistent } = report.pairs;
    io.out(`Pairs: ${first} won, ${second} lost, ${tie} tied (${inconsistent} depend on the order).\n`);
  }
  printFailures(io, report);
}

export function comparisonLine({ delta, p, verdict }: NonNullable<TaskReport["comparison"]>): string {
  const signed = (value: number) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
  const figures = `${signed(delta.value)} (95 % interval ${signed(delta.low)} to ${signed(delta.high)}, p = ${p.toFixed(3)})`;
  return `Difference in score: ${figures}: ${verdict}.`;
}

const MOST_FAILURES = 20;

function printFailures(io: Io, { trials, arms: [first] }: TaskReport): void {
  const lines = trials
    .filter(({ arm }) => arm === first?.name)
    .flatMap(({ caseId, run, outcome, message, grades }) => [
      ...(outcome === "done" ? [] : [`${caseId} run ${run}: ${outcome}: ${message ?? ""}`]),
      ...grades
        .filter(({ verdict }) => verdict !== "pass")
        .map(({ text, verdict, evidence }) => `${caseId} run ${run}: ${verdict}: ${text} – ${evidence}`),
    ]);
  if (lines.length > 0) io.out("\n");
  for (const line of lines.slice(0, MOST_FAILURES))
    io.out(`  ${plain(line.replaceAll("\n", " ").slice(0, 300))}\n`);
  if (lines.length > MOST_FAILURES)
    io.out(`  and ${lines.length - MOST_FAILURES} more; --json has them all\n`);
}

async function printTriggers(io: Io, report: TriggerReport): Promise<void> {
  const { runner, counts } = report;
  io.out(
    `${report.skill} ${shortHash(report.treeHash)}: ${count(report.queries.length, "query").replace("querys", "queries")}, `,
  );
  io.out(
    `${count(report.runs, "run")} each, among ${count(report.distractors, "other skill")}, runner ${plain(`${runner.id} (${runner.model})`)}\n`,
  );
  io.out(
    `recall ${percent(report.recall)}, precision ${percent(report.precision)}, specificity ${percent(report.specificity)}; `,
  );
  io.out(`${counts.error} errors, ${counts.timeout} timeouts\n`);
  const wrong = report.queries.filter(({ isRight }) => isRight !== true);
  if (wrong.length === 0) return;
  io.out("\n");
  await print(
    io,
    ["should", "rate", "verdicts", "read instead", "query"],
    wrong.map(({ shouldTrigger, rate, verdicts, instead, query }) => [
      shouldTrigger ? "yes" : "no",
      rate === undefined ? "–" : rate.toFixed(2),
      verdicts.join(" "),
      instead
        .map(({ skill, words }) => `${skill}${words.length === 0 ? "" : ` (${words.join(", ")})`}`)
        .join("; ") || "–",
      query,
    ]),
  );
}

async function printOffline(io: Io, report: OfflineReport): Promise<void> {
  io.out(
    `${report.skill} ${shortHash(report.treeHash)}: ranked by search among ${count(report.skills, "skill")}, without a model\n`,
  );
  io.out(
    `first ${percent(report.hitAt1)}, in the first three ${percent(report.hitAt3)}, in the first five ${percent(report.hitAt5)}\n`,
  );
  io.out(`of the requests that should not trigger, ${percent(report.falseFirst)} rank it first`);
  io.out(
    report.abstained === undefined ? "\n" : `; the fitted margin keeps out ${percent(report.abstained)}\n`,
  );
  const lost = report.queries.filter(({ shouldTrigger, rank }) => (rank === 1) !== shouldTrigger);
  if (lost.length === 0) return;
  io.out("\n");
  await print(
    io,
    ["should", "rank", "margin", "best other", "query"],
    lost.map(({ shouldTrigger, rank, margin, rival, query }) => [
      shouldTrigger ? "yes" : "no",
      rank === undefined ? "–" : String(rank),
      margin.toFixed(2),
      rival === undefined
        ? "–"
        : `${rival.skill}${rival.words.length === 0 ? "" : ` (${rival.words.join(", ")})`}`,
      query,
    ]),
  );
}
