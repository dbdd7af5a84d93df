import { SignInRole } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { changeUser } from "@skillhold/registry/identity";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { textOption } from "../../option.ts";
import { byOption, dryRunOption, storeOption } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { asIssuer } from "./token-issuer.ts";

const optionSpecs = [
  { flags: "--role <name>", summary: "the role of later sign-ins: admin, publisher or viewer" },
  { flags: "--deactivate", summary: "revoke all tokens of the person and refuse new ones" },
  { flags: "--activate", summary: "let the person sign in again" },
  dryRunOption,
  byOption,
  storeOption,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "<user>", summary: "the person's user name" }],
  options: optionSpecs,
  examples: ["user edit ann --role publisher", "user edit ann --deactivate"],
  run,
});

/** Sets the role of a person, or whether they may sign in. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const [name = ""] = input.args;
  const change = readChange(options);
  const isDryRun = options["dryRun"] === true;
  return await withRegistry<ExitCode>(asIssuer(input, options["by"]), "change", async (opened) => {
    const user = await changeUser(name, change, { by: opened.actor }, opened.context);
    const { role, inactiveSince } = user;
    const isActive = inactiveSince === undefined;
    if (io.json) printData(io, { user: { name, role, isActive }, isDryRun });
    else
      io.out(
        `${plain(name)}: ${isDryRun ? "would be " : ""}${isActive ? `active as ${role ?? "no role"}` : "deactivated"}\n`,
      );
    return 0;
  });
}

function readChange(options: CommandInput["options"]) {
  const text = textOption(options, "role");
  const role = SignInRole.optional().safeParse(text);
  const isOn = options["activate"] === true;
  const isOff = options["deactivate"] === true;
  if (!role.success || (isOn && isOff) || (text === undefined && !isOn && !isOff))
    throw new SkillError("USAGE", "Name one change: --role, --deactivate or --activate.", {
      hint: "The roles are admin, publisher and viewer.",
    });
  return { role: role.data, isActive: isOn ? true : isOff ? false : undefined };
}
