import { revokeToken } from "@skillhold/registry/token";
import { type ExitCode, plain, printData } from "../output.ts";
import type { CommandInput } from "../program.ts";
import { withRegistry } from "../store.ts";
import { asIssuer } from "../token-issuer.ts";

/** Takes a token back for good. */
export async function run(input: CommandInput): Promise<ExitCode> {
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
