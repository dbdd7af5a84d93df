import { randomUUID } from "node:crypto";
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SerialQueue } from "@skillhold/core/async";
import { normalizeRelative } from "@skillhold/core/bundle";
import type { Session } from "@skillhold/core/session";
import { SkillError } from "@skillhold/protocol";
import { z } from "zod";
import { readFiles } from "./skill-record.ts";

export interface MaterializeOptions {
  /** Called after the folder followed a change, with the ids of the skills that were written or removed. */
  readonly onSync?: (ids: readonly string[]) => void;
  /** Called when the folder could not follow a change; the next change tries again. */
  readonly onError?: (error: unknown) => void;
}

/** A folder of skills that follows its session until it is closed. Closing keeps the files. */
export interface MaterializedSkills extends AsyncDisposable {
  readonly folder: string;
  close(): Promise<void>;
}

const MARK = ".skillhold.json";
const Mark = z.object({ skills: z.record(z.string(), z.string()) });

/**
 * Writes the skills of a session as read-only folders and follows changes, for frameworks and clients that read skill
 * folders. A skill appears and disappears as a whole. The folder must be empty or written by an earlier call.
 */
export async function materialize(
  session: Session,
  folder: string,
  { onSync = () => {}, onError = () => {} }: MaterializeOptions = {},
): Promise<MaterializedSkills> {
  await mkdir(folder, { recursive: true });
  const written = await readMark(folder);
  const queue = new SerialQueue();
  const sync = async () => {
    const ids = await writeChanges(session, folder, written);
    if (ids.length > 0) onSync(ids);
  };
  await sync();
  let isClosed = false;
  const stop = session.onChange(() => {
    queue.run(async () => (isClosed ? undefined : await sync())).catch(onError);
  });
  const close = async () => {
    isClosed = true;
    stop();
    await queue.idle();
  };
  return { folder, close, [Symbol.asyncDispose]: close };
}

/** Brings the folder up to date. Returns the ids of the skills that it wrote or removed. */
async function writeChanges(
  session: Session,
  folder: string,
  written: Map<string, string>,
): Promise<readonly string[]> {
  const changed: string[] = [];
  const visible = new Set<string>((await session.list()).map(({ id }) => id));
  for (const id of visible) {
    const state = JSON.stringify((await session.files(id)).map((file) => [file.path, file.digest]));
    if (written.get(id) === state) continue;
    await writeSkill(session, id, folder);
    written.set(id, state);
    changed.push(id);
  }
  for (const id of written.keys()) {
    if (visible.has(id)) continue;
    await remove(join(folder, id));
    written.delete(id);
    changed.push(id);
  }
  if (changed.length > 0)
    await writeFile(join(folder, MARK), JSON.stringify({ skills: Object.fromEntries(written) }));
  return changed;
}

/** Writes a skill beside its old folder and then takes that folder's place. */
async function writeSkill(session: Session, id: string, folder: string): Promise<void> {
  const fresh = join(folder, `.${id}.${randomUUID()}`);
  try {
    const folders = new Set([fresh]);
    for (const { path, content, isExecutable } of await readFiles(session, id)) {
      const target = join(fresh, normalizeRelative(path));
      for (let parent = dirname(target); parent !== fresh; parent = dirname(parent)) folders.add(parent);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, content, { mode: isExecutable ? 0o555 : 0o444, flag: "wx" });
    }
    const place = join(folder, id);
    await remove(place);
    await rename(fresh, place);
    for (const each of folders) await chmod(join(place, each.slice(fresh.length)), 0o555);
  } catch (error) {
    await remove(fresh);
    throw error;
  }
}

/** Removes a read-only folder. Contract: this module wrote it. */
async function remove(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isDirectory() === true) {
    await chmod(path, 0o755);
    for (const name of await readdir(path)) await remove(join(path, name));
  }
  await rm(path, { recursive: true, force: true });
}

async function readMark(folder: string): Promise<Map<string, string>> {
  const names = await readdir(folder);
  if (names.length === 0) return new Map();
  if (!names.includes(MARK)) throw foreign(folder);
  const text = await readFile(join(folder, MARK), "utf8");
  const mark = z.string().transform(parseJson).pipe(Mark).safeParse(text);
  if (!mark.success) throw foreign(folder);
  // Only names in this folder count, so that no other folder is removed; a missing one is written again.
  return new Map(Object.entries(mark.data.skills).filter(([id]) => names.includes(id)));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function foreign(folder: string): SkillError {
  return new SkillError("USAGE", `The folder ${folder} has files that materialize did not write.`, {
    hint: "Pass an empty folder.",
  });
}
