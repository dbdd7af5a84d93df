import { dirname, resolve } from "node:path";
import { neutralText } from "@skillhold/core/text";
import { SkillError } from "@skillhold/protocol/error";
import type { RegistryContext } from "@skillhold/registry/record";
import {
  diffRevisions,
  diffStaged,
  type FileChange,
  getSkill,
  type SkillDiff,
  stageFolder,
  type TreeDiff,
} from "@skillhold/registry/release";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { readRevision, textOption } from "../../option.ts";
import { accessOptions, idArgument, storeOption } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";
import { count, paintFor } from "../../terminal/text.ts";
import { getVisibleSkill } from "../../visible-skill.ts";

const optionSpecs = [
  { flags: "--folder <path>", summary: "compare with this folder instead of a revision" },
  ...accessOptions,
  storeOption,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [
    idArgument,
    { usage: "[from]", summary: "the old revision; by default the one before the current one" },
    { usage: "[to]", summary: "the new revision; by default the current one" },
  ],
  options: optionSpecs,
  examples: ["diff pdf", "diff pdf 1 3", "diff pdf --folder ./pdf"],
  run,
});

/** Shows the changes between two revisions, or between a revision and a folder. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const [id = "", ...ends] = input.args;
  const [from, to] = ends.map(readRevision);
  const folder = textOption(options, "folder");
  if (folder !== undefined && to !== undefined)
    throw new SkillError("USAGE", "--folder takes at most one revision. Omit the second one.");
  return await withRegistry<ExitCode>(input, "read", async ({ context, actor }) => {
    await getVisibleSkill(id, { context, actor }, io);
    const diff =
      folder === undefined
        ? await diffRevisions(id, from ?? (await previousOf(id, context)), to, context)
        : await diffFolder(id, from, resolve(io.cwd, folder), context);
    if (io.json) printData(io, diff);
    else await printDiff(io, diff);
    return 0;
  });
}

async function previousOf(id: string, context: RegistryContext): Promise<number> {
  const { revision } = await getSkill(id, context);
  if (revision > 1) return revision - 1;
  throw new SkillError("REVISION_NOT_FOUND", `The skill ${id} has no revision before ${revision}.`, {
    hint: "Add --folder <path> to compare with a folder.",
  });
}

async function diffFolder(
  id: string,
  from: number | undefined,
  folder: string,
  context: RegistryContext,
): Promise<SkillDiff> {
  const { id: exact } = await getSkill(id, context);
  const staged = await stageFolder(folder, { id: exact, within: dirname(folder) }, context.limits);
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
