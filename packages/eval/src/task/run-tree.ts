import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Trial } from "../trial/trial.ts";
import type { ArmReport, Spread, TaskReport } from "./task-report.ts";
import type { PreparedCase, TaskTrial } from "./task-run.ts";

const MOST_FILES = 200;
const LARGEST_FILE = 10 * 1024 * 1024;

/**
 * Writes the folder tree that Anthropic's skill-creator aggregates and shows: `iteration-N/eval-<id>/<arm>/run-K/`.
 * A run that ended in an error or a timeout has an error.json and no grading.json, so that no reader takes it for a
 * failed one.
 */
export class RunTree {
  /** The folder of this iteration. */
  readonly folder: string;

  constructor(workspace: string) {
    mkdirSync(workspace, { recursive: true });
    const numbers = readdirSync(workspace).flatMap((name) =>
      Number(/^iteration-(\d+)$/.exec(name)?.[1] ?? 0),
    );
    this.folder = join(workspace, `iteration-${Math.max(0, ...numbers) + 1}`);
    mkdirSync(this.folder);
  }

  writeTrial(record: TaskTrial, trial: Trial, evalCase: PreparedCase): void {
    const folder = join(this.folder, evalFolder(record.caseId));
    const run = join(folder, record.arm, `run-${record.run}`);
    mkdirSync(join(run, "outputs"), { recursive: true });
    const metadata = metadataOf(evalCase);
    writeJson(join(folder, "eval_metadata.json"), metadata);
    writeJson(join(run, "eval_metadata.json"), metadata);
    writeJson(join(run, "timing.json"), timingOf(record));
    if (record.outcome === "done") writeJson(join(run, "grading.json"), gradingOf(record, trial));
    else writeJson(join(run, "error.json"), { outcome: record.outcome, message: record.message ?? "" });
    writeFileSync(join(run, "outputs", "answer.md"), record.output);
    copyFiles(trial, join(run, "outputs"));
  }

  writeBenchmark(report: TaskReport, skillPath: string): void {
    writeJson(join(this.folder, "benchmark.json"), benchmarkOf(report, skillPath));
  }
}

/** Ids that are not plain names get a part of their hash, so that no two share a folder. */
function evalFolder(id: string): string {
  const name = id.replaceAll(/[^\w.-]+/g, "-").slice(0, 80);
  return name === id
    ? `eval-${id}`
    : `eval-${name}-${createHash("sha256").update(id).digest("hex").slice(0, 8)}`;
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`);
}

function metadataOf({ id, name, prompt, assertions, origin }: PreparedCase) {
  const own = origin.record["id"] ?? origin.record["eval_id"];
  return {
    eval_id: own ?? id,
    eval_name: name ?? id,
    prompt,
    assertions: assertions.map(({ text }) => text),
  };
}

function timingOf({ usage, ms }: TaskTrial) {
  return {
    total_tokens: usage.input + usage.output,
    input_tokens: usage.input,
    output_tokens: usage.output,
    duration_ms: Math.round(ms),
    total_duration_seconds: round(ms / 1000),
  };
}

/** The total duration stands in timing.json alone: the official aggregator reads tokens only if it is not here. */
function gradingOf({ grades, tools, turns, ms }: TaskTrial, { output, events }: Trial) {
  const graded = grades.filter(({ verdict }) => verdict !== "ungraded");
  const passed = graded.filter(({ verdict }) => verdict === "pass").length;
  const review = grades.filter(({ verdict }) => verdict === "ungraded");
  return {
    expectations: graded.map(({ text, verdict, evidence }) => ({
      text,
      passed: verdict === "pass",
      evidence,
    })),
    summary: {
      passed,
      failed: graded.length - passed,
      total: graded.length,
      pass_rate: graded.length === 0 ? 0 : round(passed / graded.length),
    },
    execution_metrics: {
      tool_calls: tools,
      total_tool_calls: events.length,
      total_steps: turns,
      errors_encountered: 0,
      output_chars: output.length,
      transcript_chars: JSON.stringify(events).length,
    },
    timing: { executor_duration_seconds: round(ms / 1000) },
    claims: [],
    user_notes_summary: {
      uncertainties: [],
      needs_review: review.map(({ text, evidence }) => `${text}: ${evidence}`),
      workarounds: [],
    },
    eval_feedback: { suggestions: [], overall: "" },
  };
}

function copyFiles({ work }: Trial, target: string): void {
  for (const { path, size } of work.list().slice(0, MOST_FILES)) {
    if (size > LARGEST_FILE) continue;
    const to = join(target, path);
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(join(work.path, path), to);
  }
}

function benchmarkOf(report: TaskReport, skillPath: string) {
  const { skill, runner, judge, at, cases, runs, trials, arms, notes } = report;
  return {
    metadata: {
      skill_name: skill,
      skill_path: skillPath,
      executor_model: `${runner.id}:${runner.model}`,
      analyzer_model: judge ?? "",
      timestamp: at,
      evals_run: cases.map(({ id }) => id),
      runs_per_configuration: runs,
      tree_hash: report.treeHash,
    },
    runs: trials.filter(({ outcome }) => outcome === "done").map(runOf),
    run_summary: { ...Object.fromEntries(arms.map((arm) => [arm.name, summaryOf(arm)])), ...deltaOf(arms) },
    notes,
  };
}

function runOf({ caseId, arm, run, grades, ms, usage, tools }: TaskTrial) {
  const graded = grades.filter(({ verdict }) => verdict !== "ungraded");
  const passed = graded.filter(({ verdict }) => verdict === "pass").length;
  return {
    eval_id: caseId,
    eval_name: caseId,
    configuration: arm,
    run_number: run,
    result: {
      pass_rate: graded.length === 0 ? 0 : round(passed / graded.length),
      passed,
      failed: graded.length - passed,
      total: graded.length,
      time_seconds: round(ms / 1000),
      tokens: usage.input + usage.output,
      tool_calls: Object.values(tools).reduce((sum, count) => sum + count, 0),
      errors: 0,
    },
    expectations: graded.map(({ text, verdict, evidence }) => ({
      text,
      passed: verdict === "pass",
      evidence,
    })),
    notes: [],
  };
}

const zero: Spread = { mean: 0, stddev: 0, min: 0, max: 0 };

function summaryOf({ score = zero, seconds = zero, tokens = zero }: ArmReport) {
  return { pass_rate: rounded(score), time_seconds: rounded(seconds), tokens: rounded(tokens) };
}

function rounded({ mean, stddev, min, max }: Spread): Spread {
  return { mean: round(mean), stddev: round(stddev), min: round(min), max: round(max) };
}

function deltaOf([first, second]: readonly ArmReport[]) {
  if (first === undefined || second === undefined) return {};
  const signed = (value: number, digits: number) => `${value >= 0 ? "+" : ""}${value.toFixed(digits)}`;
  const difference = (key: "score" | "seconds" | "tokens") =>
    (first[key]?.mean ?? 0) - (second[key]?.mean ?? 0);
  return {
    delta: {
      pass_rate: signed(difference("score"), 2),
      time_seconds: signed(difference("seconds"), 1),
      tokens: signed(difference("tokens"), 0),
    },
  };
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
