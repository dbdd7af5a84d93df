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

/** A skill named on the command line. */
export interface SelectedSkill {
  readonly id: string;
  /** The path as named, relative to the working folder; for an id, the absolute folder. */
  readonly path: string;
  readonly folder: string;
  /** The flags that make another command find the skill by id, each with a space before it. */
  readonly rootFlags: string;
}

export interface Selection {
  readonly skills: readonly SelectedSkill[];
  /** Folders that were not searched, each with the reason. */
  readonly problems: readonly string[];
}

/** A folder named on the command line is searched deeper than a discovered one. */
export const namedLimits = withLimits({ discoveryDepth: 16 });

/**
 * Selects the skills of the arguments. An argument is a path if that path exists, otherwise an id; with `--root` or
 * `--store`, a plain word is always an id. Without arguments, selects all skills of the library.
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

/** Skills of MCP servers are fetched only to read or run them, not for a scan. */
function rejectRemote(entries: readonly SkillEntry[]): void {
  const remote = entries.find(isRemote);
  if (remote === undefined) return;
  throw new SkillError("USAGE", `The skill ${remote.id} of ${remote.source} has no local folder.`, {
    hint: `Run \`skillhold show ${remote.id}\` to see the requirements that its server declares.`,
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
      // The argument names this folder, so that its own check reports it.
      const others = found.problems.filter(({ path, reason }) => reason !== "tools-only" || path !== ".");
      for (const { path, message } of others) problems.push(`${join(root, path)}: ${message}`);
      // A named folder is selected even if it is not a skill yet.
      const paths = found.skills.length === 0 ? [""] : found.skills.map(({ path }) => path);
      for (const path of paths) skills.push(selected(join(root, path), io));
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
 * Writes skills of the store to the folders that their entries name, for code that reads folders. A skill that cannot be
 * read is skipped; the reader of its folder reports it.
 */
export async function layOutStored(
  { library, viewer, store }: Pick<Opened, "library" | "viewer" | "store">,
  skills: readonly { readonly id: string; readonly source: string }[],
  io: Io,
): Promise<void> {
  const stored = store === undefined ? [] : skills.filter(({ source }) => source === STORE_LABEL);
  const progress = openProgress(io, "preparing", { afterMs: 400 });
  try {
    for (const [index, { id }] of stored.entries()) {
      io.signal.throwIfAborted();
      progress.update(index, stored.length, id);
      // Reading a skill also writes its folder.
      await library.read(viewer, id).catch((error: unknown) => {
        if (!(error instanceof SkillError)) throw error;
      });
    }
  } finally {
    progress.stop();
  }
}
