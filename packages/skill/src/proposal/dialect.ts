import type { NewSkillInput, SkillUpdateInput } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { z } from "zod";
import { parseSkill } from "../parse/parse.ts";
import { scalarText } from "../parse/reference-format.ts";
import { composeSkill } from "../parse/rewrite.ts";

/** A proposal as the input of `propose_skill` or `propose_skill_update`, which still has to be checked. */
export type NativeProposal =
  | { readonly kind: "create"; readonly input: z.input<typeof NewSkillInput> }
  | { readonly kind: "update"; readonly input: z.input<typeof SkillUpdateInput> };

/**
 * Reads a proposal in the form of ProposeSkills, skill_workshop (OpenClaw) or skill_manage (Hermes). Undefined for any
 * other input. Throws USAGE for an input that means two things, and for an action that is no proposal.
 */
export function readDialect(input: unknown): NativeProposal | undefined {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  const keys = Object.keys(input);
  if (keys.includes("proposals")) return readProposeSkills(parse(ProposeSkills, input, "ProposeSkills"));
  if (!keys.includes("action")) return undefined;
  const ofWorkshop = keys.filter((key) => workshopFields.has(key));
  const ofManage = keys.filter((key) => manageFields.has(key));
  const [workshop] = ofWorkshop;
  const [manage] = ofManage;
  if (workshop !== undefined && manage !== undefined)
    throw invalid(`${workshop} belongs to skill_workshop, and ${manage} to skill_manage.`, ONE_FORM);
  return workshop === undefined
    ? readManage(parse(Manage, input, "skill_manage"))
    : readWorkshop(parse(Workshop, input, "skill_workshop"));
}

const ONE_FORM = "Send the fields of one form only.";

const text = z.string();
const name = text.min(1).max(128);
const justification = text.nullish();

const ProposeSkills = z.strictObject({
  proposals: z
    .array(
      z.strictObject({
        name,
        kind: z.enum(["new", "improvement"]),
        target: name.nullish(),
        description: text.min(1).max(1024),
        evidence: z.array(text).nullish(),
        edits: z.array(z.strictObject({ old_string: text, new_string: text })).nullish(),
        skillMd: text.nullish(),
        justification,
      }),
    )
    .min(1)
    .max(3),
});

function readProposeSkills({ proposals }: z.infer<typeof ProposeSkills>): NativeProposal {
  const [proposal] = proposals;
  if (proposal === undefined || proposals.length > 1)
    throw invalid(`The input has ${proposals.length} proposals.`, "Call the tool once per proposal.");
  const { kind, target, description, edits, skillMd } = proposal;
  const reason = { justification: proposal.justification || description, ...evidenceOf(proposal.evidence) };
  if (kind === "new") {
    if (target != null)
      throw invalid("A new skill has no target.", 'Use kind "improvement", or omit target.');
    if (edits != null || skillMd == null) throw invalid("A new skill needs skillMd, not edits.");
    const content = composeSkill(proposal.name, description, parseSkill(skillMd).body);
    return { kind: "create", input: { files: [{ path: "SKILL.md", content }], ...reason } };
  }
  if (target == null) throw invalid("An improvement needs a target.", "Name the existing skill in target.");
  if (proposal.name !== target) throw renamed(target, proposal.name);
  if ((edits == null) === (skillMd == null))
    throw invalid("An improvement needs either edits or skillMd.", ONE_FORM);
  const change =
    skillMd == null
      ? { edits: (edits ?? []).map((edit) => ({ old: edit.old_string, new: edit.new_string })) }
      : { body: parseSkill(skillMd).body };
  return { kind: "update", input: { skill_id: target, ...change, description, ...reason } };
}

const Workshop = z.strictObject({
  action: text,
  name: name.nullish(),
  skill_name: name.nullish(),
  description: text.nullish(),
  proposal_content: text.nullish(),
  support_files: z.array(z.strictObject({ path: text, content: text })).nullish(),
  goal: text.nullish(),
  evidence: text.nullish(),
  correlation_id: text.nullish(),
  proposal_id: text.nullish(),
  expected_revision_hash: text.nullish(),
  proposal_version: text.nullish(),
  reason: text.nullish(),
  justification,
});

const workshopFields: ReadonlySet<string> = new Set(
  Object.keys(Workshop.shape).filter((key) => !["action", "name", "justification"].includes(key)),
);

function readWorkshop(given: z.infer<typeof Workshop>): NativeProposal {
  const { action, description, proposal_content: content } = given;
  if (action !== "create" && action !== "update") throw notProposed("skill_workshop", action);
  const precondition = given.proposal_id ?? given.expected_revision_hash ?? given.proposal_version;
  if (precondition != null)
    throw invalid(`The action ${action} of skill_workshop does not refer to a stored proposal.`);
  if (content == null) throw invalid(`The action ${action} of skill_workshop needs proposal_content.`);
  const parsed = parseSkill(content);
  const support = given.support_files ?? [];
  checkFolders(support, ["assets", "examples", "references", "scripts", "templates"]);
  const goal = given.justification || given.goal || description;
  const reason = { justification: goal || noReason("skill_workshop", action), ...evidenceOf(given.evidence) };
  const subject = action === "create" ? given.name : given.skill_name;
  if (subject == null)
    throw invalid(`The action ${action} needs ${action === "create" ? "name" : "skill_name"}.`);
  const others = [given.name, given.skill_name, scalarText(parsed, "name")];
  for (const other of others) if (other != null && other !== subject) throw renamed(subject, other);
  if (action === "update") {
    const files = support.length === 0 ? {} : { files: support };
    const described = description ? { description } : {};
    return {
      kind: "update",
      input: { skill_id: subject, body: parsed.body, ...files, ...described, ...reason },
    };
  }
  if (!description) throw invalid("The action create of skill_workshop needs a description.");
  const own = { path: "SKILL.md", content: composeSkill(subject, description, parsed.body) };
  return { kind: "create", input: { files: [own, ...support], ...reason } };
}

const Manage = z.strictObject({
  action: text,
  name,
  content: text.nullish(),
  category: text.nullish(),
  old_string: text.nullish(),
  new_string: text.nullish(),
  replace_all: z.boolean().nullish(),
  file_path: text.nullish(),
  file_content: text.nullish(),
  absorbed_into: text.nullish(),
  justification,
});

const manageFields: ReadonlySet<string> = new Set(
  Object.keys(Manage.shape).filter((key) => !["action", "name", "justification"].includes(key)),
);

type ManageInput = z.infer<typeof Manage>;

/** The fields that each action of skill_manage takes. A category is a folder, and skills here have none. */
const manageActions = new Map<string, readonly (keyof ManageInput)[]>([
  ["create", ["content", "category"]],
  ["edit", ["content"]],
  ["patch", ["old_string", "new_string", "replace_all", "file_path"]],
  ["write_file", ["file_path", "file_content"]],
  ["remove_file", ["file_path"]],
]);

function readManage(given: ManageInput): NativeProposal {
  const { action, name: skill } = given;
  const taken = manageActions.get(action);
  if (taken === undefined) throw notProposed("skill_manage", action);
  for (const [key, value] of Object.entries(given))
    if (manageFields.has(key) && value != null && value !== false && !taken.some((field) => field === key))
      throw invalid(`The action ${action} of skill_manage takes no ${key}.`, ONE_FORM);
  const need = (field: "content" | "old_string" | "new_string" | "file_path" | "file_content"): string => {
    const value = given[field];
    if (value != null) return value;
    throw invalid(`The action ${action} of skill_manage needs ${field}.`);
  };
  const reason = { justification: given.justification || noReason("skill_manage", action) };
  const update = (change: Partial<z.input<typeof SkillUpdateInput>>): NativeProposal => {
    return { kind: "update", input: { skill_id: skill, ...change, ...reason } };
  };
  const whole = () => {
    const content = need("content");
    const written = scalarText(parseSkill(content), "name");
    if (written === skill) return { files: [{ path: "SKILL.md", content }] };
    throw written === undefined
      ? invalid("The content needs frontmatter with a name.")
      : renamed(skill, written);
  };
  const file = (content: string | null) => {
    const files = [{ path: need("file_path"), content }];
    checkFolders(files, ["assets", "references", "scripts", "templates"]);
    return { files };
  };
  switch (action) {
    case "create":
      return { kind: "create", input: { ...whole(), ...reason } };
    case "edit":
      return update(whole());
    case "write_file":
      return update(file(need("file_content")));
    case "remove_file":
      return update(file(null));
    default: {
      if (given.replace_all === true)
        throw invalid("replace_all does not say which texts change.", "Send one edit for each place.");
      const path = given.file_path ? { path: given.file_path } : {};
      return update({ edits: [{ ...path, old: need("old_string"), new: need("new_string") }] });
    }
  }
}

/** The forms allow support files in some folders only, so that none of them is the SKILL.md. */
function checkFolders(files: readonly { readonly path: string }[], folders: readonly string[]): void {
  const seen = new Set<string>();
  for (const { path } of files) {
    if (!folders.some((folder) => path.startsWith(`${folder}/`)))
      throw invalid(`${quote(path)} is not in a folder for support files.`, `Use ${folders.join(", ")}.`);
    if (seen.has(path)) throw invalid(`The input has ${quote(path)} twice.`);
    seen.add(path);
  }
}

function evidenceOf(given: string | readonly string[] | null | undefined): { evidence?: string[] } {
  const notes = [given ?? []].flat().filter((note) => note !== "");
  return notes.length === 0 ? {} : { evidence: notes };
}

function noReason(tool: string, action: string): string {
  return `The agent gave no reason (${tool}, ${action}).`;
}

function parse<S extends z.ZodObject>(schema: S, input: object, form: string): z.infer<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues
    .slice(0, 3)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`));
  throw invalid(`Invalid input in the form of ${form}: ${problems.join("; ").slice(0, 400)}.`, ONE_FORM);
}

function notProposed(tool: string, action: string): SkillError {
  return invalid(
    `The action ${quote(action)} of ${tool} is not a proposal.`,
    "Propose a new skill or a change. A person reviews, applies and deletes.",
  );
}

function renamed(skill: string, other: string): SkillError {
  return invalid(
    `The input names both ${quote(skill)} and ${quote(other)}.`,
    "A proposal cannot rename a skill.",
  );
}

function quote(value: string): string {
  return JSON.stringify(value.slice(0, 80));
}

function invalid(
  message: string,
  hint = "Send the fields of propose_skill_update or propose_skill.",
): SkillError {
  return new SkillError("USAGE", message, { hint });
}
