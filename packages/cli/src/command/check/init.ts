import { join, relative, resolve } from "node:path";
import { present } from "@skillhold/host/place";
import { skillTemplates } from "@skillhold/skill";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { initSkill } from "./new-skill.ts";

const optionSpecs = [
  { flags: "--in <folder>", summary: "create the skill inside this folder", default: "." },
  { flags: "--description <text>", summary: "describe what the skill does and when to use it" },
  {
    flags: "--template <name>",
    summary: "start from this template",
    choices: skillTemplates,
    default: "context",
  },
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "<name>", summary: "the skill's id, which is also its folder name" }],
  options: optionSpecs,
  examples: ["init my-skill", "init report-writer --template script --in .agents/skills"],
  run,
});

/** Writes a new, valid skill. */
async function run({ args, options, io }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const [name = ""] = args;
  const parent = resolve(io.cwd, options.in);
  const { description, template } = options;
  const request = { name, template, ...present({ description }) };
  const made = initSkill(parent, request);
  if (io.json) {
    printData(io, made);
    return 0;
  }
  const folder = relative(io.cwd, made.folder) || ".";
  for (const file of made.files) io.out(`${plain(join(folder, file))}\n`);
  io.err(`Next: edit SKILL.md, then \`skillhold validate ${plain(folder)}\`.\n`);
  return 0;
}
