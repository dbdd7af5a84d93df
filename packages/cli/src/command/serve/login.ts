import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import { GatewayClient, gatewayAddress, showAddress } from "@skillhold/registry/remote";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { keepLogin } from "../../gateway/gateway-login.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";
import { readPiped } from "../../terminal/piped.ts";
import { askHidden } from "../../terminal/prompt.ts";

const optionSpecs = [
  { flags: "--insecure", summary: "allow sending the token to another machine without TLS" },
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "<url>", summary: "the gateway's URL" }],
  options: optionSpecs,
  examples: ["login https://skills.example.org", "login http://localhost:7878 < token.txt"],
  run,
});

/** Stores a token after the gateway accepts it. The token is piped in or typed hidden, never an argument. */
async function run({ args, options, io }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const isInsecure = options["insecure"] === true;
  const url = showAddress(gatewayAddress(args[0] ?? "", { isInsecure }));
  const token = await readToken(io, url);
  const client = new GatewayClient({ url, token, isInsecure, signal: io.signal }, defaultLimits);
  const { data } = await client.ask("whoAmI").finally(() => client.close());
  await keepLogin({ url, token, ...(isInsecure ? { isInsecure } : {}) }, io.env);
  const { user, role, agent, expiresAt } = data;
  if (io.json) printData(io, { url, user, role, agent, expiresAt });
  else {
    const as = agent === undefined ? "" : `, as the agent ${plain(agent)}`;
    io.err(`You are ${plain(user)} (${role}${as}) at ${url} until ${expiresAt}.\n`);
    io.err(`Run \`skillhold list --gateway ${url}\` to list its skills.\n`);
  }
  return 0;
}

const MAX_BYTES = 4096;

async function readToken(io: Io, url: string): Promise<string> {
  const piped = (await readPiped(io, MAX_BYTES))?.toString("utf8").trim();
  if (piped) return piped;
  const tty = await io.tty();
  try {
    const typed =
      tty === undefined ? undefined : await askHidden(tty, `Token for ${url} (hidden): `, io.signal);
    const token = typed?.trim() || io.env["SKILLHOLD_TOKEN"];
    if (token) return token;
  } finally {
    tty?.close();
  }
  throw new SkillError("USAGE", "No token was given.", {
    hint: "Pipe the token in, or type it at a terminal. An administrator creates one with `skillhold token create`.",
  });
}
