import type { TaskReport } from "@skillhold/eval";
import { compareArms } from "@skillhold/eval";
import { SkillError } from "@skillhold/protocol/error";
import type { CommandInput } from "../../command.ts";
import { defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { openResults, readSkillArgument } from "../../eval/eval-target.ts";
import { comparisonLine, percent, shortHash } from "../../eval/eval-text.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { skillArgument } from "./eval-option.ts";

const optionSpecs = [] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [
    skillArgument,
    { usage: "[hashes...]", summary: "the first characters of two tree hashes; by default the last two" },
  ],
  options: optionSpecs,
  examples: ["eval compare pdf", "eval compare pdf 3f2a 9b01"],
  run,
});

/** Compares the latest task evals of two contents of a skill, over the cases that both have. */
async function run({
  args: [named = "", ...hashes],
  io,
}: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { id } = readSkillArgument(named, io);
  const reports = openResults(io)
    .list(id)
    .filter((report) => report.kind === "tasks");
  const [before, after] = choose(id, reports, hashes);
  const comparison = compareArms(pairCases(after, before));
  const notes = [
    ...(sameRunner(before, after)
      ? []
      : ["The two results have different runners or models, so that they are hard to compare."]),
    ...(comparison === undefined ? ["The two results have no case in common."] : []),
  ];
  const side = (report: TaskReport) => ({
    treeHash: report.treeHash,
    at: report.at,
    runner: report.runner,
    passed: report.arms[0]?.passed,
  });
  if (io.json) printData(io, { skill: id, before: side(before), after: side(after), comparison, notes });
  else {
    for (const [name, report] of [
      ["before", before],
      ["after", after],
    ] as const)
      io.out(
        `${name.padEnd(6)}  ${shortHash(report.treeHash)}  ${report.at}  ${percent(report.arms[0]?.passed)}\n`,
      );
    if (comparison !== undefined) io.out(`${comparisonLine(comparison)}\n`);
    for (const note of notes) io.err(`note: ${plain(note)}\n`);
  }
  return 0;
}

function choose(
  id: string,
  reports: readonly TaskReport[],
  hashes: readonly string[],
): readonly [TaskReport, TaskReport] {
  if (hashes.length === 1 || hashes.length > 2)
    throw new SkillError("USAGE", "Name two tree hashes, or leave both out.");
  const latest = [...new Map(reports.map((report) => [report.treeHash, report])).values()].toSorted((a, b) =>
    a.at < b.at ? -1 : 1,
  );
  const chosen = hashes.length === 0 ? latest.slice(-2) : hashes.map((hash) => findReport(id, latest, hash));
  const [before, after] = chosen;
  if (before !== undefined && after !== undefined) return [before, after];
  throw new SkillError(
    "PATH_NOT_FOUND",
    `${id} has task evals of ${latest.length} contents; two are needed.`,
    {
      hint: `Change the skill and run \`skillhold eval run ${id}\` again.`,
    },
  );
}

function findReport(id: string, reports: readonly TaskReport[], hash: string): TaskReport {
  const found = reports.find(
    ({ treeHash }) =>
      shortHash(treeHash).startsWith(hash) || treeHash.replace(/^sha256:/, "").startsWith(hash),
  );
  if (found !== undefined) return found;
  throw new SkillError("PATH_NOT_FOUND", `There is no task eval of ${id} with the tree hash ${hash}.`, {
    hint: `\`skillhold eval show ${id} --all\` lists them.`,
  });
}

function pairCases(after: TaskReport, before: TaskReport) {
  const scoresOf = ({ cases, arms: [arm] }: TaskReport) =>
    new Map(cases.map(({ id, scores }) => [id, arm === undefined ? [] : (scores[arm.name] ?? [])]));
  const old = scoresOf(before);
  return [...scoresOf(after)].map(([id, first]) => ({ first, second: old.get(id) ?? [] }));
}

function sameRunner(a: TaskReport, b: TaskReport): boolean {
  return a.runner.id === b.runner.id && a.runner.model === b.runner.model;
}
