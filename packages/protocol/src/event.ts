import { z } from "zod";
import { Digest, SkillId, Trust } from "./id.ts";

const at = z.iso.datetime();
const task = z.string().optional();
/** `hash` is the tree hash: what was used can be told from it, whatever became of the skill since. */
const about = { at, skill: SkillId, hash: Digest };
const bySession = { ...about, session: z.string(), task };

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
  }),
  z.object({ type: z.literal("skill.deactivated"), ...bySession }),
  z.object({
    type: z.literal("skill.resource_read"),
    ...bySession,
    path: z.string(),
    /** Of the whole file, also when a part of it was read. */
    digest: Digest,
    start: z.int().min(0),
  }),
  z.object({ type: z.literal("skill.script_executed"), ...bySession, script: z.string(), exitCode: z.int() }),
  z.object({
    type: z.literal("skill.denied"),
    at,
    session: z.string(),
    task,
    /** As it was asked for: it need not be the id of any skill. */
    skill: z.string(),
    act: z.enum(["activate", "read_resource"]),
    path: z.string().optional(),
    /** A code that can be counted: an error code, or the reason for which the skill is hidden. */
    reason: z.string(),
    message: z.string(),
  }),
]);
export type SkillEvent = Readonly<z.infer<typeof SkillEvent>>;
