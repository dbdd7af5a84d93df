import { revokeSkill } from "@skillhold/registry/access";
import { asGranter, readGrantee } from "../grantee-option.ts";
import { type ExitCode, plain, printData } from "../output.ts";
import type { CommandInput } from "../program.ts";
import { withRegistry } from "../store.ts";

/** Takes a grant back. */
export async function run(input: CommandInput): Promise<ExitCode> {
  const { io, options } = input;
  const [id = ""] = input.args;
  const grantee = readGrantee(options);
  const isDryRun = options["dryRun"] === true;
  return await withRegistry<ExitCode>(asGranter(input), "change", async ({ context, actor }) => {
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
