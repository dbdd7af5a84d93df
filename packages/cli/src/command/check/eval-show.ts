import type { EvalReport } from "@skillhold/eval";
import { SkillError } from "@skillhold/protocol/error";
import type { CommandInput } from "../../command.ts";
import { defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { openResults, readSkillArgument } from "../../eval/eval-target.ts";
import { percent, printEvalReport, shortHash } from "../../eval/eval-text.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";
import { formatTable } from "../../terminal/table.ts";
import { paintFor } from "../../terminal/text.ts";
import { skillArgument } from "./eval-option.ts";

const optionSpecs = [
  { flags: "--all", summary: "list every result" },
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [skillArgument],
  options: optionSpecs,
  examples: ["eval show pdf", "eval show pdf --all"],
  run,
});

/** Prints the latest result of each kind, or lists them all. */
async function run({ args, options, io }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { id } = readSkillArgument(args[0] ?? "", io);
  const reports = openResults(io).list(id);
  if (reports.length === 0)
    throw new SkillError("PATH_NOT_FOUND", `There is no result for ${id}.`, {
      hint: `\`skillhold eval triggers ${id} --offline\` makes one without a model.`,
    });
  const shown = options["all"] === true ? reports : latestOfEach(reports);
  if (io.json) printData(io, { skill: id, reports: shown });
  else if (options["all"] === true) await printList(io, shown);
  else for (const report of shown) await printEvalReport(io, report);
  return 0;
}

function latestOfEach(reports: readonly EvalReport[]): readonly EvalReport[] {
  return [...new Map(reports.map((report) => [report.kind, report])).values()];
}

async function printList(io: Io, reports: readonly EvalReport[]): Promise<void> {
  const paint = await paintFor(io.color);
  const rows = reports.map((report) =>
    [report.at, shortHash(report.treeHash), report.kind, runnerOf(report), resultOf(report)].map(plain),
  );
  const columns = ["at", "content", "kind", "runner", "result"].map((title) => ({ title }));
  io.out(formatTable(columns, rows, { width: io.isOutTty ? io.columns : undefined, paintTitle: paint.bold }));
}

function runnerOf(report: EvalReport): string {
  return report.kind === "offline" ? "search" : `${report.runner.id} (${report.runner.model})`;
}

function resultOf(report: EvalReport): string {
  switch (report.kind) {
    case "tasks":
      return [
        ...report.arms.map(({ name, passed }) => `${name} ${percent(passed)}`),
        report.comparison?.verdict ?? "",
      ].join(", ");
    case "triggers":
      return `recall ${percent(report.recall)}, precision ${percent(report.precision)}`;
    case "offline":
      return `first ${percent(report.hitAt1)}`;
  }
}
