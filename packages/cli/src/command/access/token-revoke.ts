import { revokeToken } from "@skillhold/registry/token";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { byOption, dryRunOption, storeOption } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { asIssuer } from "./token-issuer.ts";

const optionSpecs = [dryRunOption, byOption, storeOption] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "<id>", summary: "the token's id, as `token list` prints it" }],
  options: optionSpecs,
  examples: ["token revoke 7b0c1a52-6f0e-4f0a-9d3e-1f2a3b4c5d6e"],
  run,
});

/** Revokes a token for good. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const [id = ""] = input.args;
  const isDryRun = options["dryRun"] === true;
  return await withRegistry<ExitCode>(asIssuer(input, options["by"]), "change", async (opened) => {
    const token = await revokeToken(id, { by: opened.actor }, opened.context);
    if (io.json) printData(io, { token, isDryRun });
    else io.out(`${token.id}: ${isDryRun ? "would be revoked" : "revoked"}, ${plain(token.name)}\n`);
    return 0;
  });
}
