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

/** Deletes the local copy of a token. The token stays valid until it expires or is revoked at the gateway. */
async function run({ args, io }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const address = await chooseAddress(args[0], io);
  const url = showAddress(gatewayAddress(address, { isInsecure: true }));
  if (!(await dropLogin(url, io.env)))
    throw new SkillError("TOKEN_NOT_FOUND", `You are not logged in to ${url}.`, {
      hint: "Run `skillhold whoami` to see where you are logged in.",
    });
  if (io.json) printData(io, { url });
  else
    io.err(
      `Deleted the token for ${url} from this machine. The token stays valid until it expires or is revoked.\n`,
    );
  return 0;
}
