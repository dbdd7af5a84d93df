import { resolve } from "node:path";
import type { ArchiveBytes } from "@skillhold/core/archive";
import type { Publication } from "@skillhold/core/session";
import { importSkills } from "@skillhold/registry/exchange";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { dryRunOption, registryWriteOptions } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, printData } from "../../terminal/output.ts";
import { withArchiveFile } from "./archive-file.ts";
import { wholeStoreLimits } from "./exchange-limit.ts";
import { printPublications, publishExit, withResults } from "./publish-report.ts";

const optionSpecs = [dryRunOption, ...registryWriteOptions] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "<file>", summary: "the archive that `export` wrote" }],
  options: optionSpecs,
  examples: ["import skills.zip", "import skills.zip --store postgres://localhost/skills"],
  run,
});

/** Imports an exported archive, with one result per skill. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const [file = ""] = input.args;
  return await withArchiveFile(resolve(input.io.cwd, file), file, wholeStoreLimits, (archive) =>
    importArchive(archive, input),
  );
}

async function importArchive(archive: ArchiveBytes, input: CommandInput): Promise<ExitCode> {
  const { io, options } = input;
  return await withRegistry<ExitCode>(input, "write", async ({ context, actor }) => {
    const done: Publication[] = [];
    const request = {
      by: actor,
      dryRun: options["dryRun"] === true,
      signal: io.signal,
      exportLimits: wholeStoreLimits,
      onResult: (skill: Publication) => void done.push(skill),
    };
    const report = await importSkills(archive, request, context).catch(async (error: unknown) => {
      throw await withResults(io, done, error);
    });
    if (io.json) printData(io, report);
    else {
      await printPublications(io, report.skills);
      if (report.skills.length === 0) io.err("The archive has no skills.\n");
      if (!report.hasManifest)
        io.err("The archive has no manifest, so its skills were published like any archive.\n");
    }
    return publishExit(report.skills);
  });
}
