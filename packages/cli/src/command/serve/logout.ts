import { SkillError } from "@skillhold/protocol/error";
import { gatewayAddress, showAddress } from "@skillhold/registry/remote";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { chooseAddress } from "../../gateway/gateway-access.ts";
import { dropLogin } from "../../gateway/gateway-login.ts";
import { gatewayArgument } from "../../shared-option.ts";
import { type ExitCode, printData } from "../../terminal/output.ts";

const optionSpecs = [] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [gatewayArgument],
  options: optionSpecs,
  examples: ["logout https://skills.example.org"],
  run,
});

/** Forgets a token. It still counts: only where the gateway's store is can it be revoked. */
async function run({ args, io }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const address = await chooseAddress(args[0], io);
  const url = showAddress(gatewayAddress(address, { isInsecure: true }));
  if (!(await dropLogin(url, io.env)))
    throw new SkillError("TOKEN_NOT_FOUND", `You are not logged in at ${url}.`, {
      hint: "`skillhold whoami` says where you are, if it is one place only.",
    });
  if (io.json) printData(io, { url });
  else
    io.err(
      `The token for ${url} is forgotten here. It counts until it expires, or \`skillhold token revoke\`.\n`,
    );
  return 0;
}
