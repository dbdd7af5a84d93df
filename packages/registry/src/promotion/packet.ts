import { parseBoundedJson } from "@skillhold/core/text";
import { SkillError } from "@skillhold/protocol/error";
import { z } from "zod";

const text = z.string().trim().min(1).max(8000);
/** Not a UUID of our own sessions necessarily: other runtimes name sessions in their own way. */
const sessionName = z.string().min(1).max(256);

/** A memory packet that asks for a skill, as Molecule's runtime writes it. Other fields are kept as text. */
const Packet = z.looseObject({
  promote_to_skill: z.literal(true),
  repetition_signal: z.looseObject({
    count: z.int().min(2).max(1_000_000),
    workflow: z.string().trim().min(1).max(500),
    sessions: z.array(sessionName).max(200).optional(),
  }),
  title: text.optional(),
  summary: text.optional(),
  "what changed": text.optional(),
  "why it matters": text.optional(),
  what_changed: text.optional(),
  why_it_matters: text.optional(),
});

export interface PromotionPacket {
  readonly title: string;
  readonly summary: string;
  readonly changed: string | undefined;
  readonly reason: string | undefined;
  readonly workflow: string;
  readonly count: number;
  /** The sessions that repeat the workflow; undefined if the agent names no session. */
  readonly sessions: readonly string[] | undefined;
}

const DEFAULT_SUMMARY = "Repeatable workflow promoted to skill candidate";

/** Reads a packet: an object, or its JSON text. Throws USAGE with the first problem. */
export function readPacket(given: unknown): PromotionPacket {
  const { success, data, error } = Packet.safeParse(typeof given === "string" ? parseJson(given) : given);
  if (!success) throw invalid(error.issues[0]);
  const { title, summary, repetition_signal: signal } = data;
  const { "what changed": changed = data.what_changed, "why it matters": reason = data.why_it_matters } =
    data;
  if (title === undefined && summary === undefined && changed === undefined)
    throw new SkillError("USAGE", "The packet has no title, no summary and no field `what changed`.", {
      hint: HINT,
    });
  return {
    title: title ?? signal.workflow,
    summary: summary ?? title ?? changed ?? DEFAULT_SUMMARY,
    changed,
    reason,
    workflow: signal.workflow,
    count: signal.count,
    sessions: signal.sessions === undefined ? undefined : [...new Set(signal.sessions)],
  };
}

function parseJson(text: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch {
    throw new SkillError("USAGE", "The packet is not JSON.", { hint: HINT });
  }
}

const HINT =
  "Send promote_to_skill: true, repetition_signal with count and workflow, and a title, summary or `what changed`.";

function invalid(issue: z.core.$ZodIssue | undefined): SkillError {
  const place = issue === undefined || issue.path.length === 0 ? "" : ` ${issue.path.join(".")}:`;
  return new SkillError("USAGE", `The packet is invalid:${place} ${issue?.message ?? ""}.`, { hint: HINT });
}
