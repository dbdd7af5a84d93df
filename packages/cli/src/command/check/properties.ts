import { resolve } from "node:path";
import { type OpenedSkill, openSkill } from "@skillhold/core/source";
import { statPath } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";
import { propertiesOf, type SkillProperties, validateSkill } from "@skillhold/skill";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { type ExitCode, type Io, printData } from "../../terminal/output.ts";

const optionSpecs = [] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "<path>", summary: "a skill's folder or its SKILL.md" }],
  options: optionSpecs,
  examples: ["properties ./skills/pdf --json"],
  run,
});

/** Prints the specification's fields of a skill. */
async function run({ args, io }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const properties = getProperties(openSkillAt(io, args[0] ?? "."));
  if (io.json) printData(io, properties);
  else io.out(`${JSON.stringify(properties, undefined, 2)}\n`);
  return 0;
}

/** Opens the skill at a path; throws when the path exists but cannot be read. */
export function openSkillAt(io: Pick<Io, "cwd">, label: string): OpenedSkill {
  const path = resolve(io.cwd, label);
  statPath(path, label);
  return openSkill(path);
}

/** The properties of a skill; the error names the first problem of an invalid one. */
export function getProperties({ skill, subject, folder }: OpenedSkill): SkillProperties {
  const properties = propertiesOf(skill);
  if (properties !== undefined) return properties;
  const { diagnostics } = validateSkill(skill, subject, "strict");
  const reason = diagnostics.find(({ severity }) => severity === "error");
  const isAbsent = reason?.code === "FOLDER_MISSING" || reason?.code === "NOT_A_FOLDER";
  const code = isAbsent
    ? "PATH_NOT_FOUND"
    : reason?.code === "SKILL_FILE_MISSING"
      ? "SKILL_NOT_FOUND"
      : "SKILL_INVALID";
  throw new SkillError(
    code,
    `${folder}: ${reason?.message ?? "The skill needs both a name and a description."}`,
    {
      ...(reason === undefined ? {} : { hint: reason.fix }),
    },
  );
}
