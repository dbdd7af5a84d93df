import { readWorkspaceConfig } from "@skillhold/registry/workspace";
import { type CommandInput, defineCommand } from "../../command.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { openWorkspaceFolder, workspaceArgument } from "../../workspace-folder.ts";

export const command = defineCommand({
  arguments: [workspaceArgument],
  options: [],
  examples: ["workspace list workspaces/seo"],
  run,
});

/** Lists the skills of a workspace in their order. */
async function run({ args, io }: CommandInput): Promise<ExitCode> {
  const workspace = openWorkspaceFolder(args[0] ?? "", io);
  const { card, problems } = workspace.compose();
  const listed = readWorkspaceConfig(workspace.readFile("config.yaml")).config?.skills ?? [];
  const loaded = new Map(card.skills.map((skill) => [skill.id, skill]));
  const skills = listed.map((id) => ({
    id,
    isLoaded: loaded.has(id),
    description: loaded.get(id)?.description ?? "",
    problem: problems.find(({ subject }) => subject === id)?.message,
  }));
  if (io.json) printData(io, { skills });
  else
    for (const { id, isLoaded, description, problem } of skills)
      io.out(`${id}  ${isLoaded ? plain(description) : plain(problem ?? "not loaded")}\n`);
  return 0;
}
