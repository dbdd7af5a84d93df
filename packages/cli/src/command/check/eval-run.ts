import { cpSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  type Arm,
  layOutForTrials,
  prepareCases,
  RunTree,
  reportTasks,
  runTasks,
  type TaskReport,
  type TaskRequest,
} from "@skillhold/eval";
import { shortPath } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";
import type { CommandInput } from "../../command.ts";
import { defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { chooseJudge, chooseRunner, trialSettings } from "../../eval/eval-runner.ts";
import {
  chooseOthers,
  type EvalTarget,
  keepReport,
  layOutFolder,
  layOutRevision,
  readEvals,
  withEvalTarget,
} from "../../eval/eval-target.ts";
import { printEvalReport } from "../../eval/eval-text.ts";
import { countOption, textOption } from "../../option.ts";
import { libraryOptions } from "../../shared-option.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { openProgress } from "../../terminal/progress.ts";
import { evalsOption, judgeOptions, runnerOptions, runsOption, skillArgument } from "./eval-option.ts";

const optionSpecs = [
  evalsOption,
  { flags: "--case <id>", summary: "only this case; may be repeated", repeats: true },
  { flags: "--against <folder>", summary: "compare with the skill in this folder instead of no skill" },
  { flags: "--against-revision <number>", summary: "compare with this revision instead of no skill" },
  runsOption,
  ...judgeOptions,
  { flags: "--pairwise", summary: "let the judge also compare the two sides, in both orders" },
  { flags: "--out <folder>", summary: "write every run there, as skill-creator lays them out" },
  ...runnerOptions,
  ...libraryOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [skillArgument],
  options: optionSpecs,
  examples: [
    "eval run pdf --model gpt-5.1 --judge-model gpt-5.1",
    "eval run ./skills/pdf --runner claude --runs 5 --out ./pdf-workspace",
  ],
  run,
});

/** Runs the task evals of a skill and keeps the result. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io } = input;
  return await withEvalTarget<ExitCode>(input, async (target) => {
    const report = await runEvals(target, input);
    const { file, problem } = await keepReport(report, target, input);
    if (problem !== undefined) io.err(`warning: the store did not keep the result: ${plain(problem)}\n`);
    if (io.json) printData(io, report);
    else {
      await printEvalReport(io, report);
      io.err(`kept as ${plain(shortPath(io, file))}\n`);
    }
    return 0;
  });
}

/** One task eval of the target, with the options of the command line. */
export async function runEvals(target: EvalTarget, input: CommandInput): Promise<TaskReport> {
  const { io, options } = input;
  const { set, file } = readEvals(target, input);
  const { cases, problems } = prepareCases(set.cases, { skill: target.folder, file });
  for (const { at, message } of problems) io.err(`warning: ${plain(`${at}: ${message}`)}\n`);
  if (cases.length === 0) throw new SkillError("CONFIG_INVALID", "No case is left to run.");
  const { timers, ...settings } = trialSettings(input);
  const runner = chooseRunner(input);
  const judge = chooseJudge(input);
  const request: TaskRequest = {
    skill: target.entry.id,
    cases,
    arms: await makeArms(
      target,
      cases.map(({ prompt }) => prompt),
      input,
    ),
    ...settings,
    isPairwise: options["pairwise"] === true,
    place: join(target.place, "trials"),
    signal: io.signal,
  };
  const out = textOption(options, "out");
  const tree = out === undefined ? undefined : new RunTree(resolve(io.cwd, out));
  const progress = openProgress(io, "evaluating");
  try {
    const result = await runTasks(request, {
      runner,
      ...(judge === undefined ? {} : { judge }),
      timers,
      onProgress: (done, total, { caseId, arm, outcome }) =>
        progress.update(done, total, `${caseId} ${arm} ${outcome}`),
      ...(tree === undefined ? {} : { onTrial: (...trial) => tree.writeTrial(...trial) }),
    });
    const report = reportTasks(request, result, {
      at: new Date(),
      runner: { id: runner.id, model: runner.model },
      ...(judge === undefined ? {} : { judge: judge.name }),
    });
    tree?.writeBenchmark(report, target.entry.path);
    return report;
  } finally {
    progress.stop();
  }
}

/** With the skill against without it, or the new content against an old one; the other skills are the same. */
async function makeArms(
  target: EvalTarget,
  prompts: readonly string[],
  input: CommandInput,
): Promise<readonly Arm[]> {
  const { library, viewer, entry, place, treeHash } = target;
  const { id } = entry;
  const others = await chooseOthers(target, prompts, input);
  const folder = textOption(input.options, "against");
  const revision = countOption(input.options, "againstRevision", { min: 1 });
  if (folder !== undefined && revision !== undefined)
    throw new SkillError("USAGE", "--against and --against-revision exclude each other.");
  const current = await layOutForTrials([...others, id], join(place, "current"), { library, viewer });
  const base = await layOutForTrials(others, join(place, "base"), { library, viewer });
  if (folder === undefined && revision === undefined)
    return [
      { name: "with_skill", skills: current, treeHash },
      { name: "without_skill", skills: base },
    ];
  const old =
    folder === undefined
      ? await layOutRevision(revision ?? 0, target, join(place, "old"))
      : await layOutFolder(folder, id, join(place, "old"), input);
  cpSync(join(old.path, id), join(base.path, id), { recursive: true });
  const [before] = old.skills;
  return [
    { name: "new_skill", skills: current, treeHash },
    {
      name: "old_skill",
      skills: { path: base.path, skills: [...base.skills, ...old.skills] },
      ...(before === undefined ? {} : { treeHash: before.treeHash }),
    },
  ];
}
