import { chmod, lstat, mkdir, realpath, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  combineDigests,
  errorCodeOf,
  type FileDigest,
  hashSkillFile,
  normalizeRelative,
  rejectFilled,
  writeCopy,
} from "@skillhold/core/bundle";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { isSkillId } from "@skillhold/skill";
import type { TreeFile } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { RegistryStore } from "../record/registry-store.ts";
import { closeCopy, isCopyOf, removeCopy, stampCopy } from "./copy-folder.ts";
import { getTree } from "./revisions.ts";

export interface CopyPlace {
  /** The folder for copies, which nobody else writes to. */
  readonly folder: string;
}

/**
 * The folder of a tree, read-only and with the hash that was asked for: `<folder>/<hash>/<id>`. It is hashed when this
 * process first uses it, and again when a stamp in it has changed; what is not as it should be is replaced.
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

/** Where `materialise` lays out a tree, or would. */
export function revisionFolder(treeHash: Digest, id: string, { folder }: CopyPlace): string {
  const hex = /^sha256:([0-9a-f]{64})$/.exec(treeHash)?.[1];
  if (hex === undefined || !isSkillId(id)) throw new SkillError("INTERNAL", "A copy needs a hash and an id.");
  return join(folder, hex, id);
}

/** What is known of the copies that are made of a store. */
interface Copies {
  /** The stamp that each had when it was hashed. */
  readonly known: Map<string, string>;
  readonly running: Map<string, Promise<string>>;
}

const copies = new WeakMap<RegistryStore, Copies>();

function copiesOf(store: RegistryStore): Copies {
  const found = copies.get(store) ?? { known: new Map(), running: new Map() };
  copies.set(store, found);
  return found;
}

/** How often a copy is made that others take away at the same time. */
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
  throw new SkillError("IO_FAILED", `${target} keeps changing.`, { hint: "Look who writes to that folder." });
}

/** What lies at a path, by the number that the system gave it. */
async function findEntry(path: string): Promise<number | undefined> {
  return (await lstat(path).catch(() => undefined))?.ino;
}

/** Puts a new copy in the place of a bad one, in one step each. */
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
    // Another process may have been faster: then its copy stays, and is looked at.
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

/** To move a folder elsewhere one must be able to write to it. */
async function move(folder: string, to: string, allowed: readonly string[]): Promise<void> {
  await allow(["ENOENT"], chmod(folder, 0o755));
  // What another put there is not ours to change: it may be a link.
  if (await allow(allowed, rename(folder, to))) await allow(["ENOENT"], chmod(to, 0o555));
}

/** Whether the work was done; false when it failed for one of these reasons. */
async function allow(codes: readonly string[], work: Promise<void>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (!codes.includes(errorCodeOf(error))) throw error;
    return false;
  }
}

/** Blobs that are fetched at a time. */
const FETCHED = 16;

/** Writes a tree to an empty folder, read-only, and gives the hash of what was written: the one asked for. */
export async function copyRevision(
  treeHash: Digest,
  target: string,
  { store, limits }: Pick<RegistryContext, "store" | "limits">,
): Promise<Digest> {
  rejectFilled(target);
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
  return new SkillError("INTEGRITY_FAILED", `The tree ${hash} is not what its hash says.`, {
    details: { hash },
  });
}

/**
 * Makes a folder that nobody else reads or writes. One that is there is closed to others who could read it; one that is
 * a link, someone else's, or that others can write to is refused: what is in it may be theirs.
 */
async function makeOwnFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw new SkillError(
      "IO_FAILED",
      `The folder ${folder} cannot be made, and so no skill laid out in it.`,
      {
        details: { path: folder },
        cause: error,
      },
    );
  });
  const stats = await lstat(folder);
  const user = process.geteuid?.();
  // Windows has neither owners nor modes of this kind.
  if (user === undefined && stats.isDirectory()) return;
  const isOurs = stats.uid === user || stats.uid === 0;
  if (!stats.isDirectory() || !isOurs || (stats.mode & 0o022) !== 0)
    throw new SkillError("CONFIG_INVALID", `The folder ${folder} is a link, or not ours alone to write to.`, {
      hint: "Make it a folder that is yours alone (mode 700), or delete it.",
      details: { folder },
    });
  if ((stats.mode & 0o077) !== 0 && stats.uid === user) await chmod(folder, 0o700);
}
