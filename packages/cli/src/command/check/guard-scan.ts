import { setImmediate } from "node:timers/promises";
import { scanFolder } from "@skillhold/deps/guard-scan";
import { productVersion } from "@skillhold/host/place";
import { errorTable } from "@skillhold/protocol/error";
import type { CommandInput } from "../../command.ts";
import { defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { type GuardRow, printGuard } from "../../guard-report.ts";
import { libraryOptions } from "../../shared-option.ts";
import { type SelectedSkill, selectSkills } from "../../skill-selection.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";
import { openProgress } from "../../terminal/progress.ts";
import { toSarif } from "./sarif.ts";

const optionSpecs = [
  { flags: "--sarif", summary: "print SARIF 2.1.0 for code hosts and editors" },
  { flags: "--all", summary: "print info findings and undeclared capabilities too" },
  ...libraryOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [
    {
      usage: "[skills...]",
      summary: "folders that are or hold skills, or ids; without any, the skills that `list` prints",
    },
  ],
  options: optionSpecs,
  examples: ["guard scan ./skills", "guard scan pdf --json", "guard scan . --sarif > guard.sarif"],
  run,
});

/** Scans skills and prints findings and capabilities. No code of a skill runs. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const { skills, problems } = await selectSkills(input);
  const rows = await scanAll(skills, io);
  if (options["sarif"] === true) io.out(`${JSON.stringify(toSarif(rows, productVersion()), undefined, 2)}\n`);
  else if (io.json)
    printData(io, { skills: rows.map(({ report, ...row }) => ({ ...row, ...report })), problems });
  else {
    await printGuard(io, rows, options["all"] === true);
    for (const problem of problems) io.err(`note: ${plain(problem)}\n`);
  }
  return rows.some(({ report }) => report.verdict === "block") ? errorTable.GUARD_BLOCKED.exit : 0;
}

async function scanAll(skills: readonly SelectedSkill[], io: Io): Promise<readonly GuardRow[]> {
  const progress = openProgress(io, "scanning", { afterMs: 400 });
  const rows: GuardRow[] = [];
  try {
    for (const { id, path, folder } of skills) {
      if (rows.length % 16 === 0) await setImmediate(undefined, { signal: io.signal });
      progress.update(rows.length, skills.length, path);
      rows.push({ path, id, report: await scanFolder(folder, io.signal) });
    }
  } finally {
    progress.stop();
  }
  return rows;
}
