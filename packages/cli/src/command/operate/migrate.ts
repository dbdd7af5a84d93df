import { isStoreThere, missingStore, showStore, storeUrl } from "@skillhold/host/place";
import { openSignedStore } from "@skillhold/host/store";
import { readSchemaVersion } from "@skillhold/store/backup";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { storeOption } from "../../shared-option.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";

const optionSpecs = [
  { flags: "--status", summary: "print the versions and change nothing" },
  storeOption,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [],
  options: optionSpecs,
  examples: ["migrate --status", "migrate --store postgres://localhost/skills"],
  run,
});

/** Upgrades the store to the version of this program, or prints both versions. */
async function run({ options, io }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const url = storeUrl(options.store, io);
  if (!isStoreThere(url)) throw missingStore(url, io);
  const before = await readSchemaVersion(url);
  if (options.status !== true && before.current < before.supported)
    await (await openSignedStore(url, io, { create: false })).close();
  const { current, supported } = options.status === true ? before : await readSchemaVersion(url);
  if (io.json) {
    printData(io, { store: showStore(url, io), current, supported, isUpToDate: current === supported });
    return 0;
  }
  const state = current === supported ? "up to date" : `an upgrade to version ${supported} is pending`;
  io.out(`${plain(showStore(url, io))}: version ${current}, ${state}\n`);
  return 0;
}
