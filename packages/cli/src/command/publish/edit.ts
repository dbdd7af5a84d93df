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
  { flags: "--name <text>", summary: "the name to show" },
  { flags: "--description <text>", summary: "the description to show" },
  { flags: "--tags <list>", summary: "the tags to show, with commas between" },
  { flags: "--visibility <who>", summary: "who may see it", choices: ["private", "internal", "public"] },
  { flags: "--reset", summary: "show what SKILL.md says again" },
  dryRunOption,
  ...registryWriteOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [idArgument],
  options: optionSpecs,
  examples: [`edit pdf --description "Read and fill PDF forms."`, "edit pdf --reset"],
  run,
});

/** Changes what is shown of a skill in place of what SKILL.md says, until its next revision. */
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
  throw new SkillError("USAGE", "Nothing is to be changed.", {
    hint: "Give --name, --description, --tags, --visibility or --reset.",
  });
}
