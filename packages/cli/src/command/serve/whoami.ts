import { defaultLimits } from "@skillhold/protocol/limits";
import { GatewayClient } from "@skillhold/registry/remote";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { chooseAddress, gatewayAccess } from "../../gateway/gateway-access.ts";
import { gatewayArgument } from "../../shared-option.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";

const optionSpecs = [] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [gatewayArgument],
  options: optionSpecs,
  examples: ["whoami", "whoami https://skills.example.org --json"],
  run,
});

/** Prints the user and role of the token at a gateway. */
async function run({ args, io }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const access = await gatewayAccess(await chooseAddress(args[0], io), io);
  const client = new GatewayClient(access, defaultLimits);
  const { data } = await client.ask("whoAmI").finally(() => client.close());
  const { user, role, agent, expiresAt, token } = data;
  if (io.json) {
    printData(io, { url: access.url, user, role, agent, expiresAt, token });
    return 0;
  }
  io.out(`${plain(user)}\n`);
  const as = agent === undefined ? "" : `, as the agent ${plain(agent)}`;
  io.err(`${role}${as} at ${access.url}, until ${expiresAt}\n`);
  return 0;
}
