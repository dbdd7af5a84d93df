import type { ExitCode } from "../output.ts";
import type { CommandInput } from "../program.ts";
import { toggle } from "../toggling.ts";

/** Switches a skill off for everyone. */
export function run(input: CommandInput): Promise<ExitCode> {
  return toggle(input, false);
}
