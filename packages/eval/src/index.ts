export {
  type AuthorOptions,
  type AuthorPorts,
  type AuthorRequest,
  skillAuthor,
} from "./author/skill-author.ts";
export { type Assertion, type Check, describeCheck, readAssertion } from "./format/assertion.ts";
export type { CaseFile, Dialect, EvalCase, EvalProblem, EvalSet } from "./format/eval-set.ts";
export { type ReadEvalSet, readEvalSet } from "./format/read-eval-set.ts";
export {
  readTriggerSet,
  type TriggerQuery,
  type TriggerSet,
  triggersOf,
  writeTriggerSet,
} from "./format/trigger-set.ts";
export { writeEvalSet } from "./format/write-eval-set.ts";
export type { Grade } from "./grade/grade.ts";
export { gradeTrial } from "./grade/grade-trial.ts";
export { type Judge, modelJudge } from "./grade/judge.ts";
export { type AiSdkLanguageModel, aiSdkModel } from "./model/ai-sdk-model.ts";
export { anthropicModel } from "./model/anthropic-model.ts";
export type { EndpointOptions, EndpointPorts } from "./model/endpoint.ts";
export { type Model, type ModelAnswer, ModelFailure, type ModelTurn } from "./model/model.ts";
export { openAiModel } from "./model/openai-model.ts";
export { readModelScript, type ScriptedReplies, scriptModel } from "./model/script-model.ts";
export type { TokenUsage } from "./model/usage.ts";
export { agentScorer } from "./optimize/agent-scorer.ts";
export { descriptionPatch } from "./optimize/description.ts";
export { modelImprover } from "./optimize/model-improver.ts";
export { offlineScorer } from "./optimize/offline-scorer.ts";
export {
  type Attempt,
  type Improver,
  type OptimizeResult,
  optimizeDescription,
  type Scorer,
} from "./optimize/optimizer.ts";
export type { DescriptionProposal, Propose } from "./optimize/propose.ts";
export { splitQueries } from "./optimize/split.ts";
export { type EvalReport, ResultStore } from "./result/result-store.ts";
export { claudeRunner } from "./runner/claude-runner.ts";
export { codexRunner } from "./runner/codex-runner.ts";
export { type LoopOptions, loopRunner } from "./runner/loop-runner.ts";
export type { Outcome, Runner, RunnerEvent, RunnerRequest, RunnerResult } from "./runner/runner.ts";
export { type Comparison, compareArms } from "./stats/compare.ts";
export { bootstrapMean, type Interval, wilson } from "./stats/interval.ts";
export { passAtK, passHatK } from "./stats/pass-at-k.ts";
export { seededRandom } from "./stats/random.ts";
export type { BudgetLimits, Price } from "./task/budget.ts";
export { prepareCases } from "./task/case-file.ts";
export { RunTree } from "./task/run-tree.ts";
export { reportTasks, type TaskReport } from "./task/task-report.ts";
export {
  type Arm,
  type ArmName,
  type PreparedCase,
  runTasks,
  type TaskRequest,
  type TaskTrial,
} from "./task/task-run.ts";
export { chooseDistractors, layOut, layOutForTrials, type SkillFolder } from "./trial/skill-folder.ts";
export { type ContentPair, compareTriggers, type TriggerChange } from "./trigger/compare-content.ts";
export { fitThreshold, type OfflineReport, rankOffline, reportOffline, wordsFor } from "./trigger/offline.ts";
export {
  EVAL_FILES,
  otherTriggers,
  type SkillPlace,
  scoreOffline,
  TRIGGER_FILES,
} from "./trigger/score-offline.ts";
export { reportTriggers, type TriggerReport } from "./trigger/trigger-report.ts";
export { runTriggers, type TriggerRequest, type TriggerVerdict } from "./trigger/trigger-run.ts";
