import { errorTable } from "@skillhold/protocol/error";
import { type FsckFinding, fsck } from "@skillhold/registry/fsck";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { storeOption } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { count, formatSize, paintFor } from "../../terminal/text.ts";

const optionSpecs = [
  { flags: "--repair", summary: "repair the damage where possible" },
  storeOption,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [],
  options: optionSpecs,
  examples: ["fsck", "fsck --repair --json"],
  run,
});

/** Verifies the store; exits with the code of INTEGRITY_FAILED when damage is left. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const repair = options["repair"] === true;
  return await withRegistry<ExitCode>(input, repair ? "change" : "read", async ({ context, copies }) => {
    const report = await fsck({ repair, copies }, context);
    const exit = report.isClean ? 0 : errorTable.INTEGRITY_FAILED.exit;
    if (io.json) {
      printData(io, report);
      return exit;
    }
    const paint = await paintFor(io.color);
    const colors = { error: paint.red, warning: paint.yellow, info: paint.dim };
    for (const { code, severity, subject, message, isRepaired } of report.findings)
      io.out(
        `${colors[severity](severity)} ${code} ${plain(subject)}: ${plain(message)}${isRepaired ? " (repaired)" : ""}\n`,
      );
    const { skills, revisions, blobs, bytes, events } = report.checked;
    io.err(
      `${count(skills, "skill")}, ${count(revisions, "revision")}, ${count(blobs, "file")} (${formatSize(bytes)}), ${count(events, "event")}: ${verdict(report.isClean, report.findings)}\n`,
    );
    if (!report.isClean && !repair)
      io.err("Run `skillhold fsck --repair` to repair the damage where possible.\n");
    return exit;
  });
}

function verdict(isClean: boolean, findings: readonly FsckFinding[]): string {
  if (!isClean) return "damaged";
  return findings.length === 0 ? "sound" : "sound; the findings only take space";
}
