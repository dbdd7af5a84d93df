import type { ArgumentSpec, OptionSpec } from "../../command.ts";

export const skillArgument = {
  usage: "<skill>",
  summary: "the skill's id, or its folder",
} as const satisfies ArgumentSpec;

export const runnerNames = ["loop", "claude", "codex", "script"] as const;

/** Where a runner finds its model. */
export const endpointOptions = [
  {
    flags: "--api <name>",
    summary: "the API of the endpoint, for loop",
    choices: ["openai", "anthropic"],
    default: "openai",
  },
  { flags: "--base-url <url>", summary: "the endpoint, for loop; by default $SKILLHOLD_MODEL_URL" },
  { flags: "--program <path>", summary: "the client's program, for claude and codex; by default from $PATH" },
] as const satisfies readonly OptionSpec[];

export const scriptOption = {
  flags: "--script <file>",
  summary: "the replies of the model, for script",
} as const satisfies OptionSpec;

export const runnerOptions = [
  {
    flags: "--runner <name>",
    summary: "the agent that does the work",
    choices: runnerNames,
    default: "loop",
  },
  { flags: "--model <name>", summary: "the model; by default $SKILLHOLD_MODEL" },
  ...endpointOptions,
  {
    flags: "--allow-tool <name>",
    summary: "let claude use this tool as well; may be repeated",
    repeats: true,
  },
  scriptOption,
  {
    flags: "--run-scripts",
    summary: "let the agent run scripts of skills in the sandbox, for loop and script",
  },
  { flags: "--parallel <count>", summary: "how many trials run at the same time", default: "4" },
  { flags: "--timeout <seconds>", summary: "how long a trial may take", default: "300" },
  { flags: "--max-turns <count>", summary: "how many turns a trial may take", default: "30" },
  { flags: "--distractors <count>", summary: "how many other skills the agent sees", default: "20" },
  { flags: "--seed <number>", summary: "chooses the other skills and the split", default: "42" },
  { flags: "--budget-tokens <count>", summary: "begin no trial after so many tokens" },
  { flags: "--budget-usd <dollars>", summary: "begin no trial after so many dollars" },
  { flags: "--budget-minutes <minutes>", summary: "begin no trial after so many minutes" },
  { flags: "--price <input,output>", summary: "dollars for a million tokens in and out, to count the cost" },
] as const satisfies readonly OptionSpec[];

export const runsOption = {
  flags: "--runs <count>",
  summary: "how often each is tried",
  default: "3",
} as const satisfies OptionSpec;

export const triggersOption = {
  flags: "--triggers <file>",
  summary: "the trigger set; by default evals/triggers.json of the skill",
} as const satisfies OptionSpec;

export const evalsOption = {
  flags: "--evals <file>",
  summary: "the eval file; by default evals/evals.json of the skill",
} as const satisfies OptionSpec;

export const judgeOptions = [
  { flags: "--judge-model <name>", summary: "the model that grades what no check can, at the same endpoint" },
  { flags: "--judge-script <file>", summary: "the replies of a scripted judge, for tests" },
] as const satisfies readonly OptionSpec[];
