import { join, relative, resolve } from "node:path";
import { initSkill } from "@skillhold/core/template";
import { present, textOption } from "../option.ts";
import { type ExitCode, plain, printData } from "../output.ts";
import type { CommandInput } from "../program.ts";

/** Writes a new skill that is valid as it is. */
export async function run({ args, options, io }: CommandInput): Promise<ExitCode> {
  const [name = ""] = args;
  const parent = resolve(io.cwd, textOption(options, "in") ?? ".");
  // The command table allows only the names of templates here.
  const template = textOption(options, "template") as "basic" | "script" | "reference" | undefined;
  const request = { name, ...present({ description: textOption(options, "description"), template }) };
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
