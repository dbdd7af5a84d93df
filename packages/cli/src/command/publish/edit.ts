import { present } from "@skillhold/host/place";
import type { Visibility } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { editSkill, type SkillEdit } from "@skillhold/registry/release";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { textOption } from "../../option.ts";
import { dryRunOption, idArgument, registryWriteOptions } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, printData } from "../../terminal/output.ts";

const optionSpecs = [
  { flags: "--name <text>", summary: "set the displayed name" },
  { flags: "--description <text>", summary: "set the displayed description" },
  { flags: "--tags <list>", summary: "set the displayed tags, separated by commas" },
  {
    flags: "--visibility <who>",
    summary: "set who may see the skill",
    choices: ["private", "internal", "public"],
  },
  { flags: "--reset", summary: "display the values of SKILL.md again" },
  dryRunOption,
  ...registryWriteOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [idArgument],
  options: optionSpecs,
  examples: [`edit pdf --description "Read and fill PDF forms."`, "edit pdf --reset"],
  run,
});

/** Overrides the displayed fields of a skill until its next revision. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io } = input;
  const [id = ""] = input.args;
  const edit = readEdit(input.options);
  const isDryRun = input.options["dryRun"] === true;
  return await withRegistry<ExitCode>(input, "change", async ({ context, actor }) => {
    const { skill, status } = await editSkill(id, edit, { by: actor }, context);
    if (io.json) printData(io, { skill, status, isDryRun });
    else if (status === "unchanged") io.out(`${skill.id}: unchanged\n`);
    else io.out(`${skill.id}: ${isDryRun ? "would be edited" : "edited"}, ${skill.visibility}\n`);
    return 0;
  });
}

function readEdit(options: CommandInput["options"]): SkillEdit {
  const tags = textOption(options, "tags")
    ?.split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
  // The command table allows only these words.
  const visibility = textOption(options, "visibility") as Visibility | undefined;
  const given = present({
    name: textOption(options, "name"),
    description: textOption(options, "description"),
    tags,
    visibility,
  });
  const edit = options["reset"] === true ? { name: null, description: null, tags: null, ...given } : given;
  if (Object.keys(edit).length > 0) return edit;
  throw new SkillError("USAGE", "No change was given.", {
    hint: "Add --name, --description, --tags, --visibility or --reset.",
  });
}
