import { defaultLimits } from "@skillhold/protocol/limits";
import { GatewayClient } from "@skillhold/registry/remote";
import { type ExitCode, plain, printData } from "../output.ts";
import type { CommandInput } from "../program.ts";
import { chooseAddress, gatewayAccess } from "../remote-access.ts";

/** Asks a gateway who the bearer of the token is. */
export async function run({ args, io }: CommandInput): Promise<ExitCode> {
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
