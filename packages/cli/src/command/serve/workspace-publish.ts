import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { copyBundle, normalizeRelative, pack, tryStat } from "@skillhold/core/bundle";
import { SkillError } from "@skillhold/protocol/error";
import { SKILLS_FOLDER } from "@skillhold/registry/workspace";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { openWorkspaceFolder, workspaceArgument } from "../../workspace-folder.ts";

const optionSpecs = [
  { flags: "--to <folder>", summary: "write the skill below this folder", default: "." },
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [workspaceArgument, { usage: "<skill>", summary: "the name of the skill's folder" }],
  options: optionSpecs,
  examples: ["workspace publish workspaces/seo audit-page --to ./skills"],
  run,
});

/** Copies a skill of a workspace to another folder, as the files that belong to it. */
async function run({ args, options, io }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const [folder = "", skill = ""] = args;
  const workspace = openWorkspaceFolder(folder, io);
  const source = join(workspace.folder, normalizeRelative(`${SKILLS_FOLDER}/${skill}`));
  if (tryStat(source)?.isDirectory() !== true)
    throw new SkillError("SKILL_NOT_FOUND", `The workspace ${workspace.id} has no skill ${skill}.`);
  const bundle = await pack(source, { signal: io.signal });
  const target = join(resolve(io.cwd, options.to), skill);
  mkdirSync(target, { recursive: true });
  await copyBundle(bundle, target, io.signal);
  if (io.json) printData(io, { skill, folder: target, files: bundle.files.map(({ path }) => path) });
  else io.out(`${plain(join(options.to, skill))}\n`);
  return 0;
}
