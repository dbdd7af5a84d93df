import { chmod, lstat, readdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Bundle, normalizeRelative, treeHash } from "@skillhold/core/bundle";
import { SkillError } from "@skillhold/protocol/error";
import { fileRole } from "@skillhold/skill";
import type { TreeFile } from "../record/registered-skill.ts";

/**
 * A fingerprint of all entries in a copy. Undefined if the path is not a folder or has far more entries than
 * a skill.
 */
export async function stampCopy(folder: string, maxFiles: number): Promise<string | undefined> {
  const entries = await listCopy(folder, maxFiles);
  return entries?.map(({ path, stamp }) => `${path}\0${stamp}`).join("\n");
}

/** Whether a folder has exactly these files with these bytes and modes. */
export async function isCopyOf(
  folder: string,
  files: readonly TreeFile[],
  maxFiles: number,
): Promise<boolean> {
  const entries = await listCopy(folder, maxFiles);
  if (entries === undefined || (await realpath(folder)) !== folder) return false;
  const found = entries.map(({ path, kind }) => `${kind} ${path}`);
  if (found.toSorted().join("\n") !== expectedEntries(files).toSorted().join("\n")) return false;
  try {
    const hashed = await treeHash(asBundle(folder, files));
    const digests = new Map<string, string>(files.map(({ path, digest }) => [path, digest]));
    return hashed.files.every(({ path, digest }) => digests.get(path) === digest);
  } catch (error) {
    // A different size or mode, a link or a missing file means that this is not the copy.
    if (error instanceof SkillError) return false;
    throw error;
  }
}

/** Deletes a folder and its content, including read-only folders, without following links. */
export async function removeCopy(folder: string): Promise<void> {
  const stats = await lstat(folder).catch(() => undefined);
  if (stats?.isDirectory() === true) await setFolderModes(folder, 0o700);
  await rm(folder, { recursive: true, force: true });
}

/** Makes all folders of a copy read-only; the files already are. */
export async function closeCopy(folder: string): Promise<void> {
  await setFolderModes(folder, 0o555);
}

interface CopyEntry {
  readonly path: string;
  readonly kind: "file" | "folder" | "other";
  readonly stamp: string;
}

/** The most entries per file before a folder is no longer considered a copy. */
const ENTRIES_PER_FILE = 10;

/** All entries below a folder in a stable order, without following links. */
async function listCopy(folder: string, maxFiles: number): Promise<readonly CopyEntry[] | undefined> {
  const entries: CopyEntry[] = [];
  const waiting = [""];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const names = await readdir(join(folder, next)).catch(() => undefined);
    if (names === undefined || entries.length + names.length > maxFiles * ENTRIES_PER_FILE) return undefined;
    for (const name of names.sort()) {
      const path = next === "" ? name : `${next}/${name}`;
      const stats = await lstat(join(folder, path)).catch(() => undefined);
      if (stats === undefined) return undefined;
      const { ino, size, mtimeMs, ctimeMs, mode } = stats;
      const kind = stats.isFile() ? "file" : stats.isDirectory() ? "folder" : "other";
      entries.push({ path, kind, stamp: `${ino}:${size}:${mtimeMs}:${ctimeMs}:${mode}` });
      if (kind === "folder") waiting.push(path);
    }
  }
  return entries;
}

function expectedEntries(files: readonly TreeFile[]): readonly string[] {
  const folders = new Set<string>();
  for (const { path } of files) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1))
      folders.add(path.slice(0, at));
  }
  return [...files.map(({ path }) => `file ${path}`), ...[...folders].map((path) => `folder ${path}`)];
}

/** The files in the form the packer returns, so that the same tree hash function applies. */
function asBundle(root: string, files: readonly TreeFile[]): Bundle {
  return {
    root,
    files: files.map(({ path, size, executable }) => ({
      path: normalizeRelative(path),
      size,
      // Windows has no executable bit.
      executable: executable && process.platform !== "win32",
      role: fileRole(path),
      base: root,
      origin: join(root, path),
      stamp: "",
    })),
    omitted: [],
    strayReferences: [],
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    allowHardLinks: false,
  };
}

async function setFolderModes(folder: string, mode: number): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await setFolderModes(join(folder, entry.name), mode);
  await chmod(folder, mode);
}
