import { resolve } from "node:path";
import { scanFolder, scanGuard } from "@skillhold/deps/guard-scan";
import { SkillError } from "@skillhold/protocol/error";
import { getGuardReport, waiveFinding } from "@skillhold/registry/release";
import type { CommandInput } from "../../command.ts";
import { defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { textOption } from "../../option.ts";
import { actorOptions, idArgument, storeOption } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, printData } from "../../terminal/output.ts";

const optionSpecs = [
  { flags: "--reason <text>", summary: "why the finding is acceptable; required" },
  {
    flags: "--folder <path>",
    summary: "the file is in this folder, because the skill is not published yet",
  },
  { flags: "--expires <date>", summary: "when the waiver ends, such as 2027-01-31" },
  ...actorOptions,
  storeOption,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [
    idArgument,
    { usage: "<rule>", summary: "the id of the rule" },
    { usage: "<file>", summary: "the file of the finding, as `guard scan` prints it" },
  ],
  options: optionSpecs,
  examples: [`guard waive pdf pipe-to-shell SKILL.md --reason "Our own installer." --role admin`],
  run,
});

/** Accepts a finding, bound to the rule, the file and its content. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const [id = "", ruleId = "", file = ""] = input.args;
  const reason = textOption(options, "reason") ?? "";
  if (reason.trim() === "") throw new SkillError("USAGE", "--reason is required.");
  const expires = readDate(textOption(options, "expires"));
  const folder = textOption(options, "folder");
  return await withRegistry<ExitCode>(input, "write", async ({ context, actor }) => {
    const report =
      folder === undefined
        ? await getGuardReport(id, undefined, context, scanGuard)
        : await scanFolder(resolve(io.cwd, folder), io.signal);
    const finding = report.findings.find((each) => each.ruleId === ruleId && each.file === file);
    if (finding === undefined)
      throw new SkillError("USAGE", `The skill ${id} has no finding of ${ruleId} in ${file}.`, {
        hint: "`skillhold guard scan` lists the findings.",
      });
    const waiver = await waiveFinding(
      id,
      { by: actor, ruleId, file, contentHash: finding.digest, reason, expires },
      context,
    );
    if (io.json) printData(io, waiver);
    else io.out(`waived ${ruleId} in ${file} of ${id}\n`);
    return 0;
  });
}

function readDate(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const date = new Date(text);
  if (Number.isNaN(date.getTime()))
    throw new SkillError("USAGE", `${JSON.stringify(text.slice(0, 40))} is not a date.`);
  return date.toISOString();
}
