import { neutralText } from "@skillhold/core/text";
import { scanFolder, scanGuard } from "@skillhold/deps/guard-scan";
import { errorTable } from "@skillhold/protocol/error";
import { capabilityDiff, getGuardReport } from "@skillhold/registry/release";
import {
  type CapabilityChange,
  type CapabilityDiff,
  diffManifests,
  formatChange,
} from "@skillhold/skill/guard";
import { type CommandInput, defineCommand, type OptionsOf } from "../../command.ts";
import { pairArguments, pairOptions, withRevisionPair } from "../../revision-pair.ts";
import { type ExitCode, type Io, printData } from "../../terminal/output.ts";
import { paintFor } from "../../terminal/text.ts";

export const command = defineCommand({
  arguments: pairArguments,
  options: pairOptions,
  examples: ["guard diff pdf", "guard diff pdf 1 3", "guard diff pdf --folder ./pdf"],
  run,
});

/** Shows what an update of a skill can do that the revision before it could not. */
async function run(input: CommandInput<OptionsOf<typeof pairOptions>>): Promise<ExitCode> {
  const { io } = input;
  return await withRevisionPair(input, async ({ skill: { id, revision }, from, to, folder }, context) => {
    const end = to ?? revision;
    const start = from ?? (folder === undefined ? end - 1 : revision);
    const diff =
      folder === undefined
        ? await capabilityDiff(id, start < 1 ? undefined : start, end, context, scanGuard)
        : diffManifests(
            (await getGuardReport(id, start, context, scanGuard)).manifest,
            (await scanFolder(folder, io.signal)).manifest,
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
