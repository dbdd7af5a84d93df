import { removeAgent } from "@skillhold/registry/access";
import { type CommandInput, defineCommand, type OptionsOf } from "../../command.ts";
import { accessWriteOptions, agentArgument } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { count } from "../../terminal/text.ts";

export const command = defineCommand({
  arguments: [agentArgument],
  options: accessWriteOptions,
  examples: ["agent remove writer"],
  run,
});

/** Removes an agent and its grants. Its key cannot be used again. */
async function run(input: CommandInput<OptionsOf<typeof accessWriteOptions>>): Promise<ExitCode> {
  const { io, options } = input;
  const [key = ""] = input.args;
  const isDryRun = options["dryRun"] === true;
  return await withRegistry<ExitCode>(input, "change", async ({ context, actor }) => {
    const { agent, revoked } = await removeAgent(key, { by: actor }, context);
    if (io.json) printData(io, { agent, revoked, isDryRun });
    else {
      io.out(`${plain(agent.key)}: ${isDryRun ? "would be removed" : "removed"}\n`);
      const lost = revoked.length === 0 ? "" : `: ${revoked.join(", ")}`;
      io.err(`${count(revoked.length, "grant")} ${isDryRun ? "would be revoked" : "revoked"}${lost}\n`);
    }
    return 0;
  });
}
