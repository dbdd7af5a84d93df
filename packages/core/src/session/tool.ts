import { SkillError } from "@skillhold/protocol";
import { z } from "zod";
import { neutralText } from "../catalogue/index.ts";
import type { ScriptOptions } from "../run/index.ts";
import type { Session } from "./session.ts";
import { didYouMean, suggest } from "./suggest.ts";
import { listSkills, searchSkills } from "./tool-listing.ts";
import { publishSkill } from "./tool-publishing.ts";
import { deactivateSkill, readSkill, readSkillResource } from "./tool-reading.ts";
import { answer, fail, type ToolResult } from "./tool-result.ts";
import { runSkillScript } from "./tool-running.ts";

export type SkillToolName =
  | "list_skills"
  | "search_skills"
  | "read_skill"
  | "read_skill_resource"
  | "run_skill_script"
  | "deactivate_skill"
  | "publish_skill";

/** How a call may be called off, and whom to tell of what a script prints meanwhile. Never taken from a model. */
export type ToolRunOptions = Pick<ScriptOptions, "signal" | "onOutput">;

/** A tool for an agent, in no framework's terms. `run` checks its input itself and throws only on a bug. */
export interface AgentTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its input. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** The skill that declares it. */
  readonly owner?: string;
  run(input: unknown, call?: ToolRunOptions): Promise<ToolResult>;
}

export interface SkillTool extends AgentTool {
  readonly name: SkillToolName;
  readonly schema: z.ZodObject;
}

export interface SkillToolOptions {
  /** Tools that the agent does not get. */
  readonly off?: readonly SkillToolName[];
}

/** The skill tools of a session. One that runs or publishes nothing has no tool for it. */
export function skillTools(session: Session, { off = [] }: SkillToolOptions = {}): readonly SkillTool[] {
  const missing: readonly SkillToolName[] = [
    ...(session.canRun ? [] : (["run_skill_script"] as const)),
    ...(session.canPublish ? [] : (["publish_skill"] as const)),
  ];
  return allTools(session).filter(({ name }) => !off.includes(name) && !missing.includes(name));
}

/** Other names that agents know these tools by; accepted, never listed. */
const ALIASES: ReadonlyMap<string, SkillToolName> = new Map<string, SkillToolName>([
  ["skill_search", "search_skills"],
  ["skills.list", "list_skills"],
  ["skills.read", "read_skill"],
  ["skills.read_resource", "read_skill_resource"],
  ["skills.run_script", "run_skill_script"],
]);

/** The tool of this name or alias. */
export function findSkillTool(tools: readonly AgentTool[], name: string): AgentTool | undefined {
  const wanted = ALIASES.get(name) ?? name;
  return tools.find((each) => each.name === wanted);
}

/** Calls a tool by its name or by an alias. */
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
  return fail(new SkillError("USAGE", `There is no skill tool ${neutralText(name, 64)}.`, { hint }));
}

const skillId = z.string().min(1).max(128).describe("The exact id of the skill, as the catalogue gives it.");
const query = z.string().max(1000);

function allTools(session: Session): readonly SkillTool[] {
  return [...findingTools(session), ...usingTools(session), publishingTool(session)];
}

function findingTools(session: Session): readonly SkillTool[] {
  return [
    makeTool(
      "list_skills",
      "List the available skills, or those whose name, tags or text match a query.",
      z.strictObject({
        query: query.optional().describe("Words or a part of a name."),
        tag: z.string().max(128).optional().describe("Only skills with this tag."),
      }),
      (input) => listSkills(session, input),
    ),
    makeTool(
      "search_skills",
      "Find skills for a task by what they are about, the best first.",
      z.strictObject({
        query: query.min(1).describe("What you want to do, in a few words."),
        limit: z.int().min(1).max(50).optional().describe("How many to return, 5 by default."),
      }),
      (input) => searchSkills(session, input.query, input.limit),
    ),
  ];
}

function usingTools(session: Session): readonly SkillTool[] {
  return [
    makeTool(
      "read_skill",
      "Load a skill: its full instructions and the list of its files. Do this before a task that a skill covers.",
      z.strictObject({
        skill_id: skillId,
        again: z.boolean().optional().describe("Load it again although it was loaded before."),
      }),
      (input) => readSkill(session, input.skill_id, input.again ?? false),
    ),
    makeTool(
      "read_skill_resource",
      "Read one file of a skill, such as a reference or a template, by its path in the skill.",
      z.strictObject({
        skill_id: skillId,
        path: z.string().min(1).max(4096).describe("As listed by read_skill, such as references/forms.md."),
        start: z.int().min(0).optional().describe("The byte to start from."),
        length: z.int().min(1).optional().describe("The most bytes to return."),
      }),
      ({ skill_id, path, ...range }) => readSkillResource(session, skill_id, path, definedOnly(range)),
    ),
    makeTool(
      "run_skill_script",
      "Run a script of a skill in a sandbox and get its output. It may need someone's approval.",
      z.strictObject({
        skill_id: skillId,
        script: z.string().min(1).max(4096).describe("As listed by read_skill, such as scripts/convert.py."),
        args: z.array(z.string().max(32_768)).max(256).optional().describe("Its arguments, one by one."),
        stdin: z.string().max(1_048_576).optional().describe("What it reads from standard input."),
      }),
      (input, call) => runSkillScript(session, input, call),
    ),
    makeTool(
      "deactivate_skill",
      "Stop using a skill that was loaded. Its instructions and its limits on tools no longer hold.",
      z.strictObject({ skill_id: skillId }),
      (input) => deactivateSkill(session, input.skill_id),
    ),
  ];
}

function publishingTool(session: Session): SkillTool {
  return makeTool(
    "publish_skill",
    "Publish a skill that you have written, so that it can be found, granted and used. Publishing it again makes a new revision.",
    z.strictObject({
      path: z
        .string()
        .min(1)
        .max(4096)
        .describe("The folder with its SKILL.md, absolute or from your workspace."),
    }),
    (input) => publishSkill(session, input.path),
  );
}

function makeTool<S extends z.ZodObject>(
  name: SkillToolName,
  description: string,
  schema: S,
  work: (input: z.infer<S>, call: ToolRunOptions | undefined) => Promise<ToolResult>,
): SkillTool {
  const run = (input: unknown, call?: ToolRunOptions): Promise<ToolResult> =>
    answer(async () => {
      const parsed = schema.safeParse(input ?? {});
      if (!parsed.success) throw badInput(name, parsed.error, schema);
      return work(parsed.data, call);
    });
  return {
    name,
    description,
    schema,
    run,
    get inputSchema() {
      return z.toJSONSchema(schema, { io: "input" });
    },
  };
}

function badInput(name: SkillToolName, error: z.ZodError, schema: z.ZodObject): SkillError {
  const faults = error.issues
    .slice(0, 5)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`));
  const fields = Object.entries(schema.shape).map(([field, type]) =>
    type instanceof z.ZodOptional ? `${field}?` : field,
  );
  return new SkillError("USAGE", `Bad input for ${name}: ${neutralText(faults.join("; "), 500)}.`, {
    hint: `The input is an object with ${fields.join(", ")}.`,
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
