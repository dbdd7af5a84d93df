import { z } from "zod";
import { Digest, SkillId, Trust } from "./id.ts";
import { Actor, registryEvents } from "./registry-event.ts";

const at = z.iso.datetime();
const task = z.string().optional();
/** `hash` is the tree hash, which identifies the content that was used, even if the skill changed since. */
const about = { at, skill: SkillId, hash: Digest };
const bySession = { ...about, session: z.string(), task };
const RunAct = z.enum(["run_script", "call_tool", "shell_in_prompt", "install", "use_tool"]);
/** How a run ended: by itself, by a limit, by an abort, or by a failure of Skillhold. */
export const RunOutcome = z.enum(["exited", "timed_out", "limit_exceeded", "aborted", "failed"]);
export type RunOutcome = z.infer<typeof RunOutcome>;
/** `run` connects the events of one run; `target` is the script's path or the tool's name. */
const byRun = { ...bySession, run: z.string(), target: z.string() };

/** The resources of a run beyond the skill. */
const reach = {
  network: z.string(),
  mounts: z.array(z.object({ source: z.string(), target: z.string(), isWritable: z.boolean() })).readonly(),
  /** Only names. */
  secrets: z.array(z.string()).readonly(),
  sandbox: z.string(),
};
/** The agent and the user for whom a run was requested; absent in records of earlier releases. */
const requester = z.object({ agent: z.string().optional(), user: z.string().optional() }).optional();
const widen = z
  .array(z.enum(["everyone", "arguments"]))
  .readonly()
  .optional();
/** The subject of a question and its run. */
const byQuestion = {
  ...about,
  session: z.string(),
  run: z.string(),
  act: RunAct,
  target: z.string(),
  requester,
  /** The installed packages that the run would use. */
  environment: z.string().optional(),
  ...reach,
};

/** The content of the question; absent in records of earlier releases. */
const ofQuestion = { content: z.object({ skill: SkillId, hash: Digest }).optional() };

/** A secret by name. No event contains its value or anything derived from it. */
const bySecret = { at, by: Actor, skill: SkillId, name: z.string(), agent: z.string().optional() };

/** Every event that Skillhold emits and records. */
export const SkillEvent = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("session.opened"),
    at,
    session: z.string(),
    runtime: z.string(),
    agent: z.string().optional(),
    user: z.string().optional(),
    /** The session that this one continues, and its activations. Dropped ones changed or are no longer visible. */
    resumed: z
      .object({
        session: z.string(),
        kept: z.array(z.object({ skill: z.string(), treeHash: Digest })).readonly(),
        dropped: z
          .array(z.object({ skill: z.string(), treeHash: Digest, reason: z.enum(["changed", "missing"]) }))
          .readonly(),
      })
      .optional(),
    task,
  }),
  z.object({ type: z.literal("session.closed"), at, session: z.string(), task }),
  z.object({
    type: z.literal("skill.discovered"),
    at,
    skill: SkillId,
    /** The hash of SKILL.md only; a bundle is hashed on use. */
    skillHash: Digest,
    source: z.string(),
    trust: Trust,
    path: z.string(),
  }),
  z.object({
    type: z.literal("skill.shadowed"),
    at,
    skill: SkillId,
    source: z.string(),
    path: z.string(),
    /** The skill that takes precedence. */
    by: z.object({ source: z.string(), path: z.string() }),
  }),
  z.object({
    type: z.literal("skill.activated"),
    ...bySession,
    /** The hash of SKILL.md only. */
    skillHash: Digest,
    /** The revision number in the registry; absent for a folder. */
    revision: z.int().min(1).optional(),
    source: z.string(),
    trust: Trust,
    /** Whether the model or the user invoked the skill. */
    invoker: z.enum(["model", "user"]),
    /** The delivered text, and the inputs beside the content that are needed to rebuild it. */
    handover: z
      .object({
        digest: Digest,
        bytes: z.int().min(0),
        name: z.string(),
        args: z.string(),
        /** The folder of the files, if the agent was given it. */
        folder: z.string().optional(),
        hints: z.array(z.string()).readonly(),
        warnings: z.array(z.string()).readonly(),
        /** The token budget for examples and links. */
        exampleTokens: z.int().min(0),
      })
      .optional(),
  }),
  z.object({ type: z.literal("skill.deactivated"), ...bySession }),
  z.object({
    type: z.literal("skill.resource_read"),
    ...bySession,
    path: z.string(),
    /** The digest of the whole file, even if only a part was read. */
    digest: Digest,
    start: z.int().min(0),
    /** The number of delivered bytes. */
    length: z.int().min(0).optional(),
  }),
  /** Content that a gateway delivered, and to whom: one file of the skill, or all of it. */
  z.object({
    type: z.literal("skill.served"),
    ...about,
    revision: z.int().min(1).optional(),
    path: z.string().optional(),
    /** The digest of the sent bytes, or of all files for a comparison of revisions. */
    digest: Digest,
    bytes: z.int().min(0),
    by: Actor,
  }),
  z.object({
    type: z.literal("run.requested"),
    ...byRun,
    trust: Trust,
    /** The exact arguments. */
    args: z.array(z.string()).readonly(),
    ...reach,
    /** The standard input, if any. */
    stdin: z.object({ bytes: z.int().min(0), digest: Digest }).optional(),
  }),
  z.object({
    type: z.literal("run.approved"),
    ...byRun,
    /** The policy rule that required or allowed the run. */
    rule: z.string(),
    /** The approver; absent if the rule allowed the run without approval. */
    by: z.string().optional(),
    approval: z.string().optional(),
  }),
  z.object({
    type: z.literal("skill.script_executed"),
    ...byRun,
    exitCode: z.int(),
    outcome: RunOutcome,
    durationMs: z.int().min(0),
    outputBytes: z.int().min(0),
    files: z.int().min(0),
    sandbox: z.string(),
    /** How each limit was enforced: for the run, per process or not at all. */
    enforced: z.record(z.string(), z.string()),
  }),
  z.object({
    type: z.literal("skill.tool_called"),
    ...byRun,
    isError: z.boolean(),
    outcome: RunOutcome,
    durationMs: z.int().min(0),
    sandbox: z.string(),
  }),
  z.object({
    type: z.literal("skill.deps_installed"),
    ...about,
    session: z.string(),
    run: z.string(),
    /** For one skill or for all skills. */
    scope: z.enum(["skill", "global"]),
    results: z
      .array(
        z.object({
          spec: z.string(),
          status: z.enum(["ok", "failed", "manual", "skipped"]),
          /** The reason or the required action; empty after a successful installation. */
          message: z.string(),
        }),
      )
      .readonly(),
    /** The key of the environment with the dependencies; absent if there is none. */
    environment: z.string().optional(),
  }),
  /** A question for an administrator, on any client. */
  z.object({
    type: z.literal("approval.asked"),
    ...byQuestion,
    question: z.string(),
    trust: Trust,
    /** The server and address of a skill that another program serves. */
    origin: z.string().optional(),
    args: z.array(z.string()).readonly(),
    stdin: z.object({ bytes: z.int().min(0), digest: Digest }).optional(),
    /** The policy rule that requires approval, its reason and further reasons. */
    rule: z.string(),
    reason: z.string(),
    reasons: z.array(z.string()).readonly(),
    /** When the question ends unanswered. */
    expiresAt: at,
  }),
  z.object({
    type: z.literal("approval.answered"),
    at,
    question: z.string(),
    ...ofQuestion,
    /** `withdrawn` if the requester stopped waiting. */
    answer: z.enum(["approve", "deny", "withdrawn"]),
    /** What an approval covers. */
    scope: z.enum(["once", "content"]).optional(),
    widen,
    by: Actor,
  }),
  /** A run took the answer of a question; it counts once. */
  z.object({
    type: z.literal("approval.used"),
    at,
    question: z.string(),
    ...ofQuestion,
    session: z.string(),
    run: z.string(),
  }),
  z.object({
    type: z.literal("approval.granted"),
    ...byQuestion,
    approval: z.string(),
    scope: z.enum(["once", "content"]),
    widen,
    by: z.string(),
    expiresAt: at,
  }),
  z.object({ type: z.literal("approval.denied"), ...byQuestion, by: z.string() }),
  /** A stored approval was revoked. */
  z.object({
    type: z.literal("approval.revoked"),
    at,
    by: Actor,
    approval: z.string(),
    skill: SkillId,
    target: z.string(),
  }),
  z.object({ type: z.literal("secret.set"), ...bySecret }),
  z.object({ type: z.literal("secret.removed"), ...bySecret }),
  z.object({
    type: z.literal("skill.denied"),
    at,
    session: z.string(),
    task,
    /** The requested name, which need not be a valid skill id. */
    skill: z.string(),
    act: z.enum(["activate", "read_resource", ...RunAct.options, "publish", "propose"]),
    path: z.string().optional(),
    /** The run that was denied. */
    run: z.string().optional(),
    /** A countable code: an error code, or the reason why the skill is hidden. */
    reason: z.string(),
    message: z.string(),
  }),
  ...registryEvents,
]);
export type SkillEvent = Readonly<z.infer<typeof SkillEvent>>;
