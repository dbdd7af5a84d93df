import { storeUrl } from "@skillhold/host/place";
import { findOwnKey } from "@skillhold/host/store";
import { keyText, nextKeys, noKeys } from "@skillhold/registry/audit";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { textOption } from "../../option.ts";
import { storeOption } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";

const optionSpecs = [storeOption] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [],
  options: optionSpecs,
  examples: ["audit keys"],
  run,
});

/** Lists the keys that may sign the audit log, and this machine's own key. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io } = input;
  const found = await findOwnKey(storeUrl(textOption(input.options, "store"), io), io);
  const own = found && keyText(found.key);
  return await withRegistry<ExitCode>(input, "read", async ({ context: { store } }) => {
    const origin = (await store.findHead())?.origin ?? "";
    let set = noKeys;
    for (const change of await store.auditKeys()) set = nextKeys(set, change, origin) ?? set;
    if (io.json) printData(io, { own: own ?? null, root: set.root ?? null, keys: set.keys });
    else {
      for (const key of set.keys) {
        const notes = [key === set.root ? "root" : "", key === own ? "this machine" : ""].filter(Boolean);
        io.out(`${plain(key)}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}\n`);
      }
      if (own !== undefined && !set.keys.includes(own))
        io.err(`This machine's key ${own} is not accepted.\n`);
    }
    return 0;
  });
}
