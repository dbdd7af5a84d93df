import { lstatSync } from "node:fs";
import { resolve } from "node:path";
import { present, statPath } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";
import { exportFolder, exportSkills } from "@skillhold/registry/exchange";
import type { RegistryContext } from "@skillhold/registry/record";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { textOption } from "../../option.ts";
import { accessOptions, dryRunOption, storeOption } from "../../shared-option.ts";
import { type OpenedRegistry, withRegistry } from "../../store.ts";
import { chooseFormat, writeOutFile } from "../../terminal/out-path.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";
import { count, formatSize } from "../../terminal/text.ts";
import { getExportable, isExportable } from "../../visible-skill.ts";
import { wholeStoreLimits } from "./exchange-limit.ts";

const formats = ["zip", "tar.gz", "folder", "clawhub"] as const;

const optionSpecs = [
  { flags: "--all", summary: "export every skill that you may use" },
  { flags: "--out <path>", summary: "write to this archive or folder" },
  {
    flags: "--format <name>",
    summary: "write this format; by default from the file extension of --out",
    choices: ["zip", "tar.gz", "folder", "clawhub"],
  },
  { flags: "--lock <file>", summary: "with --format folder, update this skills-lock.json" },
  dryRunOption,
  ...accessOptions,
  storeOption,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "[ids...]", summary: "the skills to export" }],
  options: optionSpecs,
  examples: ["export --all --out skills.zip", "export pdf docx --out .agents/skills --format folder"],
  run,
});

/** Writes skills of the store to an archive or a folder. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options, args } = input;
  const ids = options["all"] === true ? "all" : args;
  if (ids !== "all" && ids.length === 0)
    throw new SkillError("USAGE", "No skill was named.", { hint: "Name skills by their ids, or add --all." });
  if (ids === "all" && args.length > 0)
    throw new SkillError("USAGE", "Ids and --all exclude each other. Use one of them.");
  const out = textOption(options, "out");
  const format = chooseFormat(out, textOption(options, "format"), formats);
  return await withRegistry<ExitCode>(input, "read", async (opened) => {
    const ample = { ...opened.context, limits: wholeStoreLimits };
    const known = await findVisible(ids, opened, io);
    if (format === "folder") await writeFolder(input, known, out, ample);
    else {
      const made = await exportSkills(known, format, ample);
      const target = out ?? `skills.${format === "tar.gz" ? format : "zip"}`;
      const isDryRun = options["dryRun"] === true;
      if (!isDryRun) writeOutFile(resolve(io.cwd, target), target, made.archive);
      const { skills, notes, archive } = made;
      report(io, { out: target, format, bytes: archive.length, skills, notes, isDryRun });
    }
    return 0;
  });
}

type Ids = readonly string[] | "all";

/** A named skill must be visible to the user; `--all` selects only visible skills. */
async function findVisible(ids: Ids, opened: OpenedRegistry, io: Io): Promise<Ids> {
  if (ids !== "all") {
    for (const id of ids) await getExportable(id, opened, io);
    return ids;
  }
  if (opened.actor.role === "admin") return ids;
  const all = (await opened.context.store.listSkills()).filter(
    ({ isSystem, status }) => !isSystem && status !== "deleted",
  );
  const known: string[] = [];
  for (const { id } of all) if (await isExportable(id, opened, io)) known.push(id);
  return known;
}

async function writeFolder(
  { io, options }: CommandInput,
  ids: Ids,
  out: string | undefined,
  context: RegistryContext,
): Promise<void> {
  if (out === undefined) throw new SkillError("USAGE", "--out is required for a folder. Add --out <folder>.");
  const lock = textOption(options, "lock");
  const isDryRun = options["dryRun"] === true;
  const folder = resolve(io.cwd, out);
  rejectNoFolder(folder, out);
  const request = { isDryRun, ...present({ lock: lock === undefined ? undefined : resolve(io.cwd, lock) }) };
  const { skills, notes } = await exportFolder(ids, folder, request, context);
  report(io, { out, format: "folder", skills, notes, isDryRun });
}

/** Rejects a target that is not a folder before the export starts. */
function rejectNoFolder(path: string, label: string): void {
  const stats = statPath(path, label);
  if (stats === undefined ? !isLink(path) : stats.isDirectory()) return;
  throw new SkillError("USAGE", `${label} is not a folder.`, {
    hint: "Set --out to a folder or to a path that does not exist yet.",
  });
}

/** Detects a dangling link; other failures are reported when the folder is created. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

interface Report {
  readonly out: string;
  readonly format: string;
  readonly bytes?: number;
  readonly skills: readonly { readonly id: string; readonly revision: number }[];
  readonly notes: readonly string[];
  readonly isDryRun: boolean;
}

function report(io: Io, made: Report): void {
  if (io.json) {
    printData(io, made);
    return;
  }
  for (const { id, revision } of made.skills) io.out(`${id} revision ${revision}\n`);
  for (const note of made.notes) io.err(`note: ${plain(note)}\n`);
  const size = made.bytes === undefined ? "" : ` (${formatSize(made.bytes)})`;
  const verb = made.isDryRun ? "would be written to" : "written to";
  io.err(`${count(made.skills.length, "skill")} ${verb} ${plain(made.out)}${size}\n`);
}
