import { basename, dirname, join, resolve } from "node:path";
import { findSkillFolders } from "@skillhold/core/source";
import { statPath } from "@skillhold/host/place";
import { isRemote } from "@skillhold/host/source";
import { STORE_LABEL } from "@skillhold/host/store";
import type { SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { withLimits } from "@skillhold/protocol/limits";
import { folderId } from "@skillhold/skill";
import type { CommandInput } from "./command.ts";
import { getEntry } from "./get-entry.ts";
import { type Opened, withLibrary } from "./open.ts";
import { listOption } from "./option.ts";
import type { Io } from "./terminal/output.ts";
import { openProgress } from "./terminal/progress.ts";

/** A skill that a command was asked about. */
export interface SelectedSkill {
  readonly id: string;
  /** As it was named, from the working folder; of an id, the absolute folder. */
  readonly path: string;
  readonly folder: string;
  /** The options that make another command find it by its id, with a blank before each. */
  readonly rootFlags: string;
}

export interface Selection {
  readonly skills: readonly SelectedSkill[];
  /** What was not searched, and why. */
  readonly problems: readonly string[];
}

/** A tree named on the command line is searched deeper than one that is searched unasked. */
export const namedLimits = withLimits({ discoveryDepth: 16 });

/**
 * The skills of the arguments: an argument is a path if there is one, and else an id. Where the options say in which
 * folders or store to look, a plain word is an id. Without arguments, all skills of the library.
 */
export async function selectSkills(input: CommandInput): Promise<Selection> {
  const { args, io } = input;
  const isNamed = listOption(input.options, "root").length > 0 || typeof input.options["store"] === "string";
  const isId = (arg: string) =>
    (isNamed && /^[^/\\.]+$/.test(arg)) || statPath(resolve(io.cwd, arg), arg) === undefined;
  const ids = args.filter(isId);
  const lost = ids.find((id) => /[/\\]/.test(id));
  if (lost !== undefined) throw new SkillError("PATH_NOT_FOUND", `The path ${lost} does not exist.`);
  const isAsking = ids.length > 0 || args.length === 0;
  const known = isAsking ? await withLibrary(input, (opened) => fromLibrary(opened, ids, io)) : [];
  const found = await fromPaths(
    args.filter((arg) => !ids.includes(arg)),
    io,
  );
  const skills = new Map([...known, ...found.skills].map((skill) => [skill.folder, skill]));
  return { skills: [...skills.values()], problems: found.problems };
}

async function fromLibrary(
  opened: Opened,
  ids: readonly string[],
  io: Io,
): Promise<readonly SelectedSkill[]> {
  const entries =
    ids.length === 0
      ? (await opened.library.list(opened.viewer)).filter((entry) => !isRemote(entry))
      : await Promise.all(ids.map((id) => getEntry(opened, id)));
  rejectRemote(entries);
  await layOutStored(opened, entries, io);
  const { rootFlags } = opened;
  return entries.map(({ id, path }) => ({ id, path, folder: path, rootFlags }));
}

/** What a server has is fetched when someone loads or runs it, and not to look around in it. */
function rejectRemote(entries: readonly SkillEntry[]): void {
  const remote = entries.find(isRemote);
  if (remote === undefined) return;
  throw new SkillError("USAGE", `The skill ${remote.id} is of ${remote.source}, and lies in no folder.`, {
    hint: `Its server says what it needs; \`skillhold show ${remote.id}\` shows what it says.`,
  });
}

async function fromPaths(args: readonly string[], io: Io): Promise<Selection> {
  const skills: SelectedSkill[] = [];
  const problems: string[] = [];
  const progress = openProgress(io, "looking for skills", { afterMs: 400 });
  try {
    for (const arg of args) {
      const isFile = statPath(resolve(io.cwd, arg), arg)?.isFile() === true;
      const root = isFile && basename(arg).toLowerCase() === "skill.md" ? dirname(arg) : arg;
      if (isFile && root === arg) throw new SkillError("PATH_NOT_FOUND", `${arg} is not a folder.`);
      progress.update(skills.length, args.length, arg);
      const found = await findSkillFolders(resolve(io.cwd, root), namedLimits, { signal: io.signal });
      problems.push(...found.problems.map(({ path, message }) => `${join(root, path)}: ${message}`));
      // A folder that was named counts, whether it is a skill or is to become one.
      const paths = found.skills.length === 0 ? [""] : found.skills.map(({ path }) => path);
      skills.push(...paths.map((path) => selected(join(root, path), io)));
    }
  } finally {
    progress.stop();
  }
  return { skills, problems };
}

function selected(path: string, { cwd }: Io): SelectedSkill {
  const folder = resolve(cwd, path);
  const quoted = /^[\w./~@+-]+$/.test(path) ? path : JSON.stringify(path);
  return { id: folderId(basename(folder)).id, path, folder, rootFlags: ` --root ${quoted}` };
}

/**
 * Lays out the skills of the store where their entries say that they are, for what looks into folders. One that cannot
 * be read is not there afterwards either, and whoever looks into it says so.
 */
export async function layOutStored(
  { library, viewer, store }: Pick<Opened, "library" | "viewer" | "store">,
  skills: readonly { readonly id: string; readonly source: string }[],
  io: Io,
): Promise<void> {
  const stored = store === undefined ? [] : skills.filter(({ source }) => source === STORE_LABEL);
  const progress = openProgress(io, "laying out", { afterMs: 400 });
  try {
    for (const [index, { id }] of stored.entries()) {
      io.signal.throwIfAborted();
      progress.update(index, stored.length, id);
      // Whatever is read is laid out.
      await library.read(viewer, id).catch((error: unknown) => {
        if (!(error instanceof SkillError)) throw error;
      });
    }
  } finally {
    progress.stop();
  }
}
