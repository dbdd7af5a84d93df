import { join } from "node:path";
import {
  layOutForTrials,
  type OfflineReport,
  otherTriggers,
  reportOffline,
  reportTriggers,
  runTriggers,
  type TriggerReport,
  wordsFor,
} from "@skillhold/eval";
import { shortPath } from "@skillhold/host/place";
import type { CommandInput } from "../../command.ts";
import { defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { chooseRunner, trialSettings } from "../../eval/eval-runner.ts";
import {
  chooseOthers,
  type EvalTarget,
  keepReport,
  readTriggers,
  withEvalTarget,
} from "../../eval/eval-target.ts";
import { printEvalReport } from "../../eval/eval-text.ts";
import { libraryOptions } from "../../shared-option.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { openProgress } from "../../terminal/progress.ts";
import { runnerOptions, runsOption, skillArgument, triggersOption } from "./eval-option.ts";

const optionSpecs = [
  triggersOption,
  { flags: "--offline", summary: "use no model: rank the skill by Skillhold's own search" },
  runsOption,
  ...runnerOptions,
  ...libraryOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [skillArgument],
  options: optionSpecs,
  examples: ["eval triggers ./skills/pdf --offline", "eval triggers pdf --runner codex --runs 5"],
  run,
});

/** Measures on which requests the skill triggers, with an agent or by search alone, and keeps the result. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  return await withEvalTarget<ExitCode>(input, async (target) => {
    const report =
      options["offline"] === true ? await scoreOffline(target, input) : await askAgent(target, input);
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

/** Rank and margin of the skill by search. */
export async function scoreOffline(target: EvalTarget, input: CommandInput): Promise<OfflineReport> {
  const { library, viewer, entry, treeHash } = target;
  return await reportOffline(
    {
      skill: entry.id,
      treeHash,
      at: new Date(),
      skills: (await library.list(viewer)).length,
      queries: readTriggers(target, input),
      others: await otherTriggers(entry.id, target),
    },
    { library, viewer },
  );
}

async function askAgent(target: EvalTarget, input: CommandInput): Promise<TriggerReport> {
  const { library, viewer, entry, place, treeHash } = target;
  const { io } = input;
  const queries = readTriggers(target, input);
  const { timers, ...settings } = trialSettings(input);
  const runner = chooseRunner(input);
  const others = await chooseOthers(
    target,
    queries.map(({ query }) => query),
    input,
  );
  const skills = await layOutForTrials([...others, entry.id], join(place, "skills"), { library, viewer });
  const progress = openProgress(io, "asking");
  try {
    const result = await runTriggers(
      { skill: entry.id, queries, skills, ...settings, place: join(place, "trials"), signal: io.signal },
      {
        runner,
        timers,
        onProgress: (done, total, { query, verdict }) => progress.update(done, total, `${verdict} ${query}`),
      },
    );
    return await reportTriggers(queries, result, {
      skill: entry.id,
      treeHash,
      at: new Date(),
      runner: { id: runner.id, model: runner.model },
      runs: settings.runs,
      distractors: others.length,
      wordsFor: (query, other) => wordsFor(query, other, entry.id, { library, viewer }),
    });
  } finally {
    progress.stop();
  }
}
