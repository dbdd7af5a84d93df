import { resolve } from "node:path";
import { exportFolder, exportSkills, type RegistryContext } from "@skillhold/core/registry";
import { SkillError } from "@skillhold/protocol/error";
import { exchangeLimits } from "../exchange-limit.ts";
import { present, textOption } from "../option.ts";
import { chooseFormat, writeOutFile } from "../out-file.ts";
import { type ExitCode, type Io, plain, printData } from "../output.ts";
import type { CommandInput } from "../program.ts";
import { withRegistry } from "../store.ts";
import { count, formatSize } from "../text.ts";

const formats = ["zip", "tar.gz", "folder", "clawhub"] as const;

/** Writes skills of the store to an archive or a folder. */
export async function run(input: CommandInput): Promise<ExitCode> {
  const { io, options, args } = input;
  const ids = options["all"] === true ? "all" : args;
  if (ids !== "all" && ids.length === 0)
    throw new SkillError("USAGE", "No skill is named.", { hint: "Name skills by their ids, or give --all." });
  if (ids === "all" && args.length > 0) throw new SkillError("USAGE", "Give ids or --all, not both.");
  const out = textOption(options, "out");
  const format = chooseFormat(out, textOption(options, "format"), formats);
  return await withRegistry<ExitCode>(input, "read", async ({ context }) => {
    const ample = { ...context, limits: exchangeLimits };
    if (format === "folder") await writeFolder(input, ids, out, ample);
    else {
      const made = await exportSkills(ids, format, ample);
      const target = out ?? `skills.${format === "tar.gz" ? format : "zip"}`;
      const isDryRun = options["dryRun"] === true;
      if (!isDryRun) writeOutFile(resolve(io.cwd, target), target, made.archive);
      const { skills, notes, archive } = made;
      report(io, { out: target, format, bytes: archive.length, skills, notes, isDryRun });
    }
    return 0;
  });
}

async function writeFolder(
  { io, options }: CommandInput,
  ids: readonly string[] | "all",
  out: string | undefined,
  context: RegistryContext,
): Promise<void> {
  if (out === undefined) throw new SkillError("USAGE", "Name the folder to write to by --out.");
  const lock = textOption(options, "lock");
  const isDryRun = options["dryRun"] === true;
  const folder = resolve(io.cwd, out);
  const request = { isDryRun, ...present({ lock: lock === undefined ? undefined : resolve(io.cwd, lock) }) };
  const { skills, notes } = await exportFolder(ids, folder, request, context);
  report(io, { out, format: "folder", skills, notes, isDryRun });
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
