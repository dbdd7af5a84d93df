import { dirname } from "node:path";
import { neutralText } from "@skillhold/core/text";
import { SkillError } from "@skillhold/protocol/error";
import type { RegisteredSkill, RegistryContext } from "@skillhold/registry/record";
import {
  diffRevisions,
  diffStaged,
  type FileChange,
  type SkillDiff,
  stageFolder,
  type TreeDiff,
} from "@skillhold/registry/release";
import { type CommandInput, defineCommand, type OptionsOf } from "../../command.ts";
import { pairArguments, pairOptions, withRevisionPair } from "../../revision-pair.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";
import { count, paintFor } from "../../terminal/text.ts";

export const command = defineCommand({
  arguments: pairArguments,
  options: pairOptions,
  examples: ["diff pdf", "diff pdf 1 3", "diff pdf --folder ./pdf"],
  run,
});

/** Shows the changes between two revisions, or between a revision and a folder. */
async function run(input: CommandInput<OptionsOf<typeof pairOptions>>): Promise<ExitCode> {
  const { io } = input;
  return await withRevisionPair(input, async ({ skill, from, to, folder }, context) => {
    const diff =
      folder === undefined
        ? await diffRevisions(skill.id, from ?? previousOf(skill), to, context)
        : await diffFolder(skill, from, folder, context);
    if (io.json) printData(io, diff);
    else await printDiff(io, diff);
    return 0;
  });
}

function previousOf({ id, revision }: RegisteredSkill): number {
  if (revision > 1) return revision - 1;
  throw new SkillError("REVISION_NOT_FOUND", `The skill ${id} has no revision before ${revision}.`, {
    hint: "Add --folder <path> to compare with a folder.",
  });
}

async function diffFolder(
  { id }: RegisteredSkill,
  from: number | undefined,
  folder: string,
  context: RegistryContext,
): Promise<SkillDiff> {
  const staged = await stageFolder(folder, { id, within: dirname(folder) }, context.limits);
  return await diffStaged(id, from, staged, context);
}

async function printDiff(io: Io, { from, to, files, fields }: SkillDiff): Promise<void> {
  await printChanges(io, { files, fields });
  const name = (revision: number | undefined) =>
    revision === undefined ? "the folder" : `revision ${revision}`;
  const what =
    files.length === 0
      ? "no difference"
      : `${count(files.length, "file")} differ${files.length === 1 ? "s" : ""}`;
  io.err(`${name(from.revision)} → ${name(to.revision)}: ${what}\n`);
}

/** Prints the changed fields and the text of the changed files. */
export async function printChanges(io: Io, { files, fields }: TreeDiff): Promise<void> {
  const paint = await paintFor(io.color);
  for (const { field, from: before, to: after } of fields)
    io.out(`${paint.dim("frontmatter")} ${neutralText(field)}: ${show(before)} → ${show(after)}\n`);
  for (const file of files) {
    io.out(`${paint.bold(`${file.change}: ${neutralText(file.path)}`)}${modeNote(file)}\n`);
    if (file.note !== undefined) io.out(`  ${paint.dim(plain(file.note))}\n`);
    for (const line of (file.text ?? "").split("\n").slice(0, -1)) io.out(`${paintLine(line, paint)}\n`);
  }
}

function show(value: unknown): string {
  return value === undefined ? "(none)" : neutralText(JSON.stringify(value), 200);
}

function modeNote({ change, to }: FileChange): string {
  if (change !== "mode") return "";
  return to?.executable === true ? " (now executable)" : " (no longer executable)";
}

function paintLine(line: string, paint: Awaited<ReturnType<typeof paintFor>>): string {
  const text = plain(line);
  if (line.startsWith("+")) return paint.green(text);
  if (line.startsWith("-")) return paint.red(text);
  return line.startsWith("@@") ? paint.cyan(text) : text;
}
