import { z } from "zod";
import { Digest } from "../id.ts";
import { At } from "./field.ts";

const Share = z.number().min(0).max(1);
const Amount = z.number().min(0);
const Count = z.int().min(0);
const Line = z.string().max(2000);
const Lines = z.array(Line).max(1000).readonly();

/** An estimate with the bounds of its 95 % interval. */
const Interval = z.object({ value: z.number(), low: z.number(), high: z.number() });
const Spread = z.object({ mean: Amount, stddev: Amount, min: Amount, max: Amount });
const Runner = z.object({ id: z.string().max(100), model: z.string().max(200) });
const ArmName = z.enum(["with_skill", "without_skill", "old_skill", "new_skill"]);
const Limit = z.enum(["tokens", "usd", "ms"]);
const Spent = z.object({ tokens: Amount, usd: Amount.optional(), ms: Amount });

const Comparison = z.object({
  delta: Interval.describe("First arm minus second, as a mean over the cases."),
  p: Share,
  verdict: z.enum(["better", "worse", "not significant"]),
});

const Arm = z.object({
  name: ArmName,
  treeHash: z.string().max(100).optional(),
  counts: z.object({ passed: Count, failed: Count, ungraded: Count, error: Count, timeout: Count }),
  passed: Interval.optional().describe("The share of graded runs in which every assertion passed."),
  score: Spread.optional(),
  seconds: Spread.optional(),
  tokens: Spread.optional(),
  passAtK: Share.optional(),
  passHatK: Share.optional(),
});

const Trial = z.object({
  caseId: z.string().max(200),
  arm: ArmName,
  run: z.int().min(1),
  outcome: z.enum(["done", "error", "timeout"]),
  message: Line.optional(),
  grades: z
    .array(
      z.object({
        text: Line,
        verdict: z.enum(["pass", "fail", "ungraded"]),
        evidence: z.string().max(20_000),
        by: z.enum(["check", "judge"]),
      }),
    )
    .max(200)
    .readonly(),
  passRate: Share.optional(),
  skillsRead: Lines,
  tools: z.record(z.string().max(200), Count),
  ms: Amount,
  usage: z.object({ input: Amount, output: Amount, cached: Amount }),
  turns: Count,
  output: z.string().max(40_000),
});

const about = { skill: z.string().max(64), treeHash: Digest, at: At };

const TaskReport = z.object({
  kind: z.literal("tasks"),
  ...about,
  runner: Runner,
  judge: z.string().max(200).optional(),
  runs: z.int().min(1),
  planned: Count,
  stoppedBy: Limit.optional(),
  spent: Spent,
  arms: z.array(Arm).min(1).max(2).readonly(),
  comparison: Comparison.optional(),
  pairs: z
    .object({ first: Count, second: Count, tie: Count, ungraded: Count, inconsistent: Count })
    .optional(),
  cases: z
    .array(
      z.object({
        id: z.string().max(200),
        scores: z.partialRecord(ArmName, z.array(Share).max(1000).readonly()),
        silent: z
          .array(z.object({ text: Line, verdict: z.enum(["pass", "fail"]) }))
          .max(200)
          .readonly(),
      }),
    )
    .max(1000)
    .readonly(),
  trials: z.array(Trial).max(10_000).readonly(),
  notes: Lines,
});

const TriggerQuery = { query: z.string().max(8000), shouldTrigger: z.boolean() };

const TriggerReport = z.object({
  kind: z.literal("triggers"),
  ...about,
  runner: Runner,
  runs: z.int().min(1),
  distractors: Count,
  planned: Count,
  stoppedBy: Limit.optional(),
  spent: Spent,
  recall: Interval.optional(),
  precision: Interval.optional(),
  specificity: Interval.optional(),
  counts: z.object({ yes: Count, no: Count, error: Count, timeout: Count }),
  queries: z
    .array(
      z.object({
        ...TriggerQuery,
        rate: Share.optional(),
        verdicts: z
          .array(z.enum(["yes", "no", "error", "timeout"]))
          .max(1000)
          .readonly(),
        isRight: z.boolean().optional(),
        instead: z
          .array(z.object({ skill: z.string().max(64), times: Count, words: Lines }))
          .max(1000)
          .readonly(),
      }),
    )
    .max(5000)
    .readonly(),
  notes: Lines,
});

const OfflineReport = z.object({
  kind: z.literal("offline"),
  ...about,
  skills: Count.describe("How many skills it is ranked among."),
  hitAt1: Interval.optional(),
  hitAt3: Interval.optional(),
  hitAt5: Interval.optional(),
  falseFirst: Interval.optional(),
  threshold: z.object({ margin: z.number(), queries: Count, accuracy: Share }).optional(),
  abstained: Interval.optional(),
  queries: z
    .array(
      z.object({
        ...TriggerQuery,
        rank: z.int().min(1).optional(),
        margin: z.number(),
        rival: z.object({ skill: z.string().max(64), words: Lines }).optional(),
      }),
    )
    .max(5000)
    .readonly(),
  notes: Lines,
});

/** The result of an eval: of tasks with an agent, of triggers with an agent, or of triggers by search alone. */
export const EvalReportBody = z.discriminatedUnion("kind", [TaskReport, TriggerReport, OfflineReport]);
export type EvalReportBody = Readonly<z.infer<typeof EvalReportBody>>;

/** A report without its runs and queries. */
export const EvalSummary = z.object({
  id: z.string(),
  kind: z.enum(["tasks", "triggers", "offline"]),
  treeHash: Digest,
  at: At,
  by: z.string().describe("The user who added the report."),
  runner: Runner.optional().describe("Absent for a report by search alone."),
  runs: z.int().optional(),
  arms: z.array(Arm).readonly().optional(),
  comparison: Comparison.optional(),
  recall: Interval.optional(),
  precision: Interval.optional(),
  hitAt1: Interval.optional(),
  falseFirst: Interval.optional(),
  notes: Lines,
});
export type EvalSummary = Readonly<z.infer<typeof EvalSummary>>;

/** How a proposed content does beside its base. */
export const ProposalEvals = z.object({
  triggers: z
    .object({
      others: Count,
      before: Interval.optional(),
      after: Interval.optional(),
      moved: z
        .array(
          z.object({
            query: z.string(),
            shouldTrigger: z.boolean(),
            before: z.int().min(1).optional(),
            after: z.int().min(1).optional(),
          }),
        )
        .readonly(),
    })
    .optional()
    .describe("By search alone; absent without trigger queries."),
  before: z.array(EvalSummary).readonly().describe("The newest eval of each kind about the base."),
  after: z.array(EvalSummary).readonly().describe("The newest eval of each kind about the candidate."),
});
