import { type CommandInput, defineCommand } from "../../command.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { count } from "../../terminal/text.ts";
import { openWorkspaceFolder, printProblems, workspaceArgument } from "../../workspace-folder.ts";

export const command = defineCommand({
  arguments: [workspaceArgument],
  options: [],
  examples: ["workspace status workspaces/seo"],
  run,
});

/** Shows the card of a workspace's folder and every problem. */
async function run({ args, io }: CommandInput): Promise<ExitCode> {
  const { card, problems } = openWorkspaceFolder(args[0] ?? "", io).compose();
  if (io.json) printData(io, { card, problems });
  else {
    io.out(`${plain(card.name)} ${plain(card.version)}: ${count(card.skills.length, "skill")}\n`);
    for (const { id, description } of card.skills) io.out(`  ${id}  ${plain(description)}\n`);
    printProblems(problems, io);
  }
  return problems.some(({ severity }) => severity === "error") ? 3 : 0;
}
