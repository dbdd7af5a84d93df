import { SkillError } from "@skillhold/protocol";
import { neutralText } from "../catalogue/index.ts";
import type { CallOptions, DeclaredTool, ToolProblem } from "../run/index.ts";
import type { Session } from "./session.ts";
import type { AgentTool, ToolRunOptions } from "./tool.ts";
import { answerTool, succeedTool, type ToolResult } from "./tool-result.ts";
import { cutMiddle } from "./tool-running.ts";
import { wrap } from "./wrap.ts";

/** The tools that skills declare, and why other tools are not available. */
export interface DeclaredToolList {
  readonly tools: readonly AgentTool[];
  readonly problems: readonly SkillToolProblem[];
}

export interface SkillToolProblem extends Partial<ToolProblem> {
  readonly skill: string;
  readonly message: string;
  /** Set when all tools of the skill were denied. */
  readonly cause?: SkillError;
}

/**
 * The declared tools of the given skills, or of the active ones. Listing runs the skills' modules, which may ask for
 * approval. A denied skill becomes a problem, and the others are still listed.
 */
export async function declaredTools(
  session: Session,
  ids = activeIds(session),
  options: CallOptions = {},
): Promise<DeclaredToolList> {
  const tools: AgentTool[] = [];
  const problems: SkillToolProblem[] = [];
  for (const skill of ids) {
    try {
      const listed = await session.tools(skill, options);
      tools.push(...listed.tools.map((tool) => toAgentTool(session, tool)));
      problems.push(...listed.problems.map((problem) => ({ skill, ...problem })));
    } catch (error) {
      if (!(error instanceof SkillError)) throw error;
      problems.push({ skill, message: error.message, cause: error });
    }
  }
  return { tools, problems };
}

/** The skill that declares a tool. Undefined for a tool that `declaredTools` did not make. */
export function declaredOwner(tool: object): string | undefined {
  return owners.get(tool);
}

function activeIds(session: Session): readonly string[] {
  return session.active().map(({ skill }) => skill);
}

/** Tools made by this module; an object with a forged `owner` is not a key. */
const owners = new WeakMap<object, string>();

function toAgentTool(session: Session, tool: DeclaredTool): AgentTool {
  const { skill, name, toolName, description, inputSchema } = tool;
  const made: AgentTool = Object.freeze({
    name: toolName,
    description: neutralText(description, session.limits.descriptionLength),
    inputSchema,
    owner: skill,
    run: (input: unknown, call?: ToolRunOptions) =>
      answerTool(() => callDeclaredTool(session, skill, name, input, call)),
  });
  owners.set(made, skill);
  return made;
}

/** Calls a declared tool by its own name or as `<id>__<tool>`; the session applies the gate, the policy and the record. */
export async function callDeclaredTool(
  session: Session,
  skill: string,
  name: string,
  input: unknown,
  { signal, asker, approval }: ToolRunOptions = {},
): Promise<ToolResult> {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    throw new SkillError("USAGE", `The input of ${name} must be an object.`);
  // A non-array object has string keys; the tool checks the values.
  const args = input as Readonly<Record<string, unknown>>;
  const called = await session.callTool(skill, name, args, { signal, asker, approval });
  const { result, treeHash: hash } = called;
  const text = typeof result === "string" ? result : JSON.stringify(result, null, 2);
  const shown = cutMiddle(text ?? "", session.limits.toolTextLength);
  return succeedTool(wrap("skill_output", { skill, tool: name, hash }, shown), called);
}
