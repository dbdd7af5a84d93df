import { NewSkillInput, PromotionInput, SkillError, SkillUpdateInput } from "@skillhold/protocol";
import { readDialect } from "@skillhold/skill";
import { didYouMean, suggest } from "@skillhold/skill/suggest";
import { z } from "zod";
import { neutralText } from "../catalogue/index.ts";
import type { ByteRange } from "../library/library.ts";
import type { ScriptOptions, ScriptRun } from "../run/index.ts";
import type { Deactivation } from "./activation.ts";
import type { ActivatedSkill, RepeatNote } from "./activation-text.ts";
import type { InlineFile } from "./port.ts";
import type { PromotedSkill, Proposed } from "./proposal.ts";
import type { Published } from "./publication.ts";
import type { SessionResource } from "./resource.ts";
import type { Session } from "./session.ts";
import type { Recorded } from "./session-log.ts";
import { listSkillItems, type SkillListing, searchSkillItems } from "./tool-listing.ts";
import { promoteSkill, proposeSkill } from "./tool-proposing.ts";
import { answerTool, failTool, succeedTool, type ToolResult } from "./tool-result.ts";
import { runSkillScript } from "./tool-running.ts";
import { wrap } from "./wrap.ts";

export type SkillToolName =
  | "list_skills"
  | "search_skills"
  | "read_skill"
  | "read_skill_resource"
  | "run_skill_script"
  | "deactivate_skill"
  | "publish_skill"
  | "propose_skill_update"
  | "propose_skill"
  | "promote_skill";

/** Cancels or approves a call and receives script output. Never taken from model input. */
export type ToolRunOptions = Pick<ScriptOptions, "signal" | "asker" | "approval" | "onOutput">;

/** A tool for an agent, independent of frameworks. `run` validates its input and throws only on a bug. */
export interface AgentTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** The skill that declares it. */
  readonly owner?: string;
  run(input: unknown, call?: ToolRunOptions): Promise<ToolResult>;
}

/** The skill content that a tool discloses. */
export type ToolDisclosure = keyof ToolData;

/** The data that a tool may return, by the content that it discloses. */
export interface ToolData {
  readonly activation: Recorded<ActivatedSkill> | RepeatNote;
  readonly resource: Recorded<SessionResource>;
  readonly none: SkillListing | ScriptRun | Deactivation | Published | Proposed | PromotedSkill;
}

export interface SkillTool extends AgentTool {
  readonly name: SkillToolName;
  readonly schema: z.ZodObject;
  readonly discloses: ToolDisclosure;
}

export interface SkillToolOptions {
  /** Tools to leave out. */
  readonly off?: readonly SkillToolName[];
}

/** The skill tools of a session. A session that cannot run, publish or propose has no tool for it. */
export function skillTools(session: Session, { off = [] }: SkillToolOptions = {}): readonly SkillTool[] {
  const missing: readonly SkillToolName[] = [
    ...(session.canRun ? [] : (["run_skill_script"] as const)),
    ...(session.canPublish ? [] : (["publish_skill"] as const)),
    ...(session.proposals.canPromote ? [] : (["promote_skill"] as const)),
    ...(session.proposals.isPossible ? [] : (["propose_skill_update", "propose_skill"] as const)),
  ];
  return allTools(session).filter(({ name }) => !off.includes(name) && !missing.includes(name));
}

/** Alternative tool names; accepted, never listed. */
const ALIASES: ReadonlyMap<string, SkillToolName> = new Map<string, SkillToolName>([
  ["skill_search", "search_skills"],
  ["skills.list", "list_skills"],
  ["skills.read", "read_skill"],
  ["skills.read_resource", "read_skill_resource"],
  ["skills.run_script", "run_skill_script"],
  ["ProposeSkills", "propose_skill_update"],
  ["skill_manage", "propose_skill_update"],
  ["skill_workshop", "propose_skill_update"],
]);

/** Finds a tool by name or alias. */
export function findSkillTool(tools: readonly AgentTool[], name: string): AgentTool | undefined {
  const wanted = ALIASES.get(name) ?? name;
  return tools.find((each) => each.name === wanted);
}

/** Calls a tool by name or alias. */
export async function callSkillTool(
  tools: readonly AgentTool[],
  name: string,
  input: unknown,
  call?: ToolRunOptions,
): Promise<ToolResult> {
  const tool = findSkillTool(tools, name);
  if (tool !== undefined) return tool.run(input, call);
  const names = tools.map((each) => each.name);
  const hint = didYouMean(suggest(name, names)) ?? `The skill tools are ${names.join(", ")}.`;
  return failTool(
    new SkillError("USAGE", `The skill tool ${neutralText(name, 64)} does not exist.`, { hint }),
  );
}

const skillId = z.string().min(1).max(128).describe("The exact skill id from the catalogue.");
const query = z.string().max(1000);

function allTools(session: Session): readonly SkillTool[] {
  return [
    ...findingTools(session),
    ...usingTools(session),
    publishingTool(session),
    ...proposingTools(session),
  ];
}

function findingTools(session: Session): readonly SkillTool[] {
  return [
    defineTool(
      "list_skills",
      "none",
      "List the available skills, or only those that match a query or a tag.",
      z.strictObject({
        query: query.optional().describe("Words or part of a name."),
        tag: z.string().max(128).optional().describe("Only skills with this tag."),
      }),
      (input) => listSkillItems(session, input),
    ),
    defineTool(
      "search_skills",
      "none",
      "Search skills for a task. The best match comes first.",
      z.strictObject({
        query: query.min(1).describe("The task in a few words."),
        limit: z.int().min(1).max(50).optional().describe("The number of results. Default: 5."),
      }),
      (input) => searchSkillItems(session, input.query, input.limit),
    ),
  ];
}

function usingTools(session: Session): readonly SkillTool[] {
  return [
    defineTool(
      "read_skill",
      "activation",
      "Activate a skill: returns its full instructions and the list of its files. Do this before a task that a skill covers.",
      z.strictObject({
        skill_id: skillId,
        again: z
          .boolean()
          .optional()
          .describe("Return the full instructions even if the skill is already active."),
      }),
      (input) => readSkill(session, input.skill_id, input.again ?? false),
    ),
    defineTool(
      "read_skill_resource",
      "resource",
      "Read one file of a skill, such as a reference or a template, by its path in the skill.",
      z.strictObject({
        skill_id: skillId,
        path: z.string().min(1).max(4096).describe("As listed by read_skill, such as references/forms.md."),
        start: z.int().min(0).optional().describe("The first byte to return."),
        length: z.int().min(1).optional().describe("The maximum number of bytes to return."),
      }),
      ({ skill_id, path, ...range }) => readSkillResource(session, skill_id, path, definedOnly(range)),
    ),
    defineTool(
      "run_skill_script",
      "none",
      "Run a script of a skill in a sandbox and return its output. A person may have to approve it.",
      z.strictObject({
        skill_id: skillId,
        script: z.string().min(1).max(4096).describe("As listed by read_skill, such as scripts/convert.py."),
        args: z.array(z.string().max(32_768)).max(256).optional().describe("The arguments, one item each."),
        stdin: z.string().max(1_048_576).optional().describe("The standard input of the script."),
      }),
      (input, call) => runSkillScript(session, input, call),
    ),
    defineTool(
      "deactivate_skill",
      "none",
      "Deactivate a skill. Its instructions and tool restrictions no longer apply.",
      z.strictObject({ skill_id: skillId }),
      (input) => deactivateSkill(session, input.skill_id),
    ),
  ];
}

const PUBLISHING =
  "Publish a skill that you wrote, so that it can be found, granted and used. Publishing it again creates a new revision.";

function publishingTool(session: Session): SkillTool {
  if (session.publishesFiles) return filePublishingTool(session);
  return defineTool(
    "publish_skill",
    "none",
    PUBLISHING,
    z.strictObject({
      path: z
        .string()
        .min(1)
        .max(4096)
        .describe("The folder of its SKILL.md, absolute or relative to your workspace."),
    }),
    (input) => publishSkill(session, input.path),
  );
}

/** The registry applies the limits of a bundle; these bound one call. */
const MOST_FILES = 2000;
const MOST_CONTENT = 20 * 1024 * 1024;

function filePublishingTool(session: Session): SkillTool {
  const file = z.strictObject({
    path: z.string().min(1).max(512).describe("Relative to the skill, such as SKILL.md or scripts/run.py."),
    content: z.string().max(MOST_CONTENT),
    encoding: z.enum(["utf8", "base64"]).optional().describe("Of the content. Default: utf8."),
    executable: z.boolean().optional(),
  });
  const files = z.array(file).min(1).max(MOST_FILES).describe("All files of the skill, with its SKILL.md.");
  return defineTool("publish_skill", "none", PUBLISHING, z.strictObject({ files }), (input) =>
    publishSkill(session, input.files),
  );
}

function proposingTools(session: Session): readonly SkillTool[] {
  return [
    defineTool(
      "propose_skill_update",
      "none",
      "Propose a change of a skill that you have read, for example after its script failed. A person reviews it.",
      SkillUpdateInput,
      (input) => proposeSkill(session, input),
      (input) => proposeDialect(session, input),
    ),
    defineTool(
      "propose_skill",
      "none",
      "Propose a new skill. A person reviews it before anyone can use it.",
      NewSkillInput,
      (input) => proposeSkill(session, input),
      (input) => proposeDialect(session, input),
    ),
    defineTool(
      "promote_skill",
      "none",
      "Promote a workflow that you repeated successfully to a skill. You can use a private draft at once.",
      PromotionInput,
      (input) => promoteSkill(session, input),
    ),
  ];
}

/** Proposes from the input of another agent's tool, which says itself whether the skill is new. */
function proposeDialect(session: Session, input: unknown): Promise<ToolResult<Proposed>> | undefined {
  const native = readDialect(input);
  if (native === undefined) return undefined;
  const schema = native.kind === "create" ? NewSkillInput : SkillUpdateInput;
  const parsed = schema.safeParse(native.input);
  if (!parsed.success) throw badInput("propose_skill_update", parsed.error, schema);
  return proposeSkill(session, parsed.data);
}

/**
 * Defines a tool. A tool that discloses skill content must return `Recorded` data, which only exists once its event is
 * in the log; a tool that declares `none` can return only the listed kinds of data.
 */
export function defineTool<S extends z.ZodObject, D extends ToolDisclosure>(
  name: SkillToolName,
  discloses: D,
  description: string,
  schema: S,
  work: (input: z.infer<S>, call: ToolRunOptions | undefined) => Promise<ToolResult<ToolData[D]>>,
  dialect?: (input: unknown) => Promise<ToolResult<ToolData[D]>> | undefined,
): SkillTool {
  const run = (input: unknown, call?: ToolRunOptions): Promise<ToolResult> =>
    answerTool(async () => {
      const answered = dialect?.(input);
      if (answered !== undefined) return await answered;
      const parsed = schema.safeParse(input ?? {});
      if (!parsed.success) throw badInput(name, parsed.error, schema);
      return work(parsed.data, call);
    });
  return {
    name,
    description,
    schema,
    discloses,
    run,
    get inputSchema() {
      return z.toJSONSchema(schema, { io: "input" });
    },
  };
}

function badInput(name: SkillToolName, error: z.ZodError, schema: z.ZodObject): SkillError {
  const problems = error.issues
    .slice(0, 5)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`));
  const fields = Object.entries(schema.shape).map(([field, type]) =>
    type instanceof z.ZodOptional ? `${field}?` : field,
  );
  return new SkillError("USAGE", `Invalid input for ${name}: ${neutralText(problems.join("; "), 500)}.`, {
    hint: `Pass an object with ${fields.join(", ")}.`,
  });
}

function definedOnly({
  start,
  length,
}: {
  readonly start?: number | undefined;
  readonly length?: number | undefined;
}): { readonly start?: number; readonly length?: number } {
  return { ...(start === undefined ? {} : { start }), ...(length === undefined ? {} : { length }) };
}

async function readSkill(
  session: Session,
  id: string,
  again: boolean,
): Promise<ToolResult<ToolData["activation"]>> {
  const skill = await session.activate(id, { again });
  return succeedTool(skill.text, skill);
}

async function readSkillResource(
  session: Session,
  id: string,
  path: string,
  range: ByteRange,
): Promise<ToolResult<ToolData["resource"]>> {
  // The instructions may use the skill:// address that stands for the skill's folder.
  const base = `skill://${id}/`;
  const relative = path.startsWith(base) ? path.slice(base.length) : path;
  const resource = await session.resource(id, relative, range);
  return succeedTool(resourceText(resource), resource);
}

async function deactivateSkill(session: Session, id: string): Promise<ToolResult<Deactivation>> {
  const result = await session.deactivate(id);
  return succeedTool(`The skill ${id} ${result.wasActive ? "is no longer" : "was not"} active.`, result);
}

function resourceText(resource: SessionResource): string {
  const { skill, trust, origin, path, encoding, content, size, start, length, hasMore, digest } = resource;
  if (encoding === "base64") return binaryText(resource);
  const attributes = { skill, path, hash: digest, trust, ...(origin === undefined ? {} : { origin }) };
  return [
    ...resource.warnings.map((warning) => `Warning: ${warning}`),
    wrap("skill_file", attributes, content),
    ...(hasMore ? [`The file has ${size} bytes. To continue, read from start ${start + length}.`] : []),
  ].join("\n");
}

const BINARY_TEXT_LENGTH = 500;
const BINARY_PATH_LENGTH = 160;

/** One line of facts. The bytes are only in the data, because they are useless to a model and cost many tokens. */
function binaryText({
  skill,
  trust,
  origin,
  path,
  mimeType,
  size,
  digest,
  warnings,
}: SessionResource): string {
  const from = origin === undefined ? trust : `${trust}, ${origin}`;
  const name = neutralText(path, BINARY_PATH_LENGTH);
  const facts = `${name} of ${skill} (${from}) is a binary file: ${mimeType}, ${size} bytes, ${digest}.`;
  const line = [facts, "Its bytes are not shown.", ...warnings.map((each) => `Warning: ${each}`)].join(" ");
  return neutralText(line, BINARY_TEXT_LENGTH);
}

async function publishSkill(
  session: Session,
  skill: string | readonly InlineFile[],
): Promise<ToolResult<Published>> {
  const published = await session.publish(skill);
  return succeedTool(publishText(published), published);
}

/** The text for the model. A warning names the missing dependencies. */
function publishText(published: Published): string {
  const { id, revision, status, isNew, missing, warnings, omitted, granted = [] } = published;
  const done = status === "unchanged" ? "is unchanged" : isNew ? "is published" : "has a new revision";
  return [
    `The skill ${id} ${done}: revision ${revision}.`,
    ...granted.map(({ kind, key }) => `It is granted to the ${kind} ${key}.`),
    ...warnings,
    ...(missing.length === 0 ? [] : ["Install the missing dependencies, or ask the user to."]),
    ...(omitted.length === 0
      ? []
      : [`Omitted files: ${omitted.map(({ path, reason }) => `${path} (${reason})`).join(", ")}.`]),
  ].join("\n");
}
