import {
  combineDigests,
  foldName,
  normalizeRelative,
  type RelativePath,
  roleOf,
} from "@skillhold/core/bundle";
import type { SkillFile } from "@skillhold/core/library";
import type { Digest, SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import type { AnswerOf, GatewayClient } from "./gateway-client.ts";
import { integrityFailed } from "./remote-failure.ts";
import { type ViewerQuery, viewerQueryKey } from "./viewer-query.ts";

export interface RemoteFile extends SkillFile {
  readonly path: RelativePath;
}

/** The files of a skill, as they are listed; the tree hash is over that list. */
export interface RemoteTree {
  readonly treeHash: Digest;
  readonly revision: number | undefined;
  readonly files: readonly RemoteFile[];
  readonly skillFile: RemoteFile;
}

const KEPT_TREES = 256;

/** The trees of skills. Each is verified when it comes, and asked for again unless the skill's entry names it. */
export class RemoteTrees {
  readonly #client: GatewayClient;
  readonly #limits: Limits;
  readonly #kept = new Map<string, KeptTree>();

  constructor(client: GatewayClient, limits: Limits) {
    this.#client = client;
    this.#limits = limits;
  }

  /** Undefined when what is listed is of another state than the entry. */
  async find(entry: SkillEntry, viewer: ViewerQuery): Promise<RemoteTree | undefined> {
    const key = JSON.stringify([entry.id, entry.revision ?? null, viewerQueryKey(viewer)]);
    const kept = this.#kept.get(key);
    // The hash stands for the whole list: there is nothing to ask.
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
    if (answered === undefined) throw integrityFailed(`The gateway lists no files of ${id}.`, { id });
    const tree = verifyTree(id, answered.data, this.#limits);
    this.#kept.delete(key);
    this.#kept.set(key, { tree, etag: answered.etag });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_TREES && oldest !== undefined) this.#kept.delete(oldest);
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

/** A list of files that could be a skill's, and that has the hash it is said to have; or a failure. */
export function verifyTree(id: string, listed: AnswerOf<"listFiles">, limits: Limits): RemoteTree {
  const files = listed.files.map((file): RemoteFile => {
    const path = plainPath(id, file.path, limits);
    return { path, size: file.size, digest: file.digest, executable: file.executable, role: roleOf(path) };
  });
  rejectTooMuch(id, files, limits);
  rejectClashing(id, files);
  const { treeHash, revision } = listed;
  if (combineDigests(files) !== treeHash)
    throw integrityFailed(`The files of ${id} are not those of its tree hash ${treeHash}.`, { id, treeHash });
  const skillFile =
    files.find(({ path }) => path === "SKILL.md") ?? files.find(({ path }) => path === "skill.md");
  if (skillFile === undefined) throw integrityFailed(`The gateway lists no SKILL.md of ${id}.`, { id });
  return { treeHash, revision, files, skillFile };
}

function plainPath(id: string, path: string, limits: Limits): RelativePath {
  try {
    return normalizeRelative(path, limits);
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    throw integrityFailed(`The gateway lists a file of ${id} that no skill can have. ${error.message}`, {
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
  throw new SkillError("LIMIT_EXCEEDED", `The skill ${id} is larger than ${max} (limit ${limit}).`, {
    details: { id, limit, max },
  });
}

/** Two names that some disk takes for one, or a file where a folder has to be, cannot be laid out as they are hashed. */
function rejectClashing(id: string, files: readonly RemoteFile[]): void {
  const seen = new Set<string>();
  const folders = new Set<string>();
  for (const { path } of files) {
    const name = foldName(path);
    if (seen.has(name)) throw integrityFailed(`The gateway lists two files of ${id} by one name.`, { id });
    seen.add(name);
    for (let end = name.lastIndexOf("/"); end > 0; end = name.lastIndexOf("/", end - 1))
      folders.add(name.slice(0, end));
  }
  for (const folder of folders)
    if (seen.has(folder))
      throw integrityFailed(`The gateway lists a file of ${id} as a folder, too.`, { id });
}
