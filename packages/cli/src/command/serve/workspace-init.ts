import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";

const optionSpecs = [
  { flags: "--runtime <name>", summary: "set the runtime of the agent", default: "langgraph" },
  { flags: "--description <text>", summary: "describe what the workspace does", default: "" },
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "<folder>", summary: "the folder to create, which has the name of the agent" }],
  options: optionSpecs,
  examples: ["workspace init workspaces/seo --runtime my-agent"],
  run,
});

/** Writes a new workspace without skills. */
async function run({ args, options, io }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const [given = ""] = args;
  const folder = resolve(io.cwd, given);
  if (existsSync(join(folder, "config.yaml")))
    throw new SkillError("CONFLICT", `${given} is a workspace already.`, { hint: "Choose another folder." });
  mkdirSync(join(folder, "skills"), { recursive: true });
  const name = basename(folder);
  const { runtime, description } = options;
  const config = [
    `name: ${JSON.stringify(name)}`,
    `description: ${JSON.stringify(description)}`,
    `runtime: ${JSON.stringify(runtime)}`,
    "# Folders below skills/, in the order of the prompt. Only these load.",
    "skills: []",
    "",
  ];
  const files = {
    "config.yaml": config.join("\n"),
    "system-prompt.md": `You are ${name}.\n`,
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text, { flag: "wx" });
  if (io.json) printData(io, { folder, files: Object.keys(files) });
  else {
    for (const path of Object.keys(files)) io.out(`${plain(join(given, path))}\n`);
    io.err(`Next: \`skillhold workspace install ${plain(given)} <skill folder>\`.\n`);
  }
  return 0;
}
