import { dirname, resolve } from "node:path";
import { writeArchive } from "@skillhold/core/archive";
import { hashSkillFile } from "@skillhold/core/bundle";
import { present } from "@skillhold/host/place";
import { defaultLimits } from "@skillhold/protocol/limits";
import { stageFolder } from "@skillhold/registry/release";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { textOption } from "../../option.ts";
import { dryRunOption } from "../../shared-option.ts";
import { chooseFormat, writeOutFile } from "../../terminal/out-path.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { count, formatSize } from "../../terminal/text.ts";

const optionSpecs = [
  { flags: "--out <file>", summary: "write the archive to this file; by default `<id>.zip` here" },
  { flags: "--format <name>", summary: "write this kind of archive", choices: ["zip", "tar.gz"] },
  { flags: "--id <id>", summary: "use this id when SKILL.md has no usable one" },
  dryRunOption,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "<path>", summary: "the skill's folder" }],
  options: optionSpecs,
  examples: ["pack my-skill", "pack my-skill --out release/my-skill.tar.gz"],
  run,
});

/** Writes the same files that `publish` would store, as an archive. */
async function run({ args, options, io }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const [path = "."] = args;
  const folder = resolve(io.cwd, path);
  const request = { within: dirname(folder), ...present({ id: textOption(options, "id") }) };
  const staged = await stageFolder(folder, request, defaultLimits);
  const out = textOption(options, "out");
  const format = chooseFormat(out, textOption(options, "format"), ["zip", "tar.gz"] as const);
  const target = out ?? `${staged.id}.${format}`;
  const archive = await writeArchive(
    format,
    staged.files.map(({ path: file, executable, content }) => ({ path: file, executable, content })),
  );
  const dryRun = options["dryRun"] === true;
  if (!dryRun) writeOutFile(resolve(io.cwd, target), target, archive);
  const { id, treeHash, files, omitted } = staged;
  const digest = hashSkillFile(archive);
  if (io.json) {
    const counts = { bytes: archive.length, files: files.length };
    printData(io, { id, out: target, format, ...counts, treeHash, digest, omitted, isDryRun: dryRun });
    return 0;
  }
  io.out(`${plain(target)}\n`);
  for (const { path: left, message } of omitted) io.err(`omitted: ${plain(left)}: ${plain(message)}\n`);
  const verb = dryRun ? "would be written" : "written";
  io.err(`${count(files.length, "file")}, ${formatSize(archive.length)}, ${verb}; tree ${treeHash}\n`);
  return 0;
}
