import { type AgentTool, answerTool, succeedTool } from "@skillhold/core/session";
import { SkillError } from "@skillhold/protocol/error";
import { z } from "zod";
import type { WorkFolder } from "./work-folder.ts";

const LONGEST_TEXT = 100_000;

/** The tools for the work folder, for agents that have no others. */
export function workTools(work: WorkFolder): readonly AgentTool[] {
  return [
    makeTool("list_files", "List the files of the work folder.", z.strictObject({}), () => {
      const files = work.list();
      const text = files.map(({ path, size }) => `${path} (${size} bytes)`).join("\n");
      return text === "" ? "The work folder is empty." : text;
    }),
    makeTool(
      "read_file",
      "Read a text file of the work folder.",
      z.strictObject({ path: z.string().min(1).max(4096) }),
      ({ path }) => new TextDecoder().decode(work.read(path)).slice(0, LONGEST_TEXT),
    ),
    makeTool(
      "write_file",
      "Write a text file in the work folder, in place of the one that is there.",
      z.strictObject({ path: z.string().min(1).max(4096), content: z.string().max(1_048_576) }),
      ({ path, content }) => {
        work.write(path, content);
        return `${path} was written.`;
      },
    ),
  ];
}

function makeTool<S extends z.ZodObject>(
  name: string,
  description: string,
  schema: S,
  work: (input: z.infer<S>) => string,
): AgentTool {
  return {
    name,
    description,
    inputSchema: z.toJSONSchema(schema, { io: "input" }),
    run: (input) =>
      answerTool(async () => {
        const parsed = schema.safeParse(input ?? {});
        if (!parsed.success)
          throw new SkillError("USAGE", `Bad input for ${name}: ${parsed.error.issues[0]?.message ?? ""}.`);
        return succeedTool(
          attempt(() => work(parsed.data)),
          undefined,
        );
      }),
  };
}

/** What the file system refuses is an answer for the model. */
function attempt(work: () => string): string {
  try {
    return work();
  } catch (error) {
    if (error instanceof SkillError) throw error;
    throw new SkillError("IO_FAILED", error instanceof Error ? error.message : String(error));
  }
}
