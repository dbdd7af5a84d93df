import { z } from "zod";
import { Digest, SkillId, Trust } from "./id.ts";
import { Actor, registryEvents } from "./registry-event.ts";

const at = z.iso.datetime();
const task = z.string().optional();
/** `hash` is the tree hash: what was used can be told from it, whatever became of the skill since. */
const about = { at, skill: SkillId, hash: Digest };
const bySession = { ...about, session: z.string(), task };
const RunAct = z.enum(["run_script", "call_tool", "shell_in_prompt", "install"]);
/** How a run ended: by itself, for a limit, because it was called off, or because we failed to see it through. */
export const RunOutcome = z.enum(["exited", "timed_out", "limit_exceeded", "aborted", "failed"]);
export type RunOutcome = z.infer<typeof RunOutcome>;
/** `run` ties together what is recorded of one run; `target` is the script's path or the tool's name. */
const byRun = { ...bySession, run: z.string(), target: z.string() };

/** What a run reaches beyond the skill. */
const reach = {
  network: z.string(),
  mounts: z.array(z.object({ source: z.string(), target: z.string(), isWritable: z.boolean() })).readonly(),
  /** Names alone. */
  secrets: z.array(z.string()).readonly(),
  sandbox: z.string(),
};
/** What was asked, and in which run. */
const byQuestion = {
  ...about,
  session: z.string(),
  run: z.string(),
  act: RunAct,
  target: z.string(),
  ...reach,
};

/** A secret by its name; its value, and what could be told from it, are in no event. */
const bySecret = { at, by: Actor, skill: SkillId, name: z.string(), agent: z.string().optional() };

/** Everything that Skillhold announces and records. A new event is a new member here. */
export const SkillEvent = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("session.opened"),
    at,
    session: z.string(),
    runtime: z.string(),
    agent: z.string().optional(),
    user: z.string().optional(),
    task,
  }),
  z.object({ type: z.literal("session.closed"), at, session: z.string(), task }),
  z.object({
    type: z.literal("skill.discovered"),
    at,
    skill: SkillId,
    /** Over SKILL.md alone: a bundle is hashed when it is used. */
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
    /** The skill that counts in its place. */
    by: z.object({ source: z.string(), path: z.string() }),
  }),
  z.object({
    type: z.literal("skill.activated"),
    ...bySession,
    /** Over SKILL.md alone. */
    skillHash: Digest,
    /** The store's count of releases; a folder has none. */
    revision: z.int().min(1).optional(),
    source: z.string(),
    trust: Trust,
    /** Who started it: the model by itself, or the user by name. */
    invoker: z.enum(["model", "user"]),
    /** The text that was handed over, and what it takes beside the content to make it again. */
    handover: z
      .object({
        digest: Digest,
        bytes: z.int().min(0),
        name: z.string(),
        args: z.string(),
        /** Where the files lie, when the agent was told. */
        folder: z.string().optional(),
        hints: z.array(z.string()).readonly(),
        warnings: z.array(z.string()).readonly(),
        /** How much room there was for examples and links. */
        exampleTokens: z.int().min(0),
      })
      .optional(),
  }),
  z.object({ type: z.literal("skill.deactivated"), ...bySession }),
  z.object({
    type: z.literal("skill.resource_read"),
    ...bySession,
    path: z.string(),
    /** Of the whole file, also when a part of it was read. */
    digest: Digest,
    start: z.int().min(0),
    /** How many bytes were handed over. */
    length: z.int().min(0).optional(),
  }),
  /** What left a gateway, and to whom: a file of the skill, or all of it. */
  z.object({
    type: z.literal("skill.served"),
    ...about,
    revision: z.int().min(1).optional(),
    path: z.string().optional(),
    /** Of the bytes that were sent; where it was compared with another revision, of all files. */
    digest: Digest,
    bytes: z.int().min(0),
    by: Actor,
  }),
  z.object({
    type: z.literal("run.requested"),
    ...byRun,
    trust: Trust,
    /** Exactly what is passed on. */
    args: z.array(z.string()).readonly(),
    ...reach,
    /** What it reads, when it is given anything. */
    stdin: z.object({ bytes: z.int().min(0), digest: Digest }).optional(),
  }),
  z.object({
    type: z.literal("run.approved"),
    ...byRun,
    /** The rule of the policy that asked for it or allowed it. */
    rule: z.string(),
    /** Who approved; absent when the rule allowed it by itself. */
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
    /** How each limit was held: for the run, for each process alone, or not. */
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
    /** For the skill alone, or for all skills. */
    scope: z.enum(["skill", "global"]),
    results: z
      .array(
        z.object({
          spec: z.string(),
          status: z.enum(["ok", "failed", "manual", "skipped"]),
          /** Why, or what is to be done; empty when it was installed. */
          message: z.string(),
        }),
      )
      .readonly(),
    /** The key of the environment that has them; absent when there is none. */
    environment: z.string().optional(),
  }),
  /** A question that waits for an administrator, wherever they are signed in. */
  z.object({
    type: z.literal("approval.asked"),
    ...byQuestion,
    question: z.string(),
    trust: Trust,
    /** The server and the address, of a skill that another program serves. */
    origin: z.string().optional(),
    args: z.array(z.string()).readonly(),
    stdin: z.object({ bytes: z.int().min(0), digest: Digest }).optional(),
    /** The rule of the policy that asks for it, why, and what else asks for it. */
    rule: z.string(),
    reason: z.string(),
    reasons: z.array(z.string()).readonly(),
    /** Nobody waits for an answer after this. */
    expiresAt: at,
  }),
  z.object({
    type: z.literal("approval.answered"),
    at,
    question: z.string(),
    /** It is withdrawn when whoever asked gives up. */
    answer: z.enum(["approve", "deny", "withdrawn"]),
    /** What a yes is for. */
    scope: z.enum(["once", "content"]).optional(),
    by: Actor,
  }),
  z.object({
    type: z.literal("approval.granted"),
    ...byQuestion,
    approval: z.string(),
    scope: z.enum(["once", "content"]),
    by: z.string(),
    expiresAt: at,
  }),
  z.object({ type: z.literal("approval.denied"), ...byQuestion, by: z.string() }),
  /** An approval that was kept is taken back. */
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
    /** As it was asked for: it need not be the id of any skill. */
    skill: z.string(),
    act: z.enum(["activate", "read_resource", ...RunAct.options, "use_tool", "publish"]),
    path: z.string().optional(),
    /** The run that was to be. */
    run: z.string().optional(),
    /** A code that can be counted: an error code, or the reason for which the skill is hidden. */
    reason: z.string(),
    message: z.string(),
  }),
  ...registryEvents,
]);
export type SkillEvent = Readonly<z.infer<typeof SkillEvent>>;
