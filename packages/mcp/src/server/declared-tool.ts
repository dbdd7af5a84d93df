import {
  type AgentTool,
  answerTool,
  callDeclaredTool,
  type DeclaredToolList,
  type Session,
  succeedTool,
  type ToolResult,
} from "@skillhold/core/session";
import { neutralText } from "@skillhold/core/text";
import { SkillError } from "@skillhold/protocol/error";
import { z } from "zod";

/** Loads the tools of a skill for a session. */
interface ToolLoader {
  readonly session: Session;
  loadTools(id: string, signal?: AbortSignal): Promise<DeclaredToolList>;
}

/** The tools of this server for the tools that skills declare. */
export type DeclaredToolName = "load_skill_tools" | "call_skill_tool";

/**
 * Loads and calls the tools that skills declare. Loading runs the skill's code and may need an approval, which a plain list
 * request cannot ask for. `call_skill_tool` is for clients that do not list tools again.
 */
export function declaredToolTools(loader: ToolLoader): readonly AgentTool[] {
  return [
    defineTool(
      "load_skill_tools",
      "Load the tools that a skill declares in its tools/ folder, so that you can call them. This runs code of the skill and may require approval.",
      z.strictObject({ skill_id: skillId }),
      async ({ skill_id: id }, signal) => listing(id, await loader.loadTools(id, signal)),
    ),
    defineTool(
      "call_skill_tool",
      "Call a tool that a skill declares. load_skill_tools lists the tools of a skill with their input. A person may have to approve it.",
      z.strictObject({
        skill_id: skillId,
        tool: z.string().min(1).max(256).describe("The name of the tool, as load_skill_tools lists it."),
        args: z.record(z.string(), z.unknown()).optional().describe("The input of the tool."),
      }),
      ({ skill_id: id, tool, args = {} }, signal) =>
        callDeclaredTool(loader.session, id, tool, args, signal === undefined ? {} : { signal }),
    ),
  ];
}

const skillId = z.string().min(1).max(128).describe("The exact skill id from the catalogue.");

function defineTool<S extends z.ZodObject>(
  name: DeclaredToolName,
  description: string,
  schema: S,
  work: (input: z.infer<S>, signal: AbortSignal | undefined) => Promise<ToolResult>,
): AgentTool {
  return {
    name,
    description,
    get inputSchema() {
      return z.toJSONSchema(schema, { io: "input" });
    },
    run: (input, options) =>
      answerTool(async () => {
        const parsed = schema.safeParse(input ?? {});
        if (!parsed.success)
          throw new SkillError("USAGE", `The input of ${name} is invalid.`, {
            hint: `Send an object with ${Object.keys(schema.shape).join(", ")}.`,
          });
        return await work(parsed.data, options?.signal);
      }),
  };
}

const SCHEMA_LENGTH = 2000;

function listing(skill: string, { tools, problems }: DeclaredToolList): ToolResult {
  const listed = tools.map(({ name, description }) => ({ name, description }));
  const faults = problems.map(({ file, message }) => ({ ...(file === undefined ? {} : { file }), message }));
  const lines = tools.map(({ name, description, inputSchema }) => {
    const schema = neutralText(JSON.stringify(inputSchema), SCHEMA_LENGTH);
    return `- ${name}: ${description} Input: ${schema}`;
  });
  const text = [
    listed.length === 0
      ? `The skill ${skill} has no callable tools.`
      : `Call these tools by name, or with call_skill_tool("${skill}", <tool>, <args>) if your tool list does not have them:`,
    ...lines,
    ...faults.map(({ message }) => `Warning: ${neutralText(message, 500)}`),
  ].join("\n");
  return succeedTool(text, { skill, tools: listed, problems: faults });
}
