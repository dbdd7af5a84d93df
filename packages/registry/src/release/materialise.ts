import { chmod, lstat, mkdir, realpath, rename } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import {
  combineDigests,
  errorCodeOf,
  hashSkillFile,
  normalizeRelative,
  rejectNonEmpty,
  writeCopy,
} from "@skillhold/core/bundle";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { type FileDigest, isSkillId } from "@skillhold/skill";
import type { TreeFile } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { RegistryStore } from "../record/registry-store.ts";
import { closeCopy, isCopyOf, removeCopy, stampCopy } from "./copy-folder.ts";
import { getTree } from "./revisions.ts";

export interface CopyPlace {
  /** The folder for copies. No other program writes to it. */
  readonly folder: string;
}

/**
 * Returns a read-only folder with the files of a tree, at `<folder>/<hash>/<id>`. The copy is hashed on first
 * use in this process and again when its fingerprint changes; a damaged copy is replaced.
 */
export async function materialise(
  treeHash: Digest,
  id: string,
  { folder }: CopyPlace,
  context: RegistryContext,
): Promise<string> {
  const { known, running } = copiesOf(context.store);
  await makeOwnFolder(folder);
  const root = await realpath(folder);
  const target = revisionFolder(treeHash, id, { folder: root });
  const under = running.get(target);
  if (under !== undefined) return await under;
  const work = ensure(target, treeHash, root, known, context).finally(() => running.delete(target));
  running.set(target, work);
  return await work;
}

/** The path that `materialise` uses for a tree. */
export function revisionFolder(treeHash: Digest, id: string, { folder }: CopyPlace): string {
  const hex = /^sha256:([0-9a-f]{64})$/.exec(treeHash)?.[1];
  if (hex === undefined || !isSkillId(id))
    throw new SkillError("INTERNAL", "A copy needs a tree hash and a skill id.");
  // Not `join`, whose result keeps its many parts in memory.
  return [folder, hex, id].join(sep);
}

/** The copies of one store. */
interface Copies {
  /** The fingerprint of each copy when it was last hashed. */
  readonly known: Map<string, string>;
  readonly running: Map<string, Promise<string>>;
}

const copies = new WeakMap<RegistryStore, Copies>();

function copiesOf(store: RegistryStore): Copies {
  const found = copies.get(store) ?? { known: new Map(), running: new Map() };
  copies.set(store, found);
  return found;
}

/** How often a copy is recreated while other processes remove it. */
const TRIES = 3;

async function ensure(
  target: string,
  treeHash: Digest,
  root: string,
  known: Map<string, string>,
  context: RegistryContext,
): Promise<string> {
  const { bundleFiles } = context.limits;
  const stamp = await stampCopy(target, bundleFiles);
  if (stamp !== undefined && known.get(target) === stamp) return target;
  const files = await getIntactTree(treeHash, context.store);
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const before = await stampCopy(target, bundleFiles);
    const bad = await findEntry(target);
    if (before !== undefined && (await isCopyOf(target, files, bundleFiles))) {
      known.set(target, before);
      return target;
    }
    await replaceCopy(target, bad, treeHash, root, context);
  }
  throw new SkillError("IO_FAILED", `${target} changed ${TRIES} times while it was being written.`, {
    hint: "Find the program that writes to this folder and stop it.",
  });
}

/** The inode of a path, to recognize the same entry later. */
async function findEntry(path: string): Promise<number | undefined> {
  return (await lstat(path).catch(() => undefined))?.ino;
}

/** Replaces a damaged copy with two renames. */
async function replaceCopy(
  target: string,
  bad: number | undefined,
  treeHash: Digest,
  root: string,
  context: RegistryContext,
): Promise<void> {
  const stage = join(root, `.new-${context.ids.next()}`);
  const fresh = join(stage, "copy");
  await mkdir(fresh, { recursive: true, mode: 0o755 });
  try {
    await copyRevision(treeHash, fresh, context);
    await closeCopy(fresh);
    await mkdir(dirname(target), { recursive: true });
    // Another process may have replaced the copy already; its copy is checked next.
    if (bad !== undefined && (await findEntry(target)) === bad) await moveAway(target, join(stage, "old"));
    await move(fresh, target, ["ENOTEMPTY", "EEXIST", "ENOTDIR"]);
  } finally {
    await removeCopy(stage);
  }
}

async function moveAway(path: string, to: string): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isDirectory() === true) await move(path, to, ["ENOENT"]);
  else await allow(["ENOENT"], rename(path, to));
}

/** Renaming a folder requires write permission on it. */
async function move(folder: string, to: string, allowed: readonly string[]): Promise<void> {
  await allow(["ENOENT"], chmod(folder, 0o755));
  // The target may be a link that another process created, so its mode is changed only after our rename.
  if (await allow(allowed, rename(folder, to))) await allow(["ENOENT"], chmod(to, 0o555));
}

/** Returns false if the work failed with one of these codes. */
async function allow(codes: readonly string[], work: Promise<void>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (!codes.includes(errorCodeOf(error))) throw error;
    return false;
  }
}

/** How many blobs are fetched at a time. */
const FETCHED = 16;

/** Writes a tree to an empty folder, read-only, and verifies its hash. */
export async function copyRevision(
  treeHash: Digest,
  target: string,
  { store, limits }: Pick<RegistryContext, "store" | "limits">,
): Promise<Digest> {
  rejectNonEmpty(target);
  const files = await getIntactTree(treeHash, store);
  const made = new Set([target]);
  const written: FileDigest[] = [];
  for (let at = 0; at < files.length; at += FETCHED) {
    const batch = files.slice(at, at + FETCHED);
    const contents = await Promise.all(batch.map(({ digest }) => store.blobs.get(digest)));
    for (const [index, { path, executable, size }] of batch.entries()) {
      const bytes = contents[index] ?? new Uint8Array();
      writeCopy(target, { path: normalizeRelative(path, limits), executable }, bytes, made);
      written.push({ path, size, executable, digest: hashSkillFile(bytes) });
    }
  }
  if (combineDigests(written) !== treeHash) throw damaged(treeHash);
  return treeHash;
}

async function getIntactTree(treeHash: Digest, store: RegistryStore): Promise<readonly TreeFile[]> {
  const files = await getTree(treeHash, store);
  if (combineDigests(files) !== treeHash) throw damaged(treeHash);
  return files;
}

function damaged(hash: Digest): SkillError {
  return new SkillError("INTEGRITY_FAILED", `The stored tree ${hash} does not match its hash.`, {
    details: { hash },
  });
}

/**
 * Creates a folder that only this user can access. Removes read access of others from an existing folder.
 * Rejects a link, a folder of another user and a folder that others can write to, because its content cannot
 * be trusted.
 */
async function makeOwnFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw new SkillError("IO_FAILED", `The folder ${folder} for skill copies cannot be created.`, {
      details: { path: folder },
      cause: error,
    });
  });
  const stats = await lstat(folder);
  const user = process.geteuid?.();
  // Windows has no owners and modes of this kind.
  if (user === undefined && stats.isDirectory()) return;
  const isOurs = stats.uid === user || stats.uid === 0;
  if (!stats.isDirectory() || !isOurs || (stats.mode & 0o022) !== 0)
    throw new SkillError(
      "CONFIG_INVALID",
      `The folder ${folder} is a link, belongs to another user or is writable by others.`,
      {
        hint: "Delete it, or make it a folder that only you can access (mode 700).",
        details: { folder },
      },
    );
  if ((stats.mode & 0o077) !== 0 && stats.uid === user) await chmod(folder, 0o700);
}
