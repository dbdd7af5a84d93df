import { resolve } from "node:path";
import { ioFailure } from "@skillhold/host/place";
import { pruneOutputs } from "@skillhold/sandbox/run";
import { type CommandInput, defineCommand, type OptionsOf } from "../../command.ts";
import { readAge } from "../../option.ts";
import { dryRunOption, olderThanOption } from "../../shared-option.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { count } from "../../terminal/text.ts";

const DAY_MS = 86_400_000;

const optionSpecs = [olderThanOption, dryRunOption] as const;

export const command = defineCommand({
  arguments: [{ usage: "<folder>", summary: "the folder of --outputs" }],
  options: optionSpecs,
  examples: ["outputs prune ./outputs --older-than 30d --dry-run"],
  run,
});

/** Removes the kept files of old runs, and no other file in the folder. */
async function run({ io, options, args }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const [label = ""] = args;
  const before = new Date(Date.now() - readAge(options) * DAY_MS);
  const dryRun = options["dryRun"] === true;
  const runs = await pruneOutputs(resolve(io.cwd, label), { before, dryRun }).catch((error: unknown) => {
    throw ioFailure(`${label} cannot be pruned`, error);
  });
  if (io.json) printData(io, { runs, before: before.toISOString(), isDryRun: dryRun });
  else
    io.out(`${count(runs.length, "run")} ${dryRun ? "would be removed" : "removed"} from ${plain(label)}\n`);
  return 0;
}
