import { rollback } from "@skillhold/registry/release";
import { type ExitCode, printData } from "../output.ts";
import type { CommandInput } from "../program.ts";
import { readRevision } from "../revision-argument.ts";
import { withRegistry } from "../store.ts";

/** Lets another revision of a skill count. */
export async function run(input: CommandInput): Promise<ExitCode> {
  const { io, options } = input;
  const [id = "", wanted = ""] = input.args;
  const revision = readRevision(wanted);
  const isDryRun = options["dryRun"] === true;
  return await withRegistry<ExitCode>(input, "change", async ({ context, actor }) => {
    const done = await rollback(id, revision, { by: actor }, context);
    if (io.json) printData(io, { ...done, isDryRun });
    else if (done.status === "unchanged") io.out(`${done.id}: revision ${revision} is already current\n`);
    else {
      const verb = isDryRun ? "would be current," : "is current now,";
      io.out(`${done.id}: revision ${revision} ${verb} in place of ${done.from}\n`);
    }
    return 0;
  });
}
