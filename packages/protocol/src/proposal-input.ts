import { z } from "zod";

const MAX_TEXT = 1_048_576;
const path = z.string().min(1).max(4096);
const text = z.string().max(MAX_TEXT);

/** An exact replacement in a file. */
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

/** The input of `propose_skill_update`. */
export const SkillUpdateInput = z.strictObject({
  skill_id: z.string().min(1).max(128).describe("A skill that you have read in this session."),
  justification,
  edits: z.array(edit).min(1).max(100).optional().describe("Exact replacements. The usual form."),
  files: z
    .array(z.strictObject({ path, content: text.nullable().describe("The whole file; null removes it.") }))
    .min(1)
    .max(200)
    .optional(),
  diff: z.string().min(1).max(262_144).optional().describe("A unified diff, in place of edits."),
  body: text
    .optional()
    .describe("All new instructions of SKILL.md, below its frontmatter; without edits or diff."),
  description: z.string().min(1).max(1024).optional().describe("A new description in the frontmatter."),
  evidence,
});

/** The input of `propose_skill`. */
export const NewSkillInput = z.strictObject({
  files: z
    .array(z.strictObject({ path, content: text }))
    .min(1)
    .max(200)
    .describe("All files of the new skill, with a SKILL.md."),
  justification,
  evidence,
});

/** The input of `promote_skill`. */
export const PromotionInput = z.strictObject({
  title: z.string().min(1).max(500),
  summary: z.string().min(1).max(8000).describe("What the workflow does and when to use it."),
  repetition_signal: z.strictObject({
    count: z.int().min(2).describe("How often you completed the workflow."),
    workflow: z.string().min(1).max(500).describe("A short name of the workflow."),
    sessions: z
      .array(z.string().min(1).max(256))
      .max(200)
      .optional()
      .describe("The sessions that repeat it."),
  }),
  what_changed: z.string().max(8000).optional(),
  why_it_matters: z.string().max(8000).optional(),
});

/** A reference to the reason for a change. A run is one of the session. */
export interface EvidenceNote {
  readonly kind: (typeof evidenceKinds)[number];
  readonly value: string;
}

const evidenceKinds = ["text", "url", "run", "session", "event"] as const;

/** The notes of an `evidence` field. */
export function readEvidence(given: z.infer<typeof evidence> = []): readonly EvidenceNote[] {
  return given.flatMap((each) => {
    if (typeof each === "string") return [{ kind: "text", value: each }];
    return evidenceKinds.flatMap((kind) => {
      const value = each[kind];
      return value === undefined ? [] : [{ kind, value }];
    });
  });
}
