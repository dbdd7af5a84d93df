import { present } from "@skillhold/host/place";
import { grantSkill } from "@skillhold/registry/access";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { readRevision, textOption } from "../../option.ts";
import { granteeOptions, grantWriteOptions, idArgument } from "../../shared-option.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { withGrant } from "./grantee-option.ts";

const optionSpecs = [
  ...granteeOptions,
  { flags: "--pin <revision>", summary: "limit the grant to this revision" },
  { flags: "--manage", summary: "also let the user publish, edit and grant the skill; not for agents" },
  ...grantWriteOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [idArgument],
  options: optionSpecs,
  examples: ["grant pdf --agent writer", "grant pdf --user bob --pin 2", "grant pdf --user eve --manage"],
  run,
});

/** Grants a skill to an agent or a user, or changes the grant. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const wanted = textOption(options, "pin");
  const pin = wanted === undefined ? undefined : readRevision(wanted);
  const canManage = options["manage"] === true;
  return await withGrant(input, async ({ id, grantee, isDryRun }, { context, actor }) => {
    const request = { by: actor, canManage, ...present({ pin }) };
    const { grant: _, ...done } = await grantSkill(id, grantee, request, context);
    if (io.json) {
      printData(io, { ...done, canManage, pin: pin ?? null, isDryRun });
      return 0;
    }
    const whom = `the ${done.grantee.kind} ${plain(done.grantee.key)}`;
    const how = `${pin === undefined ? "" : `, revision ${pin} only`}${canManage ? ", with manage rights" : ""}`;
    if (done.status === "pending")
      io.out(
        `${done.id}: ${isDryRun ? "would wait" : "waits"} for the consent of the owner of ${whom}${how}\n`,
      );
    else if (done.status === "unchanged") io.out(`${done.id}: already granted to ${whom}${how}\n`);
    else io.out(`${done.id}: ${isDryRun ? "would be " : ""}granted to ${whom}${how}, ${done.visibility}\n`);
    return 0;
  });
}
