import { join } from "node:path";
import { referencePrompt } from "@skillhold/skill";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { type ExitCode, printData } from "../../terminal/output.ts";
import { getProperties, openSkillAt } from "./properties.ts";

const optionSpecs = [] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "[paths...]", summary: "skill folders, or folders that contain them" }],
  options: optionSpecs,
  examples: ["prompt ./skills"],
  run,
});

/** Prints the catalogue block exactly as the reference implementation does. */
async function run({ args, io }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const skills = args.map((path) => {
    const opened = openSkillAt(io, path);
    const { name, description } = getProperties(opened);
    return { name, description, location: opened.file ?? join(opened.folder, "SKILL.md") };
  });
  const prompt = referencePrompt(skills);
  if (io.json) printData(io, { prompt });
  else io.out(`${prompt}\n`);
  return 0;
}
