import { basename, dirname, join, relative, resolve } from "node:path";
import type { Publication, PublishOptions } from "@skillhold/core/session";
import { findSkillFolders } from "@skillhold/core/source";
import { present, statPath } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";
import { withLimits } from "@skillhold/protocol/limits";
import type { RegistryContext } from "@skillhold/registry/record";
import { publishArchive, publishStaged, stageFolder } from "@skillhold/registry/release";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { withMissingHook } from "../../dependency-survey.ts";
import { textOption } from "../../option.ts";
import { dryRunOption, registryWriteOptions, targetOption } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";
import { openProgress } from "../../terminal/progress.ts";
import { withArchiveFile } from "./archive-file.ts";
import { asFailure, printPublications, publishExit, withResults } from "./publish-report.ts";

const optionSpecs = [
  { flags: "--id <id>", summary: "publish under this id; for one skill only" },
  dryRunOption,
  targetOption,
  ...registryWriteOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "<paths...>", summary: "folders of skills, or ZIP and tar.gz archives" }],
  options: optionSpecs,
  examples: ["publish my-skill", "publish skills.zip --dry-run", "publish . --store sqlite:team.db"],
  run,
});

/** Publishes skills to the store, with one result each; a failure does not stop the others. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const { items, problems } = await findItems(input.args, io);
  const id = textOption(options, "id");
  if (id !== undefined && items.length > 1)
    throw new SkillError(
      "USAGE",
      `--id works for one skill, but ${items.length} were found. Publish them one by one.`,
    );
  const gateway = textOption(options, "gateway");
  if (gateway !== undefined) {
    const { publishRemote } = await import("./remote-publish.ts");
    return await publishRemote(input, gateway, { items, problems });
  }
  const dryRun = options["dryRun"] === true;
  return await withRegistry<ExitCode>(input, "write", ({ context, actor }) =>
    withMissingHook(input, context, async (hooked) => {
      const request = { by: actor, dryRun, signal: io.signal, ...present({ id }) };
      const skills: Publication[] = [];
      await publishAll(items, skills, io, request, hooked).catch(async (error: unknown) => {
        throw await withResults(io, skills, error);
      });
      if (io.json) printData(io, { skills, problems });
      else {
        await printPublications(io, skills);
        for (const problem of problems) io.err(`note: ${plain(problem)}\n`);
      }
      return publishExit(skills);
    }),
  );
}

/** Adds each result to `skills` at once, so that an interrupt can still report the finished ones. */
async function publishAll(
  items: readonly Item[],
  skills: Publication[],
  io: Io,
  request: PublishOptions,
  context: RegistryContext,
): Promise<void> {
  const progress = openProgress(io, "publishing", { afterMs: 400 });
  try {
    for (const [index, item] of items.entries()) {
      progress.update(index, items.length, item.label);
      await publishItem(item, skills, request, context);
    }
  } finally {
    progress.stop();
  }
}

interface Item {
  /** The path as named by the user, or the path of the skill below it. */
  readonly label: string;
  readonly path: string;
  readonly kind: "folder" | "archive";
}

/** A folder named on the command line is searched deeper than a discovered one. */
const limits = withLimits({ discoveryDepth: 16 });

interface Found {
  readonly items: readonly Item[];
  /** Folders that were not searched, each with the reason. */
  readonly problems: readonly string[];
}

/** A folder that is not a skill stands for the skills inside it. */
async function findItems(args: readonly string[], io: Io): Promise<Found> {
  const items = new Map<string, Item>();
  const problems: string[] = [];
  for (const label of args) {
    const path = resolve(io.cwd, label);
    const stats = statPath(path, label);
    if (stats === undefined) throw new SkillError("PATH_NOT_FOUND", `The path ${label} does not exist.`);
    if (!stats.isDirectory()) {
      items.set(path, { label, path, kind: "archive" });
      continue;
    }
    const found = await findSkillFolders(path, limits, { signal: io.signal });
    // The argument names this folder, and its result says whether it is published.
    const others = found.problems.filter((each) => each.reason !== "tools-only" || each.path !== ".");
    for (const problem of others) problems.push(`${join(label, problem.path)}: ${problem.message}`);
    // A named folder without skills stays in the list, so that its problems are reported.
    const folders = found.skills.length === 0 ? [path] : found.skills.map((skill) => join(path, skill.path));
    for (const folder of folders)
      items.set(folder, { label: relative(io.cwd, folder) || ".", path: folder, kind: "folder" });
  }
  return { items: [...items.values()], problems };
}

async function publishItem(
  { label, path, kind }: Item,
  skills: Publication[],
  options: PublishOptions,
  context: RegistryContext,
): Promise<void> {
  const taken = new Set(skills.flatMap((each) => (each.status === "failed" ? [] : [each.id])));
  try {
    if (kind === "folder")
      skills.push({ path: label, ...(await publishFolder(path, taken, options, context)) });
    else {
      const onResult = (skill: Publication) => void skills.push({ ...skill, path: inArchive(label, skill) });
      await withArchiveFile(path, label, context.limits, (archive) =>
        publishArchive(archive, { ...options, taken, onResult }, context),
      );
    }
  } catch (error) {
    skills.push(asFailure(label, error));
  }
}

/** `skills.zip/pdf` for a folder in an archive. */
function inArchive(label: string, { path = "." }: Publication): string {
  return path === "." ? label : `${label}/${path}`;
}

/** Rejects two folders with one id, which would become two revisions of the same skill. */
async function publishFolder(
  path: string,
  taken: ReadonlySet<string>,
  options: PublishOptions,
  context: RegistryContext,
): Promise<Publication> {
  const { id, signal } = options;
  const staged = await stageFolder(path, { id, signal, within: dirname(path) }, context.limits);
  if (taken.has(staged.id))
    throw new SkillError("CONFLICT", `Two of the named skills have the id ${staged.id}.`, {
      hint: "Change the name or slug of one of them, or publish only one.",
    });
  return await publishStaged(staged, { ...options, provenance: { origin: basename(path) } }, context);
}
