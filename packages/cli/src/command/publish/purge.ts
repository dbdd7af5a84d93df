import { present } from "@skillhold/host/place";
import type { Actor } from "@skillhold/protocol";
import type { RegistryContext } from "@skillhold/registry/record";
import { type Purged, purgeSkill, sweepStore } from "@skillhold/registry/release";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { countOption } from "../../option.ts";
import { dryRunOption, registryWriteOptions } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, printData } from "../../terminal/output.ts";
import { count } from "../../terminal/text.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_DAYS = 36_500;

const optionSpecs = [
  { flags: "--keep <count>", summary: "keep only this many revisions of each skill and purge older ones" },
  {
    flags: "--grace-days <count>",
    summary: "spare skills and revisions deleted or replaced in this many days",
    default: "30",
  },
  dryRunOption,
  ...registryWriteOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "[id]", summary: "purge this skill only" }],
  options: optionSpecs,
  examples: ["purge --dry-run", "purge old-skill --grace-days 0"],
  run,
});

/** Removes deleted skills, and revisions beyond `--keep`, for good. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const [id] = input.args;
  const keep = countOption(options, "keep", { min: 1 });
  const days = countOption(options, "graceDays", { min: 0, max: MAX_DAYS }) ?? 30;
  const dryRun = options["dryRun"] === true;
  return await withRegistry<ExitCode>(input, "change", async ({ context, actor }) => {
    const ids = id === undefined ? await listOwn(actor, context) : [id];
    const request = { by: actor, graceMs: days * DAY_MS, dryRun, ...present({ keep }) };
    const purged: Purged[] = [];
    for (const each of ids) {
      const done = await purgeSkill(each, request, context);
      if (done.revisions.length > 0) purged.push(done);
    }
    const swept = dryRun ? undefined : await sweepStore({}, context);
    if (io.json) printData(io, { purged, isDryRun: dryRun, ...present({ swept }) });
    else {
      const verb = dryRun ? "would be purged" : "purged";
      for (const { id: skill, revisions } of purged) io.out(`${skill}: ${verb}: ${revisions.join(", ")}\n`);
      if (purged.length === 0)
        io.err(
          "No skill or revision is due: purge removes deleted skills, and old revisions with --keep, after --grace-days.\n",
        );
      if (swept !== undefined)
        io.err(`${count(swept.blobs, "unused file")} removed; files younger than an hour stay.\n`);
    }
    return 0;
  });
}

/** Users may purge their own skills; administrators may purge all except system skills. */
async function listOwn({ user, role }: Actor, { store }: RegistryContext): Promise<readonly string[]> {
  const skills = await store.listSkills();
  return skills
    .filter(({ isSystem, owner }) => !isSystem && (role === "admin" || owner === user))
    .map(({ id }) => id);
}
