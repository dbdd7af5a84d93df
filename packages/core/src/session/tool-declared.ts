import { SkillError } from "@skillhold/protocol";
import { neutralText } from "../catalogue/index.ts";
import type { DeclaredTool, ToolProblem } from "../run/index.ts";
import type { Session } from "./session.ts";
import type { AgentTool, ToolRunOptions } from "./tool.ts";
import { answer, succeed, type ToolResult } from "./tool-result.ts";
import { cutMiddle } from "./tool-running.ts";
import { wrap } from "./wrap.ts";

/** Tools that skills brought along, and what kept others from being offered. */
export interface DeclaredToolList {
  readonly tools: readonly AgentTool[];
  readonly problems: readonly SkillToolProblem[];
}

export interface SkillToolProblem extends Partial<ToolProblem> {
  readonly skill: string;
  readonly message: string;
  /** The refusal, where all of the skill's tools were refused. */
  readonly cause?: SkillError;
}

/**
 * The tools that skills declare, for an agent: of those in use unless others are named. To list them the skills'
 * modules are run, which may ask for approval; a skill that is refused is a problem, and the others are listed.
 */
export async function declaredTools(
  session: Session,
  ids = inUse(session),
  signal?: AbortSignal,
): Promise<DeclaredToolList> {
  const tools: AgentTool[] = [];
  const problems: SkillToolProblem[] = [];
  for (const skill of ids) {
    try {
      const listed = await session.tools(skill, signal);
      tools.push(...listed.tools.map((tool) => toAgentTool(session, tool)));
      problems.push(...listed.problems.map((problem) => ({ skill, ...problem })));
    } catch (error) {
      if (!(error instanceof SkillError)) throw error;
      problems.push({ skill, message: error.message, cause: error });
    }
  }
  return { tools, problems };
}

/** The skill that declares a tool, of one that `declaredTools` has made and of no other. */
export function declaredOwner(tool: object): string | undefined {
  return owners.get(tool);
}

function inUse(session: Session): readonly string[] {
  return session.active().map(({ skill }) => skill);
}

/** The tools that were made here. A look-alike with an `owner` of its own is not among them. */
const owners = new WeakMap<object, string>();

function toAgentTool(session: Session, tool: DeclaredTool): AgentTool {
  const { skill, name, toolName, description, inputSchema } = tool;
  const made: AgentTool = Object.freeze({
    name: toolName,
    description: neutralText(description, session.limits.descriptionLength),
    inputSchema,
    owner: skill,
    run: (input: unknown, call?: ToolRunOptions) =>
      answer(() => callDeclared(session, skill, name, input, call)),
  });
  owners.set(made, skill);
  return made;
}

async function callDeclared(
  session: Session,
  skill: string,
  name: string,
  input: unknown,
  { signal }: ToolRunOptions = {},
): Promise<ToolResult> {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    throw new SkillError("USAGE", `The input of ${name} is an object.`);
  // An object that is no list has text keys; what is in it is the tool's to check.
  const args = input as Readonly<Record<string, unknown>>;
  const called = await session.callTool(skill, name, args, signal === undefined ? {} : { signal });
  const { result, treeHash: hash } = called;
  const text = typeof result === "string" ? result : JSON.stringify(result, null, 2);
  const shown = cutMiddle(text ?? "", session.limits.toolTextLength);
  return succeed(wrap("skill_output", { skill, tool: name, hash }, shown), called);
}
