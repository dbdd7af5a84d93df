import { isStoreThere, missingStore, storeUrl } from "@skillhold/host/place";
import { openSignedStore } from "@skillhold/host/store";
import { SkillError } from "@skillhold/protocol/error";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { textOption } from "../../option.ts";
import { storeOption } from "../../shared-option.ts";
import { type ExitCode, printData } from "../../terminal/output.ts";

const optionSpecs = [
  { flags: "--yes", summary: "confirm that the log is correct as it is" },
  storeOption,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [],
  options: optionSpecs,
  examples: ["audit adopt --yes"],
  run,
});

/** Accepts the audit log as it is, with this machine's key as its only key. The log records it. */
async function run({ io, options }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  if (options.yes !== true)
    throw new SkillError("USAGE", "Adopting a log accepts every change that was made to it.", {
      hint: "Run `skillhold audit verify` first. Then add --yes.",
    });
  const url = storeUrl(textOption(options, "store"), io);
  if (!isStoreThere(url)) throw missingStore(url, io);
  const store = await openSignedStore(url, io, { create: false, forgetsLog: true });
  try {
    const seq = await store.transaction((tx) => tx.adoptLog(new Date().toISOString()));
    if (io.json) printData(io, { seq });
    else
      io.out(`The log is adopted with entry ${seq}. Other machines need \`skillhold audit trust\` again.\n`);
    return 0;
  } finally {
    await store.close();
  }
}
