import { removeAgent } from "@skillhold/registry/access";
import { type ExitCode, plain, printData } from "../output.ts";
import type { CommandInput } from "../program.ts";
import { withRegistry } from "../store.ts";
import { count } from "../text.ts";

/** Takes an agent away for good: its key is given to no other. */
export async function run(input: CommandInput): Promise<ExitCode> {
  const { io, options } = input;
  const [key = ""] = input.args;
  const isDryRun = options["dryRun"] === true;
  return await withRegistry<ExitCode>(input, "change", async ({ context, actor }) => {
    const { agent, revoked } = await removeAgent(key, { by: actor }, context);
    if (io.json) printData(io, { agent, revoked, isDryRun });
    else {
      io.out(`${plain(agent.key)}: ${isDryRun ? "would be removed" : "removed"}\n`);
      const lost = revoked.length === 0 ? "" : `: ${revoked.join(", ")}`;
      io.err(`${count(revoked.length, "grant")} ${isDryRun ? "would go" : "went"} with it${lost}\n`);
    }
    return 0;
  });
}
