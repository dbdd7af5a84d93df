import { setImmediate } from "node:timers/promises";
import { pack } from "@skillhold/core/bundle";
import { scanBundle } from "@skillhold/deps/scan";
import { SkillError } from "@skillhold/protocol/error";
import { type CommandInput, defineCommand, type OptionsOf } from "../../command.ts";
import { libraryOptions, skillsArgument } from "../../shared-option.ts";
import { namedLimits, type SelectedSkill, selectSkills } from "../../skill-selection.ts";
import { type ExitCode, type Io, printData } from "../../terminal/output.ts";
import { openProgress } from "../../terminal/progress.ts";
import { type DependencyScan, printScan } from "./dependency-report.ts";

export const command = defineCommand({
  arguments: [skillsArgument],
  options: libraryOptions,
  examples: ["deps scan ./skills", "deps scan pdf docx --json"],
  run,
});

/** Lists the dependencies of skills by static analysis, without running code or using the network. */
async function run(input: CommandInput<OptionsOf<typeof libraryOptions>>): Promise<ExitCode> {
  const { io } = input;
  const { skills, problems } = await selectSkills(input);
  const rows = await scanAll(skills, io);
  if (io.json) printData(io, { skills: rows, problems });
  else await printScan(io, rows, problems);
  return 0;
}

/** Scans one skill at a time, so that only one bundle is in memory. */
async function scanAll(skills: readonly SelectedSkill[], io: Io): Promise<readonly DependencyScan[]> {
  const progress = openProgress(io, "scanning", { afterMs: 400 });
  const rows: DependencyScan[] = [];
  try {
    for (const skill of skills) {
      if (rows.length % 16 === 0) await setImmediate(undefined, { signal: io.signal });
      progress.update(rows.length, skills.length, skill.path);
      rows.push(await scan(skill, io));
    }
  } finally {
    progress.stop();
  }
  return rows;
}

async function scan({ id, path, folder }: SelectedSkill, { signal }: Io): Promise<DependencyScan> {
  try {
    const bundle = await pack(folder, { limits: namedLimits, signal });
    const { dependencies, notes } = await scanBundle(bundle);
    return { path, id, dependencies, notes };
  } catch (error) {
    // A skill that cannot be packed gets a note, and the scan continues.
    if (!(error instanceof SkillError) || signal.aborted) throw error;
    return { path, id, dependencies: [], notes: [{ file: ".", message: error.message }] };
  }
}
