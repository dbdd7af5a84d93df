import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
  type Attempt,
  agentScorer,
  descriptionPatch,
  fitThreshold,
  layOutForTrials,
  modelImprover,
  offlineScorer,
  optimizeDescription,
  otherTriggers,
  type Propose,
  rankOffline,
  type Scorer,
} from "@skillhold/eval";
import { dataFolder, shortPath } from "@skillhold/host/place";
import { Digest } from "@skillhold/protocol";
import { propose as proposeChange } from "@skillhold/registry/proposal";
import { withDescription } from "@skillhold/skill";
import type { CommandInput } from "../../command.ts";
import { defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { chooseModel, chooseRunner, trialSettings } from "../../eval/eval-runner.ts";
import {
  chooseOthers,
  type EvalTarget,
  readText,
  readTriggers,
  withEvalTarget,
} from "../../eval/eval-target.ts";
import { shortHash } from "../../eval/eval-text.ts";
import { countOption, textOption } from "../../option.ts";
import { libraryOptions } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";
import { runnerOptions, runsOption, skillArgument, triggersOption } from "./eval-option.ts";

const LONGEST_DESCRIPTION = 1024;

const optionSpecs = [
  triggersOption,
  { flags: "--offline", summary: "score by Skillhold's own search; the model only writes descriptions" },
  { flags: "--iterations <count>", summary: "how many descriptions to try", default: "5" },
  { flags: "--out <file>", summary: "write a patch there instead of a proposal" },
  runsOption,
  ...runnerOptions,
  ...libraryOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [skillArgument],
  options: optionSpecs,
  examples: ["eval optimize ./skills/pdf --offline --model gpt-5.1"],
  run,
});

/** Looks for a better description: a proposal for a stored skill, else a patch. The skill itself is never changed. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  return await withEvalTarget<ExitCode>(input, async (target) => {
    const queries = readTriggers(target, input);
    const others = await otherTriggers(target.entry.id, target);
    const bySearch = await searchScorer(target, input, others);
    const result = await optimizeDescription(
      {
        skill: target.entry.id,
        description: target.entry.description,
        queries,
        others,
        iterations: countOption(options, "iterations", { min: 1, max: 50 }) ?? 5,
        seed: countOption(options, "seed", { min: 0 }) ?? 42,
        longest: LONGEST_DESCRIPTION,
      },
      {
        scorer: options["offline"] === true ? bySearch : await askingScorer(target, input),
        neighbors: bySearch,
        improver: modelImprover(chooseModel(input), io.signal),
        onAttempt: (attempt) => printAttempt(io, attempt),
      },
    );
    const proposed =
      result.after === undefined
        ? undefined
        : await propose(target, result.after, result.bestHeldOutScore - result.heldOutScore, input);
    if (io.json) printData(io, { ...result, ...proposed });
    else if (proposed === undefined)
      io.out("The description stays as it is: no candidate is better on held-out requests.\n");
    else {
      const written = `written to ${plain(shortPath(io, proposed.where))}; \`git apply\` or \`patch -p1\` applies it`;
      io.out(`${proposed.patch}\n${proposed.next ?? written}\n`);
    }
    return 0;
  });
}

function printAttempt(io: Io, { description, decision, reason, trainScore, heldOutScore }: Attempt): void {
  if (io.json) return;
  const scores = `train ${trainScore.toFixed(2)}${heldOutScore === undefined ? "" : `, held-out ${heldOutScore.toFixed(2)}`}`;
  io.err(`${decision} (${scores}): ${plain(reason)} ${plain(JSON.stringify(description.slice(0, 120)))}\n`);
}

async function propose(target: EvalTarget, description: string, gain: number, input: CommandInput) {
  const { io, options } = input;
  const before = readText(join(target.folder, "SKILL.md"));
  const after = withDescription(before, description);
  const patch = descriptionPatch(target.entry.id, before, after);
  const out = textOption(options, "out");
  const file =
    out === undefined
      ? join(dataFolder(io.env), "evals", "patches", `${target.entry.id}-${shortHash(target.treeHash)}.patch`)
      : resolve(io.cwd, out);
  const isStored = out === undefined && target.registry !== undefined && target.entry.trust !== "builtin";
  const proposer = isStored ? storedProposal(after, input) : patchFile(file);
  const justification = `The description is right on ${(100 * gain).toFixed(0)} points more of the held-out requests.`;
  const proposed = await proposer.propose({
    skill: target.entry.id,
    base: target.treeHash,
    description,
    patch,
    justification,
  });
  return { patch, ...proposed };
}

/** A proposal in the store, for someone else to review. */
function storedProposal(content: string, input: CommandInput): Propose {
  return {
    propose: ({ skill, base, justification }) =>
      withRegistry(input, "write", async ({ context, actor }) => {
        const { id } = await proposeChange(
          {
            author: actor,
            origin: "api",
            justification,
            evidence: [{ kind: "text", value: "skillhold eval optimize" }],
            subject: { kind: "registry", skill, base: Digest.parse(base) },
            change: { files: [{ path: "SKILL.md", content }] },
          },
          context,
        );
        return { where: id, next: `Proposal ${id} waits for a review: \`skillhold proposal show ${id}\`` };
      }),
  };
}

/** A proposal as a file for a person to apply. */
function patchFile(file: string): Propose {
  return {
    propose: async ({ patch, base, justification }) => {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${justification}\nBase: ${base}\n\n${patch}`);
      return { where: file };
    },
  };
}

/** Scores by search over the SKILL.md files of the catalogue. */
async function searchScorer(
  target: EvalTarget,
  input: CommandInput,
  others: Awaited<ReturnType<typeof otherTriggers>>,
): Promise<Scorer> {
  const { library, viewer, entry, place } = target;
  const ids = await chooseOthers(
    target,
    readTriggers(target, input).map(({ query }) => query),
    input,
  );
  const laidOut = await layOutForTrials(
    [...new Set([...ids, ...others.keys(), entry.id])],
    join(place, "skills"),
    {
      library,
      viewer,
    },
  );
  const skills = new Map(laidOut.skills.map(({ id }) => [id, readText(join(laidOut.path, id, "SKILL.md"))]));
  const rows = [];
  for (const [id, list] of others)
    for (const query of list)
      rows.push({ ...query, ...(await rankOffline(query.query, id, { library, viewer })) });
  return offlineScorer({ skills, viewer, margin: fitThreshold(rows)?.margin ?? 0 });
}

/** Scores with agents, which see the same other skills every time. */
async function askingScorer(target: EvalTarget, input: CommandInput): Promise<Scorer> {
  const { library, viewer, entry, place } = target;
  const { timers, ...settings } = trialSettings(input);
  const others = await chooseOthers(
    target,
    readTriggers(target, input).map(({ query }) => query),
    input,
  );
  const options = {
    ...settings,
    skillIds: [...others, entry.id],
    place: join(place, "scores"),
    signal: input.io.signal,
  };
  return agentScorer(options, { library, viewer, runner: chooseRunner(input), timers });
}
