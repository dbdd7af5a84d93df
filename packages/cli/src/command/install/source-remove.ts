import { mcpCacheFolder } from "@skillhold/host/place";
import { labelOf, readSources, writeSources } from "@skillhold/host/source";
import { forgetMcpSource } from "@skillhold/mcp/host";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { dryRunOption, labelArgument } from "../../shared-option.ts";
import { type ExitCode, printData } from "../../terminal/output.ts";
import { getSource } from "./mcp-source-argument.ts";

const optionSpecs = [dryRunOption] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [labelArgument],
  options: optionSpecs,
  examples: ["source remove acme"],
  run,
});

/** Removes a server from the sources and deletes its cached files. */
async function run({ io, args, options }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const sources = await readSources(io.env);
  const { label } = getSource(sources, args[0] ?? "");
  const isDryRun = options["dryRun"] === true;
  if (!isDryRun) {
    await writeSources(
      sources.filter((each) => each.label !== label),
      io.env,
    );
    await forgetMcpSource(label, mcpCacheFolder(io.env));
  }
  if (io.json) printData(io, { source: labelOf(label), dryRun: isDryRun });
  else io.err(`${labelOf(label)}: ${isDryRun ? "would be removed" : "removed"}, with its cached files.\n`);
  return 0;
}
