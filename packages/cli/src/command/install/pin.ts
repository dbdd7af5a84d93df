import type { CommandInput } from "../../command.ts";
import { defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { withInstall } from "../../install/install-session.ts";
import { chooseInstalled } from "../../install/update-option.ts";
import { type ExitCode, printData } from "../../terminal/output.ts";
import { targetOptions } from "./install-option.ts";

const optionSpecs = [
  { flags: "--off", summary: "let it be updated again" },
  ...targetOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "<id>", summary: "the skill's id" }],
  options: optionSpecs,
  examples: ["pin pdf", "pin pdf --off"],
  run,
});

/** Keeps an installed skill at its version, or lets it be updated again. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options, args } = input;
  const [id = ""] = args;
  const isPinned = options["off"] !== true;
  return await withInstall(input, "read", async (session) => {
    await chooseInstalled([id], session);
    await session.target.setPinned(id, isPinned);
    if (io.json) printData(io, { id, isPinned });
    else io.out(`${id}: ${isPinned ? "pinned" : "not pinned"}\n`);
    return 0;
  });
}
