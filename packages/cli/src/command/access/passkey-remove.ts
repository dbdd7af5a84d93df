import { removePasskey } from "@skillhold/registry/identity";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { byOption, dryRunOption, storeOption } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { asIssuer } from "./token-issuer.ts";

const optionSpecs = [dryRunOption, byOption, storeOption] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "<id>", summary: "the passkey's id, as `passkey list` prints it" }],
  options: optionSpecs,
  examples: ["passkey remove 7b0c1a52-6f0e-4f0a-9d3e-1f2a3b4c5d6e"],
  run,
});

/** Removes a passkey for good. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const [id = ""] = input.args;
  const isDryRun = options["dryRun"] === true;
  return await withRegistry<ExitCode>(asIssuer(input, options["by"]), "change", async (opened) => {
    const { user, name } = await removePasskey(id, { by: opened.actor }, opened.context);
    if (io.json) printData(io, { passkey: { id, user, name }, isDryRun });
    else io.out(`${id}: ${isDryRun ? "would be removed" : "removed"}, ${plain(name)} of ${plain(user)}\n`);
    return 0;
  });
}
