import { present } from "@skillhold/host/place";
import { Role } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { limitTable } from "@skillhold/protocol/limits";
import { issueToken } from "@skillhold/registry/token";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { countOption, textOption } from "../../option.ts";
import { byOption, storeOption } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { asIssuer, validityNote } from "./token-issuer.ts";

const DAY_MS = 86_400_000;

const optionSpecs = [
  { flags: "--name <text>", summary: "name the token after its purpose" },
  {
    flags: "--role <name>",
    summary: "set the role of the token",
    choices: ["admin", "publisher", "agent", "viewer"],
  },
  { flags: "--user <name>", summary: "set the user; by default you, or no person for the role agent" },
  { flags: "--agent <key>", summary: "set the agent of the token; required for the role agent" },
  { flags: "--days <count>", summary: "expire after this many days; by default 90" },
  byOption,
  storeOption,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [],
  options: optionSpecs,
  examples: [
    'token create --name "CI of docs" --role publisher --days 30',
    "token create --name writer --role agent --agent writer",
  ],
  run,
});

/** Creates a token. The secret is printed once, to standard output only. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const spec = readSpec(options);
  return await withRegistry<ExitCode>(asIssuer(input, options["by"]), "write", async (opened) => {
    const { context, actor, flags } = opened;
    const { token, secret } = await issueToken(spec, { by: actor }, context);
    if (io.json) {
      printData(io, { token, secret });
      return 0;
    }
    const { id, role, user, agent, expiresAt } = token;
    const as = agent === undefined ? "" : `, as the agent ${plain(agent)}`;
    io.out(`${secret}\n`);
    io.err(`${role} for ${plain(user)}${as}, until ${expiresAt}\n`);
    io.err(validityNote(input));
    io.err("Store the token now: it is not shown again.\n");
    io.err(`Run \`skillhold token revoke ${id}${flags}\` to revoke it.\n`);
    return 0;
  });
}

function readSpec(options: CommandInput["options"]) {
  const name = textOption(options, "name");
  const { data: role } = Role.safeParse(textOption(options, "role"));
  if (name === undefined || role === undefined)
    throw new SkillError("USAGE", "--name and --role are required.", {
      hint: "Add both, such as --name CI --role publisher.",
    });
  const days = countOption(options, "days", { min: 1, max: limitTable.tokenMs.max / DAY_MS });
  const expiresInMs = days === undefined ? undefined : days * DAY_MS;
  const [user, agent] = ["user", "agent"].map((option) => textOption(options, option));
  return { name, role, ...present({ user, agent, expiresInMs }) };
}
