import { join } from "node:path";
import { openSkill } from "@skillhold/core/source";
import { readWorkspaceConfig, SKILLS_FOLDER } from "@skillhold/registry/workspace";
import { textOf } from "@skillhold/skill";
import { type CommandInput, defineCommand } from "../../command.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { openWorkspaceFolder, printProblems, workspaceArgument } from "../../workspace-folder.ts";

export const command = defineCommand({
  arguments: [workspaceArgument],
  options: [],
  examples: ["workspace audit workspaces/seo"],
  run,
});

const REQUIRED = ["name", "description", "version"] as const;

interface Audited {
  readonly skill: string;
  readonly status: "PASS" | "FAIL";
  readonly issues: readonly string[];
  readonly fix: string;
}

/** Checks every listed skill: the folder, the frontmatter and its required fields. */
async function run({ args, io }: CommandInput): Promise<ExitCode> {
  const workspace = openWorkspaceFolder(args[0] ?? "", io);
  const { problems } = workspace.compose();
  const listed = readWorkspaceConfig(workspace.readFile("config.yaml")).config?.skills ?? [];
  const skills = listed.map((id): Audited => {
    const found = problems.filter(({ subject, severity }) => subject === id && severity === "error");
    const issues =
      found.length > 0 ? found.map(({ message }) => message) : missingFields(workspace.folder, id);
    const fix = issues.length === 0 ? "" : `Correct ${SKILLS_FOLDER}/${id}, then audit it again.`;
    return { skill: id, status: issues.length === 0 ? "PASS" : "FAIL", issues, fix };
  });
  const others = problems.filter(({ subject }) => !listed.includes(subject));
  const hasFailed =
    skills.some(({ status }) => status === "FAIL") || others.some(({ severity }) => severity === "error");
  if (io.json) printData(io, { skills, problems: others });
  else {
    for (const { skill, status, issues } of skills)
      io.out(`${status} ${skill}${issues.length === 0 ? "" : `: ${plain(issues.join(" "))}`}\n`);
    printProblems(others, io);
  }
  return hasFailed ? 3 : 0;
}

/** A folder with only tools has generated fields. */
function missingFields(folder: string, id: string): readonly string[] {
  const { file, skill } = openSkill(join(folder, SKILLS_FOLDER, id));
  if (file === undefined) return [];
  const isMissing = (field: string) => (textOf(skill.frontmatter[field]) ?? "").trim() === "";
  return REQUIRED.filter(isMissing).map((field) => `The field ${field} is missing.`);
}
