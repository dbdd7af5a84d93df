import type { DeclaredTool, ToolCatalogue } from "@skillhold/core/run";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { getEntry } from "../../get-entry.ts";
import { consentOption, idArgument, libraryOptions } from "../../shared-option.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";
import { count, paintFor } from "../../terminal/text.ts";
import { withSession } from "./run-session.ts";

const optionSpecs = [consentOption, ...libraryOptions] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [idArgument],
  options: optionSpecs,
  examples: ["tools weather", "tools weather --json"],
  run,
});

/** Lists the declared tools of a skill. This runs its modules in the sandbox, after approval. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io } = input;
  return await withSession<ExitCode>(input, async (running) => {
    const { id } = await getEntry(running, input.args[0] ?? "");
    const catalogue = await running.session.tools(id, { signal: io.signal });
    if (io.json) printData(io, catalogue);
    else await printTools(io, catalogue);
    return 0;
  });
}

async function printTools(io: Io, { tools, problems }: ToolCatalogue): Promise<void> {
  const paint = await paintFor(io.color);
  for (const tool of tools) {
    io.out(
      `${paint.bold(plain(tool.name))} ${paint.dim(`(${plain(tool.file)}, ${plain(tool.toolName)})`)}\n`,
    );
    if (tool.description !== "") io.out(`  ${plain(tool.description)}\n`);
    for (const line of describeInput(tool)) io.out(`  ${plain(line)}\n`);
  }
  for (const { file, message } of problems) io.err(`warning: ${plain(file)}: ${plain(message)}\n`);
  io.err(`${count(tools.length, "tool")}\n`);
}

/** Describes each property of the schema on one line; `--json` has the whole schema. */
function describeInput({ inputSchema }: DeclaredTool): readonly string[] {
  const properties = recordOf(inputSchema["properties"]);
  const required = Array.isArray(inputSchema["required"]) ? inputSchema["required"] : [];
  return Object.entries(properties).map(([name, schema]) => {
    const { type, enum: values, description } = recordOf(schema);
    const kind = Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join(" | ") : type;
    const mark = required.includes(name) ? "" : "?";
    const about = typeof description === "string" ? ` – ${description}` : "";
    return `${name}${mark}: ${typeof kind === "string" ? kind : "any"}${about}`;
  });
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  // The check proves an object; its values stay unknown.
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}
