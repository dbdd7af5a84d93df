import { z } from "zod";
import type { EvidenceNote, Proposed } from "./proposal.ts";
import type { Session } from "./session.ts";
import { succeedTool, type ToolResult } from "./tool-result.ts";

const MAX_TEXT = 1_048_576;
const path = z.string().min(1).max(4096);
const text = z.string().max(MAX_TEXT);

const edit = z.strictObject({
  path: path.optional().describe("The file. Default: SKILL.md."),
  old: text.min(1).describe("The exact text to replace. It must be in the file exactly once."),
  new: text.describe("The text in its place."),
});
const justification = z
  .string()
  .min(1)
  .max(100_000)
  .describe("Why the skill should change, for the reviewer.");
const note = z.string().min(1).max(8000);
const evidence = z
  .array(
    z.union([
      note,
      z.strictObject({
        text: note.optional(),
        url: note.optional(),
        run: note.optional().describe("The id of a run of this session."),
        session: note.optional(),
        event: note.optional(),
      }),
    ]),
  )
  .max(200)
  .optional()
  .describe(
    "What you saw: texts, addresses, or ids of runs and sessions. Failed runs of the skill are added.",
  );

export const updateSchema = z.strictObject({
  skill_id: z.string().min(1).max(128).describe("A skill that you have read in this session."),
  justification,
  edits: z.array(edit).min(1).max(100).optional().describe("Exact replacements. The usual form."),
  files: z
    .array(z.strictObject({ path, content: text.nullable().describe("The whole file; null removes it.") }))
    .min(1)
    .max(200)
    .optional(),
  diff: z.string().min(1).max(262_144).optional().describe("A unified diff, in place of edits."),
  evidence,
});

export const createSchema = z.strictObject({
  files: z
    .array(z.strictObject({ path, content: text }))
    .min(1)
    .max(200)
    .describe("All files of the new skill, with a SKILL.md."),
  justification,
  evidence,
});

export async function proposeUpdate(
  session: Session,
  { skill_id: skill, justification: reason, evidence: notes = [], ...change }: z.infer<typeof updateSchema>,
): Promise<ToolResult<Proposed>> {
  return answer(
    await session.propose({ skill, change, justification: reason, evidence: notes.flatMap(readNote) }),
  );
}

export async function proposeSkill(
  session: Session,
  { files, justification: reason, evidence: notes = [] }: z.infer<typeof createSchema>,
): Promise<ToolResult<Proposed>> {
  const request = { change: { files }, justification: reason, evidence: notes.flatMap(readNote) };
  return answer(await session.propose(request));
}

function readNote(given: NonNullable<z.infer<typeof evidence>>[number]): readonly EvidenceNote[] {
  if (typeof given === "string") return [{ kind: "text", value: given }];
  const kinds = ["text", "url", "run", "session", "event"] as const;
  return kinds.flatMap((kind) => {
    const value = given[kind];
    return value === undefined ? [] : [{ kind, value }];
  });
}

function answer(proposed: Proposed): ToolResult<Proposed> {
  const { id, skill, kind, state, isNew, widened } = proposed;
  const subject = kind === "create" ? `the new skill ${skill}` : `a change of ${skill}`;
  return succeedTool(
    [
      isNew
        ? `The proposal ${id} for ${subject} is stored.`
        : `The proposal ${id} for ${subject} is already open.`,
      endings[state],
      ...(widened.length === 0 ? [] : [`It adds capabilities: ${widened.slice(0, 10).join(", ")}.`]),
    ].join("\n"),
    proposed,
  );
}

const endings: Readonly<Record<Proposed["state"], string>> = {
  pending: "A person reviews it. The skill stays as it is until then.",
  approved: "It is approved. The skill stays as it is until a person applies it.",
  stale: "The skill has changed since you read it, so the proposal must be rebased.",
  quarantined: "The content guard blocks it. A person decides what happens to it.",
  applied: "It is applied.",
  rejected: "It is rejected.",
  withdrawn: "It is withdrawn.",
};
