import { pruneAudit } from "@skillhold/registry/audit";
import { ownActor } from "../../actor-option.ts";
import { type CommandInput, defineCommand, type OptionsOf } from "../../command.ts";
import { readAge } from "../../option.ts";
import { dryRunOption, olderThanOption, storeOption } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, printData } from "../../terminal/output.ts";

const optionSpecs = [olderThanOption, dryRunOption, storeOption] as const;

export const command = defineCommand({
  arguments: [],
  options: optionSpecs,
  examples: ["audit prune --older-than 90d --dry-run", "audit prune --older-than 365d"],
  run,
});

/** Removes the texts of old records of use. The log still verifies. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const days = readAge(options);
  const dryRun = options["dryRun"] === true;
  return await withRegistry<ExitCode>(input, "change", async ({ context }) => {
    const pruned = await pruneAudit({ by: ownActor(io), days, dryRun, signal: io.signal }, context);
    if (io.json) printData(io, { ...pruned, isDryRun: dryRun });
    else {
      const entries = `${pruned.count} ${pruned.count === 1 ? "entry" : "entries"}`;
      io.out(`${entries} from before ${pruned.before} ${dryRun ? "would be pruned" : "pruned"}\n`);
    }
    return 0;
  });
}
