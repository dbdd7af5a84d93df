import { SkillError } from "@skillhold/protocol/error";
import { answerGrant } from "@skillhold/registry/access";
import type { CommandInput, OptionSpec } from "./command.ts";
import { textOption } from "./option.ts";
import { accessOptions, storeOption } from "./shared-option.ts";
import { withRegistry } from "./store.ts";
import { type ExitCode, plain, printData } from "./terminal/output.ts";

export const consentOptions = [
  { flags: "--agent <key>", summary: "the agent that the skill was granted to" },
  ...accessOptions,
  storeOption,
] as const satisfies readonly OptionSpec[];

/** Accepts or declines the pending grant of `--agent`. */
export async function answerPending(input: CommandInput, accept: boolean): Promise<ExitCode> {
  const { io, options } = input;
  const [id = ""] = input.args;
  const agent = textOption(options, "agent");
  if (agent === undefined)
    throw new SkillError("USAGE", "--agent is required.", { hint: "Add --agent <key>." });
  return await withRegistry<ExitCode>(input, "change", async ({ context, actor }) => {
    const done = await answerGrant(id, agent, { by: actor, accept }, context);
    if (io.json) printData(io, { ...done, accepted: accept });
    else if (accept)
      io.out(`${done.id}: granted to the agent ${plain(done.grantee.key)}, ${done.visibility}\n`);
    else io.out(`${done.id}: declined for the agent ${plain(done.grantee.key)}\n`);
    return 0;
  });
}
