import { revokeSkill } from "@skillhold/registry/access";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { granteeOptions, grantWriteOptions, idArgument } from "../../shared-option.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { withGrant } from "./grantee-option.ts";

const optionSpecs = [...granteeOptions, ...grantWriteOptions] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [idArgument],
  options: optionSpecs,
  examples: ["revoke pdf --agent writer"],
  run,
});

/** Revokes a grant. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io } = input;
  return await withGrant(input, async ({ id, grantee, isDryRun }, { context, actor }) => {
    const done = await revokeSkill(id, grantee, { by: actor }, context);
    const whom = `the ${grantee.kind} ${plain(grantee.key)}`;
    if (io.json) printData(io, { ...done, isDryRun });
    else if (done.status === "unchanged") io.out(`${done.id}: was not granted to ${whom}\n`);
    else {
      const revoked = isDryRun ? "would be revoked" : "revoked";
      io.out(`${done.id}: ${revoked} from ${whom}, ${done.visibility}\n`);
    }
    return 0;
  });
}
