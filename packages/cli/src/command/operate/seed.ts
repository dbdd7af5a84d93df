import { resolve } from "node:path";
import { bundledSkills } from "@skillhold/host/place";
import type { SkillStatus } from "@skillhold/protocol";
import { type ErrorCode, errorTable } from "@skillhold/protocol/error";
import type { RegistryContext } from "@skillhold/registry/record";
import { type SeedReport, type SeedResult, seedSkills, watchSeeds } from "@skillhold/registry/seed";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { withMissingHook } from "../../dependency-survey.ts";
import { storeOption } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { untilAborted } from "../../terminal/interrupt.ts";
import { type ExitCode, type Io, plain, printData, printLine } from "../../terminal/output.ts";

const optionSpecs = [
  { flags: "--watch", summary: "keep running and publish each change" },
  storeOption,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "[folder]", summary: "the folder of skills; by default the bundled skills" }],
  options: optionSpecs,
  examples: ["seed", "seed ./our-skills --watch"],
  run,
});

/** Publishes the skills of a folder as system skills. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const [named] = input.args;
  const folder = named === undefined ? bundledSkills() : resolve(io.cwd, named);
  return await withRegistry<ExitCode>(input, "write", ({ context }) =>
    withMissingHook(input, context, async (hooked) => {
      if (options["watch"] === true) return await watch(folder, io, hooked);
      const { skills, checks } = await seedSkills(folder, { signal: io.signal }, hooked);
      await checks;
      const missing = await findMissing(skills, hooked);
      if (io.json) printData(io, { skills: skills.map((skill) => ({ ...skill, ...missing.get(skill.id) })) });
      else {
        printSeeds(io, skills);
        for (const [id, row] of missing)
          if (row.missing.length > 0)
            io.err(`${id}: ${row.state}, missing: ${plain(row.missing.join(", "))}\n`);
        if (skills.length === 0) io.err(`No skills in ${plain(named ?? folder)}.\n`);
      }
      return exitOf(skills);
    }),
  );
}

interface Settled {
  readonly state: SkillStatus;
  readonly missing: readonly string[];
}

/** The status and missing dependencies of each skill after the checks. */
async function findMissing(
  skills: readonly SeedResult[],
  { store }: RegistryContext,
): Promise<ReadonlyMap<string | undefined, Settled>> {
  const found = new Map<string | undefined, Settled>();
  for (const skill of skills) {
    const row = skill.status === "failed" ? undefined : await store.findSkill(skill.id);
    if (row !== undefined) found.set(row.id, { state: row.status, missing: row.missing });
  }
  return found;
}

/** Runs until the user interrupts; with `--json`, prints one line per scan. */
async function watch(folder: string, io: Io, context: RegistryContext): Promise<ExitCode> {
  const onSeed = ({ skills }: SeedReport) => {
    if (io.json) printLine(io, { ok: true, data: { skills } });
    else
      printSeeds(
        io,
        skills.filter(({ status }) => status !== "unchanged"),
      );
  };
  const seeds = watchSeeds(folder, { onSeed, signal: io.signal }, context);
  io.err("Watching for changes; press Ctrl-C to stop.\n");
  await untilAborted(io.signal);
  await seeds.close();
  return errorTable.INTERRUPTED.exit;
}

function printSeeds(io: Io, skills: readonly SeedResult[]): void {
  for (const skill of skills) {
    if (skill.status === "failed")
      io.err(
        `${plain(skill.id ?? skill.path)}: ${skill.error.code}: ${plain(skill.error.message)}\n  hint: ${plain(skill.error.hint)}\n`,
      );
    else io.out(`${skill.id} revision ${skill.revision}: ${skill.status}\n`);
  }
}

function exitOf(skills: readonly SeedResult[]): ExitCode {
  const failure = skills.find((skill) => skill.status === "failed");
  // Every failure's code comes from the table.
  return failure === undefined ? 0 : errorTable[failure.error.code as ErrorCode].exit;
}
