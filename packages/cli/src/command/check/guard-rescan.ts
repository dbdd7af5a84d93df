import { scanGuard } from "@skillhold/deps/guard-scan";
import { rescanSkills } from "@skillhold/registry/release";
import type { CommandInput } from "../../command.ts";
import { defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { actorOptions, storeOption } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, printData } from "../../terminal/output.ts";
import { count } from "../../terminal/text.ts";
import { printTable } from "../install/dependency-report.ts";

const optionSpecs = [
  { flags: "--force", summary: "scan all skills" },
  ...actorOptions,
  storeOption,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [],
  options: optionSpecs,
  examples: ["guard rescan", "guard rescan --force --json"],
  run,
});

/** Scans stored skills again whose verdict is of another engine version. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  return await withRegistry<ExitCode>(input, "change", async ({ context, actor }) => {
    const results = await rescanSkills(
      { by: actor, force: options["force"] === true, signal: io.signal },
      context,
      scanGuard,
    );
    if (io.json) printData(io, { skills: results });
    else {
      const columns = [
        { title: "SKILL", most: 40 },
        { title: "REVISION" },
        { title: "BEFORE" },
        { title: "VERDICT" },
      ];
      await printTable(
        io,
        columns,
        results.map((each) => [each.skill, String(each.revision), each.before ?? "-", each.verdict]),
      );
      io.err(`${count(results.length, "skill")} scanned\n`);
    }
    return 0;
  });
}
