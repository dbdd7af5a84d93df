import { combineDigests, normalizeRelative, type RelativePath } from "@skillhold/core/bundle";
import type { SkillFile } from "@skillhold/core/library";
import type { Digest, SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { fileRole, findSkillFiles, foldName } from "@skillhold/skill";
import { LRUCache } from "lru-cache";
import type { AnswerOf, GatewayClient } from "./gateway-client.ts";
import { integrityFailed } from "./remote-failure.ts";
import type { ViewerQuery } from "./viewer-query.ts";

export interface RemoteFile extends SkillFile {
  readonly path: RelativePath;
}

/** The listed files of a skill; the tree hash covers the list. */
export interface RemoteTree {
  readonly treeHash: Digest;
  readonly revision: number | undefined;
  readonly files: readonly RemoteFile[];
  readonly skillFile: RemoteFile;
}

const KEPT_TREES = 256;

/**
 * The trees of skills. Each is verified on arrival, and revalidated unless the skill's entry has its hash.
 */
export class RemoteTrees {
  readonly #client: GatewayClient;
  readonly #limits: Limits;
  readonly #kept = new LRUCache<string, KeptTree>({ max: KEPT_TREES });

  constructor(client: GatewayClient, limits: Limits) {
    this.#client = client;
    this.#limits = limits;
  }

  /** Undefined if the file list belongs to another state than the entry. */
  async find(entry: SkillEntry, viewer: ViewerQuery): Promise<RemoteTree | undefined> {
    const key = JSON.stringify([entry.id, entry.revision ?? null]);
    const kept = this.#kept.get(key);
    // The hash covers the whole list, so no request is needed.
    const isNamed = kept !== undefined && entry.treeHash === kept.tree.treeHash;
    const tree = isNamed ? kept.tree : await this.#fetch(entry, viewer, key, kept);
    return isOf(entry, tree) ? tree : undefined;
  }

  async #fetch(
    { id, revision }: SkillEntry,
    viewer: ViewerQuery,
    key: string,
    kept: KeptTree | undefined,
  ): Promise<RemoteTree> {
    const query = { ...viewer, ...(revision === undefined ? {} : { revision: String(revision) }) };
    const answered = await this.#client.askAgain("listFiles", { params: { id }, query }, kept?.etag);
    if (answered === undefined && kept !== undefined) return kept.tree;
    if (answered === undefined) throw integrityFailed(`The gateway lists no files for ${id}.`, { id });
    const tree = verifyTree(id, answered.data, this.#limits);
    this.#kept.set(key, { tree, etag: answered.etag });
    return tree;
  }
}

function isOf({ treeHash, skillHash }: SkillEntry, tree: RemoteTree): boolean {
  return (treeHash ?? tree.treeHash) === tree.treeHash && skillHash === tree.skillFile.digest;
}

interface KeptTree {
  readonly tree: RemoteTree;
  readonly etag: string | undefined;
}

/** Validates a file list: paths, limits, name clashes and the tree hash. Throws if one is wrong. */
export function verifyTree(id: string, listed: AnswerOf<"listFiles">, limits: Limits): RemoteTree {
  const files = listed.files.map((file): RemoteFile => {
    const path = plainPath(id, file.path, limits);
    return { path, size: file.size, digest: file.digest, executable: file.executable, role: fileRole(path) };
  });
  rejectTooMuch(id, files, limits);
  rejectClashing(id, files);
  const { treeHash, revision } = listed;
  if (combineDigests(files) !== treeHash)
    throw integrityFailed(`The files of ${id} do not match the tree hash ${treeHash}.`, { id, treeHash });
  const [name] = findSkillFiles(files.map(({ path }) => path));
  const skillFile = files.find(({ path }) => path === name);
  if (skillFile === undefined) throw integrityFailed(`The gateway lists no SKILL.md for ${id}.`, { id });
  return { treeHash, revision, files, skillFile };
}

function plainPath(id: string, path: string, limits: Limits): RelativePath {
  try {
    return normalizeRelative(path, limits);
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    throw integrityFailed(`The gateway lists an invalid path for ${id}: ${error.message}`, {
      id,
    });
  }
}

function rejectTooMuch(id: string, files: readonly RemoteFile[], limits: Limits): void {
  const { bundleFiles, unpackedBytes } = limits;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (files.length <= bundleFiles && bytes <= unpackedBytes) return;
  const [limit, max] =
    files.length > bundleFiles
      ? (["bundleFiles", bundleFiles] as const)
      : (["unpackedBytes", unpackedBytes] as const);
  throw new SkillError("LIMIT_EXCEEDED", `The skill ${id} exceeds the limit ${limit} (${max}).`, {
    details: { id, limit, max },
  });
}

/** Names that are equal on some disks, or a file in the place of a folder, cannot be written as hashed. */
function rejectClashing(id: string, files: readonly RemoteFile[]): void {
  const seen = new Set<string>();
  const folders = new Set<string>();
  for (const { path } of files) {
    const name = foldName(path);
    if (seen.has(name))
      throw integrityFailed(`The gateway lists two files of ${id} with the same name.`, { id });
    seen.add(name);
    for (let end = name.lastIndexOf("/"); end > 0; end = name.lastIndexOf("/", end - 1))
      folders.add(name.slice(0, end));
  }
  for (const folder of folders)
    if (seen.has(folder))
      throw integrityFailed(`The gateway lists a path of ${id} as both a file and a folder.`, { id });
}
