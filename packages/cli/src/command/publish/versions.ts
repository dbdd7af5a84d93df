import { neutralText } from "@skillhold/core/text";
import { SkillError } from "@skillhold/protocol/error";
import type { RegisteredSkill, RegistryContext, Revision } from "@skillhold/registry/record";
import {
  getRevision,
  getSkill,
  listRevisions,
  readRevisionFile,
  revisionFiles,
} from "@skillhold/registry/release";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { readRevision, textOption } from "../../option.ts";
import { accessOptions, idArgument, storeOption } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, type Io, printData } from "../../terminal/output.ts";
import { formatTable } from "../../terminal/table.ts";
import { count, formatSize, forReader, paintFor } from "../../terminal/text.ts";
import { getVisibleSkill, rejectUnpinned, type VisibleSkill } from "../../visible-skill.ts";

const optionSpecs = [
  { flags: "--file <path>", summary: "print this file of the revision" },
  ...accessOptions,
  storeOption,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [idArgument, { usage: "[revision]", summary: "show this revision and its files" }],
  options: optionSpecs,
  examples: ["versions pdf", "versions pdf 2", "versions pdf 2 --file SKILL.md"],
  run,
});

/** Lists the revisions of a skill, or shows one revision or one of its files. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const [id = "", wanted] = input.args;
  const revision = wanted === undefined ? undefined : readRevision(wanted);
  const file = textOption(options, "file");
  return await withRegistry<ExitCode>(input, "read", async ({ context, actor }) => {
    const found = await getVisibleSkill(id, { context, actor }, io);
    rejectUnpinned(found, revision);
    if (file !== undefined) await printFile(io, id, revision ?? found.pin, file, context);
    else if (revision !== undefined) await printRevision(io, revision, found, context);
    else await printRevisions(io, id, found.pin, context);
    return 0;
  });
}

async function printRevisions(
  io: Io,
  id: string,
  pin: number | undefined,
  context: RegistryContext,
): Promise<void> {
  const skill = withPin(await getSkill(id, context), pin);
  const all = await listRevisions(id, context);
  const revisions = pin === undefined ? all : all.filter((each) => each.revision === pin);
  if (io.json) {
    printData(io, { skill, versions: revisions.map((each) => summarize(each, skill)) });
    return;
  }
  const paint = await paintFor(io.color);
  const columns = [
    { title: "REVISION" },
    { title: "VERSION", most: 12 },
    { title: "BY", most: 20 },
    { title: "FROM" },
    { title: "FILES" },
    { title: "SIZE" },
    { title: "WHEN" },
    { title: "TREE" },
  ];
  const rows = revisions.map((each) => [
    `${each.revision}${each.revision === skill.revision ? " *" : ""}`,
    neutralText(each.version ?? "-"),
    neutralText(each.provenance.by.agent ?? each.provenance.by.user),
    each.provenance.source,
    String(each.files),
    each.purgedAt === undefined ? formatSize(each.bytes) : "purged",
    each.createdAt,
    each.treeHash,
  ]);
  io.out(formatTable(columns, rows, { width: io.isOutTty ? io.columns : undefined, paintTitle: paint.dim }));
  const state = skill.status === "active" ? "" : `; the skill is ${skill.status}`;
  io.err(`${count(revisions.length, "revision")}, * is the current one${state}\n`);
}

/** A user with a pin sees the pinned revision as the only one. */
function withPin(skill: RegisteredSkill, pin: number | undefined): RegisteredSkill {
  return pin === undefined ? skill : { ...skill, revision: pin, lastRevision: pin, treeHash: undefined };
}

/** A revision without its search record and dependency manifest. */
function summarize({ record: _, manifest: __, ...revision }: Revision, skill: RegisteredSkill) {
  return { ...revision, isCurrent: revision.revision === skill.revision };
}

async function printRevision(
  io: Io,
  number: number,
  found: VisibleSkill,
  context: RegistryContext,
): Promise<void> {
  const skill = withPin(found.skill, found.pin);
  const { id } = skill;
  const revision = await getRevision(id, number, context);
  const files = revision.purgedAt === undefined ? await revisionFiles(id, number, context) : [];
  if (io.json) {
    printData(io, { ...summarize(revision, skill), manifest: revision.manifest, list: files });
    return;
  }
  const paint = await paintFor(io.color);
  const columns = [{ title: "PATH" }, { title: "SIZE" }, { title: "ROLE" }, { title: "DIGEST" }];
  const rows = files.map(({ path, size, role, digest, executable }) => [
    neutralText(path),
    formatSize(size),
    executable ? `${role}, executable` : role,
    digest,
  ]);
  io.out(formatTable(columns, rows, { width: io.isOutTty ? io.columns : undefined, paintTitle: paint.dim }));
  const { provenance, treeHash, trust } = revision;
  io.err(`${treeHash}, trust ${trust}, from ${provenance.source} by ${neutralText(provenance.by.user)}\n`);
}

async function printFile(
  io: Io,
  id: string,
  revision: number | undefined,
  path: string,
  context: RegistryContext,
): Promise<void> {
  const resource = await readRevisionFile(id, revision, path, {}, context);
  if (io.json) {
    printData(io, resource);
    return;
  }
  if (resource.hasMore)
    throw new SkillError("LIMIT_EXCEEDED", `${path} has ${formatSize(resource.size)}, too much to print.`, {
      hint: "Run `skillhold export` to get the whole file.",
    });
  if (resource.encoding === "utf-8") io.out(forReader(io, resource.content));
  else io.out(Buffer.from(resource.content, "base64"));
}
