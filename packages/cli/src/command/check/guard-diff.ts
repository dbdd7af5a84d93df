import { resolve } from "node:path";
import {
  type CapabilityChange,
  type CapabilityDiff,
  diffManifests,
  formatChange,
} from "@skillhold/core/guard";
import { neutralText } from "@skillhold/core/text";
import { scanFolder, scanGuard } from "@skillhold/deps/guard-scan";
import { errorTable, SkillError } from "@skillhold/protocol/error";
import { capabilityDiff, getGuardReport, getSkill } from "@skillhold/registry/release";
import type { CommandInput } from "../../command.ts";
import { defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { readRevision, textOption } from "../../option.ts";
import { accessOptions, idArgument, storeOption } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, type Io, printData } from "../../terminal/output.ts";
import { paintFor } from "../../terminal/text.ts";
import { getVisibleSkill } from "../../visible-skill.ts";

const optionSpecs = [
  { flags: "--folder <path>", summary: "compare with this folder in place of a revision" },
  ...accessOptions,
  storeOption,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [
    idArgument,
    { usage: "[from]", summary: "a revision; by default the one before the current one" },
    { usage: "[to]", summary: "a revision; by default the current one" },
  ],
  options: optionSpecs,
  examples: ["guard diff pdf", "guard diff pdf 1 3", "guard diff pdf --folder ./pdf"],
  run,
});

/** Shows what an update of a skill can do that the revision before it could not. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const [id = "", ...ends] = input.args;
  const [from, to] = ends.map(readRevision);
  const folder = textOption(options, "folder");
  if (folder !== undefined && to !== undefined)
    throw new SkillError("USAGE", "--folder compares with one revision, and two were given.");
  return await withRegistry<ExitCode>(input, "read", async ({ context, actor }) => {
    await getVisibleSkill(id, { context, actor }, io);
    const { revision } = await getSkill(id, context);
    const end = to ?? revision;
    const start = from ?? (folder === undefined ? end - 1 : revision);
    const diff =
      folder === undefined
        ? await capabilityDiff(id, start < 1 ? undefined : start, end, context, scanGuard)
        : diffManifests(
            (await getGuardReport(id, start, context, scanGuard)).manifest,
            (await scanFolder(resolve(io.cwd, folder), io.signal)).manifest,
          );
    if (io.json) printData(io, diff);
    else await printDiff(io, diff);
    return diff.widened.length === 0 ? 0 : errorTable.CONFLICT.exit;
  });
}

async function printDiff(io: Io, { widened, narrowed }: CapabilityDiff): Promise<void> {
  const paint = await paintFor(io.color);
  for (const change of widened)
    io.out(`${paint.green(`+ ${neutralText(formatChange(change), 300)}`)}${places(change)}\n`);
  for (const change of narrowed) io.out(`${paint.red(`- ${neutralText(formatChange(change), 300)}`)}\n`);
  io.err(
    widened.length === 0 ? "no new capability\n" : `${widened.length} new, ${narrowed.length} dropped\n`,
  );
}

function places({ seen }: CapabilityChange): string {
  const [first] = seen;
  return first === undefined ? "" : ` (${neutralText(first.file, 200)}:${first.line})`;
}
