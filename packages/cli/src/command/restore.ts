import { restoreSkill } from "@skillhold/registry/release";
import { type ExitCode, printData } from "../output.ts";
import type { CommandInput } from "../program.ts";
import { withRegistry } from "../store.ts";

/** Brings a deleted skill back as it was. */
export async function run(input: CommandInput): Promise<ExitCode> {
  const { io, options } = input;
  const [id = ""] = input.args;
  const isDryRun = options["dryRun"] === true;
  return await withRegistry<ExitCode>(input, "change", async ({ context, actor }) => {
    const done = await restoreSkill(id, { by: actor }, context);
    if (io.json) printData(io, { ...done, isDryRun });
    else if (done.status === "unchanged") io.out(`${done.id}: is not deleted\n`);
    else {
      const verb = isDryRun ? "would be restored" : "restored";
      io.out(`${done.id}: ${verb}, ${done.state} and ${done.visibility}\n`);
    }
    return 0;
  });
}
