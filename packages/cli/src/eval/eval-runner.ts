import { accessSync, constants } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { systemTimers, type Timers } from "@skillhold/core/port";
import type { BudgetLimits, Price } from "@skillhold/eval";
import {
  anthropicModel,
  claudeRunner,
  codexRunner,
  loopRunner,
  type Model,
  modelJudge,
  openAiModel,
  type Runner,
  readModelScript,
  scriptModel,
} from "@skillhold/eval";
import { present } from "@skillhold/host/place";
import { chooseSandbox } from "@skillhold/host/run";
import { SkillError } from "@skillhold/protocol/error";
import type { CommandInput } from "../command.ts";
import { countOption, listOption, textOption } from "../option.ts";
import type { Io } from "../terminal/output.ts";
import { readText } from "./eval-target.ts";

type RunnerInput = Pick<CommandInput, "options" | "io">;

/** The agent that the options ask for. */
export function chooseRunner(input: RunnerInput): Runner {
  const { options, io } = input;
  const sandbox = options["runScripts"] === true ? { sandbox: chooseSandbox(io) } : {};
  switch (options["runner"]) {
    case "claude":
      return claudeRunner({
        program: findProgram("claude", input),
        env: clientEnv(io, "ANTHROPIC_"),
        allowedTools: listOption(options, "allowTool"),
        ...modelName(input),
      });
    case "codex":
      return codexRunner({
        program: findProgram("codex", input),
        env: clientEnv(io, "OPENAI_", "CODEX_API"),
        ...modelName(input),
      });
    case "script":
      return loopRunner(scripted("script", input), { id: "script", ...sandbox });
    default:
      return loopRunner(chooseModel(input), sandbox);
  }
}

/** The model at the endpoint of the options; with the runner `script`, the scripted one. */
export function chooseModel(input: RunnerInput, name?: string): Model {
  const { options, io } = input;
  if (options["runner"] === "script" && name === undefined) return scripted("script", input);
  const api = options["api"] === "anthropic" ? "anthropic" : "openai";
  const model = name ?? modelName(input).model;
  if (model === undefined)
    throw new SkillError("USAGE", "No model is named.", {
      hint: "Name one with --model, use --runner claude or codex, or measure triggers with --offline.",
    });
  const baseUrl = textOption(options, "baseUrl") ?? io.env["SKILLHOLD_MODEL_URL"] ?? DEFAULT_URLS[api];
  if (!/^https?:\/\//.test(baseUrl))
    throw new SkillError("USAGE", `--base-url ${baseUrl} is not an http address.`);
  const apiKey =
    io.env["SKILLHOLD_MODEL_KEY"] ?? io.env[api === "openai" ? "OPENAI_API_KEY" : "ANTHROPIC_API_KEY"];
  const make = api === "openai" ? openAiModel : anthropicModel;
  return make({ baseUrl, model, ...present({ apiKey }) }, { fetch, timers: systemTimers });
}

const DEFAULT_URLS = { openai: "https://api.openai.com/v1", anthropic: "https://api.anthropic.com" } as const;

/** The judge that the options ask for, if any. */
export function chooseJudge(input: RunnerInput) {
  if (textOption(input.options, "judgeScript") !== undefined)
    return modelJudge(scripted("judgeScript", input));
  const name = textOption(input.options, "judgeModel");
  return name === undefined ? undefined : modelJudge(chooseModel(input, name));
}

function modelName({ options, io }: RunnerInput): { readonly model?: string } {
  return present({ model: textOption(options, "model") ?? (io.env["SKILLHOLD_MODEL"] || undefined) });
}

function scripted(option: "script" | "judgeScript", { options, io }: RunnerInput): Model {
  const named = textOption(options, option);
  const flag = option === "script" ? "--script" : "--judge-script";
  if (named === undefined) throw new SkillError("USAGE", `${flag} is required with --runner script.`);
  const { script, problem } = readModelScript(readText(resolve(io.cwd, named)));
  if (script === undefined)
    throw new SkillError("CONFIG_INVALID", `${named} is not a script of replies: ${problem}`, {
      hint: '`{"replies": [{"match": "…", "text": "…"}]}` is one.',
    });
  return scriptModel(script);
}

/** Clients get the variables of their vendor, and no others. */
function clientEnv({ env }: Io, ...prefixes: readonly string[]): Readonly<Record<string, string>> {
  const entries = Object.entries(env).filter(([name]) => prefixes.some((prefix) => name.startsWith(prefix)));
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

function findProgram(name: string, { options, io }: RunnerInput): string {
  const named = textOption(options, "program");
  if (named !== undefined) return resolve(io.cwd, named);
  const found = (io.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name))
    .find(isProgram);
  if (found !== undefined) return found;
  throw new SkillError("NOT_READY", `There is no program ${name} in $PATH.`, {
    hint: `Install ${name}, or name its program with --program.`,
  });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface TrialSettings {
  readonly runs: number;
  readonly parallel: number;
  readonly limits: { readonly maxTurns: number; readonly maxTokens: number; readonly timeoutMs: number };
  readonly budget: BudgetLimits;
  readonly price?: Price;
  readonly timers: Timers;
}

const TOKENS_PER_TRIAL = 2_000_000;

export function trialSettings({ options }: RunnerInput): TrialSettings {
  const minutes = numberOption(options, "budgetMinutes");
  const price = readPrice(textOption(options, "price"));
  return {
    runs: countOption(options, "runs", { min: 1, max: 100 }) ?? 3,
    parallel: countOption(options, "parallel", { min: 1, max: 64 }) ?? 4,
    limits: {
      maxTurns: countOption(options, "maxTurns", { min: 1, max: 1000 }) ?? 30,
      maxTokens: TOKENS_PER_TRIAL,
      timeoutMs: 1000 * (countOption(options, "timeout", { min: 1, max: 86_400 }) ?? 300),
    },
    budget: present({
      tokens: countOption(options, "budgetTokens", { min: 1 }),
      usd: numberOption(options, "budgetUsd"),
      ms: minutes === undefined ? undefined : minutes * 60_000,
    }),
    ...(price === undefined ? {} : { price }),
    timers: systemTimers,
  };
}

function numberOption(options: CommandInput["options"], name: string): number | undefined {
  const text = textOption(options, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new SkillError("USAGE", `--${flag} takes a number above 0; ${JSON.stringify(text)} is not one.`);
}

function readPrice(text: string | undefined): Price | undefined {
  if (text === undefined) return undefined;
  const [input = Number.NaN, output = Number.NaN, ...more] = text.split(",").map(Number);
  if (input >= 0 && output >= 0 && more.length === 0) return { input, output };
  throw new SkillError(
    "USAGE",
    `--price takes two numbers, such as 1.25,10; ${JSON.stringify(text)} is not that.`,
  );
}
