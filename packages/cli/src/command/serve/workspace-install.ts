import { basename, resolve } from "node:path";
import { copyBundle, pack } from "@skillhold/core/bundle";
import { openSkill } from "@skillhold/core/source";
import { SkillError } from "@skillhold/protocol/error";
import { isSkillId } from "@skillhold/skill";
import { type CommandInput, defineCommand } from "../../command.ts";
import { type ExitCode, printData } from "../../terminal/output.ts";
import { openWorkspaceFolder, workspaceArgument } from "../../workspace-folder.ts";

export const command = defineCommand({
  arguments: [workspaceArgument, { usage: "<skill>", summary: "the skill's folder" }],
  options: [],
  examples: ["workspace install workspaces/seo skills/audit-page"],
  run,
});

/** Copies a skill into a workspace and adds it to the list. A running workspace loads it. */
async function run({ args, io }: CommandInput): Promise<ExitCode> {
  const [folder = "", skill = ""] = args;
  const workspace = openWorkspaceFolder(folder, io);
  const source = resolve(io.cwd, skill);
  const id = basename(source);
  const { subject, file } = openSkill(source);
  const [fault] =
    file === undefined ? (subject.findings ?? []).filter(({ code }) => code !== "TOOLS_ONLY") : [];
  if (fault !== undefined) throw new SkillError("SKILL_INVALID", `${skill} is not a skill: ${fault.message}`);
  if (!isSkillId(id))
    throw new SkillError("USAGE", `${id} is not a skill id.`, {
      hint: "Name the skill's folder with small letters, digits and hyphens.",
    });
  const bundle = await pack(source, { signal: io.signal });
  await workspace.addSkill(id, async (target) => void (await copyBundle(bundle, target, io.signal)));
  if (io.json) printData(io, { skill: id, files: bundle.files.map(({ path }) => path) });
  else io.out(`${id}: installed in ${workspace.id} and listed\n`);
  return 0;
}
