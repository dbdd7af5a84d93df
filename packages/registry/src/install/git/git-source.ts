import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MemoryTree } from "@skillhold/core/bundle";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { treeOfFiles } from "../../release/stage.ts";
import {
  type FetchedSkill,
  type InstallSource,
  makeWork,
  type OfferedSkill,
  orRefused,
  type RefusedSkill,
  type Resolved,
  type SourcePorts,
} from "../source.ts";
import { formatSource, type GitSpec } from "../source-spec.ts";
import { entriesOf, type GitEntry, parseBatch, parseTree } from "./git-tree.ts";
import { findTreeSkills } from "./tree-skill.ts";

/**
 * Skills of a git repository. Only trees are fetched, then the blobs of the chosen skills by their ids: there is never a
 * work tree, and so no hook, filter, link or submodule of the repository takes effect.
 */
export const gitSource: InstallSource<GitSpec> = {
  resolve: async (spec, ports) => {
    const repository = await openRepository(spec, ports);
    const { path = "" } = repository.spec;
    const skills = findTreeSkills(
      repository.entries.map((entry) => entry.path),
      path,
    );
    return {
      skills,
      notes: [],
      fetch: async (chosen) => await fetchSkills(repository, chosen, ports),
    } satisfies Resolved;
  },
};

/** A repository at one commit, with its trees and without its blobs. */
export interface GitRepository {
  /** The source, with ref and path separated. */
  readonly spec: GitSpec;
  readonly folder: string;
  readonly commit: string;
  /** The files. */
  readonly entries: readonly GitEntry[];
  /** The ids of its folders. */
  readonly trees: ReadonlyMap<string, string>;
  /** The objects that the server sent with the trees; one without filters sends all. */
  readonly present: ReadonlySet<string>;
}

export async function openRepository(spec: GitSpec, ports: SourcePorts): Promise<GitRepository> {
  const { git, signal } = ports;
  // Without a ref, the fetch itself says which commit is meant: two requests fewer.
  const isHead = spec.ref === undefined && spec.refAndPath === undefined;
  const found = isHead ? { spec, commit: "HEAD" } : await resolveRef(spec, ports);
  const folder = makeBare(spec.url, ports);
  const at = { repository: folder, signal };
  await git({
    ...at,
    remote: spec.url,
    args: [
      "fetch",
      "--quiet",
      "--depth=1",
      "--no-tags",
      "--filter=blob:none",
      "--no-recurse-submodules",
      "--",
      "origin",
      found.commit,
    ],
  });
  const commit = isHead ? readFetched(folder, spec.url) : found.commit;
  const [listing, local] = await Promise.all([
    git({ ...at, args: ["ls-tree", "-r", "-t", "-z", "--full-tree", commit] }),
    git({ ...at, args: ["cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objectname)"] }),
  ]);
  const listed = parseTree(listing);
  const isFolder = ({ type }: GitEntry) => type === "tree";
  const trees = new Map(listed.filter(isFolder).map(({ path, id }) => [path, id]));
  const entries = listed.filter((entry) => !isFolder(entry));
  const present = new Set(local.toString("latin1").split("\n"));
  return { spec: found.spec, folder, commit, entries, trees, present };
}

/** The commit that a fetch of HEAD brought. */
function readFetched(folder: string, url: string): string {
  const [commit] = readFileSync(join(folder, "FETCH_HEAD"), "latin1").split(/\s/);
  if (commit === undefined || !COMMIT.test(commit)) throw noRef(url, "HEAD");
  return commit;
}

/**
 * A bare repository that has no objects yet. Written by hand, because every start of git costs more than these files.
 *
 * Contract: the address has passed a URL parser, so that it has neither a quote nor a line end.
 */
function makeBare(url: string, ports: SourcePorts): string {
  const folder = makeWork(ports, "git");
  for (const name of ["objects", "refs"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "HEAD"), "ref: refs/heads/main\n");
  const config = [
    "[core]\n\trepositoryformatversion = 1\n\tbare = true",
    "[extensions]\n\tpartialClone = origin",
    `[remote "origin"]\n\turl = "${url.replaceAll("\\", "\\\\")}"\n\tpromisor = true\n\tpartialclonefilter = blob:none`,
  ];
  writeFileSync(join(folder, "config"), `${config.join("\n")}\n`);
  return folder;
}

/** The id of a folder's tree: what GitHub and the locks of other programs know a skill's content by. */
export async function subtreeOf(
  { trees, folder, commit }: Pick<GitRepository, "trees" | "folder" | "commit">,
  path: string,
  { git, signal }: Pick<SourcePorts, "git" | "signal">,
): Promise<string | undefined> {
  if (path !== "." && path !== "") return trees.get(path);
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${commit}^{tree}`];
  return (await git({ repository: folder, args, signal })).toString("latin1").trim();
}

async function fetchSkills(
  repository: GitRepository,
  chosen: readonly OfferedSkill[],
  ports: SourcePorts,
): Promise<readonly (FetchedSkill | RefusedSkill)[]> {
  const wanted: Wanted[] = [];
  const fetched: (FetchedSkill | RefusedSkill)[] = [];
  for (const skill of chosen) {
    const found = tryEntries(repository.entries, skill, ports.limits);
    if (found instanceof SkillError) fetched.push({ ...skill, error: found });
    else wanted.push({ skill, entries: found });
  }
  const ids = [...new Set(wanted.flatMap(({ entries }) => entries.map(({ id }) => id)))];
  const blobs = await readBlobs(repository, ids, wanted.length, ports);
  for (const { skill, entries } of wanted) {
    const read = async () => {
      const tree = treeOfSkill(entries, blobs, ports);
      const subtree = await subtreeOf(repository, skill.path, ports);
      return { ...skill, folder: tree.root, tree, origin: originOf(repository, skill.path, subtree) };
    };
    fetched.push(await orRefused(skill, read));
  }
  return fetched;
}

interface Wanted {
  readonly skill: OfferedSkill;
  readonly entries: readonly GitEntry[];
}

function tryEntries(
  entries: readonly GitEntry[],
  { path }: OfferedSkill,
  { bundleFiles }: Limits,
): readonly GitEntry[] | SkillError {
  const found = entriesOf(entries, path);
  if (found instanceof SkillError || found.length <= bundleFiles) return found;
  const problem = `${found.length} files, more than ${bundleFiles} (limit bundleFiles)`;
  return new SkillError("LIMIT_EXCEEDED", `The skill ${path} has ${problem}.`);
}

function treeOfSkill(
  entries: readonly GitEntry[],
  blobs: ReadonlyMap<string, Buffer>,
  { limits }: SourcePorts,
): MemoryTree {
  const files = entries.map(({ path, mode, id }) => {
    const content = blobs.get(id);
    if (content === undefined) throw new SkillError("REMOTE_FAILED", `The repository did not send ${path}.`);
    return { path, content, executable: mode === "100755" };
  });
  return treeOfFiles(files, limits);
}

function originOf(
  repository: GitRepository,
  path: string,
  subtree: string | undefined,
): FetchedSkill["origin"] {
  const { spec, commit } = repository;
  const below = path === "." ? {} : { path };
  const canonical = formatSource({
    kind: "git",
    url: spec.url,
    ...(spec.ref === undefined ? {} : { ref: spec.ref }),
    ...below,
  });
  return {
    source: "git",
    origin: nameOf(spec.url),
    originUrl: spec.url,
    ...(spec.ref === undefined ? {} : { ref: spec.ref }),
    ...below,
    commit,
    ...(subtree === undefined ? {} : { subtree }),
    publisher: publisherOf(spec.url),
    ...(canonical === undefined ? {} : { spec: canonical }),
    digests: {},
    // The commit names the bytes; git has checked every object against its id.
    verified: /^[0-9a-f]{40,64}$/.test(spec.ref ?? "") ? "digest" : "none",
  };
}

/** `owner/repo`, for people. */
function nameOf(url: string): string {
  return (URL.parse(url)?.pathname ?? "").replace(/^\/|\.git$/g, "").slice(0, 200);
}

/** Host and owner: another one is another publisher. */
export function publisherOf(url: string): string {
  const parsed = URL.parse(url);
  const [owner = ""] = (parsed?.pathname ?? "").split("/").slice(1);
  return `${parsed?.host ?? ""}/${owner}`;
}

/** How much a skill may be, for each that was chosen; a whole repository stays below what git may write. */
async function readBlobs(
  repository: GitRepository,
  ids: readonly string[],
  skills: number,
  ports: SourcePorts,
): Promise<ReadonlyMap<string, Buffer>> {
  const { git, limits, signal } = ports;
  await fetchBlobs(repository, ids, ports);
  const input = ids.map((id) => `${id}\n`).join("");
  const maxBytes = Math.min(limits.unpackedBytes * Math.max(1, skills), MOST_BYTES) + ids.length * 80;
  return parseBatch(
    await git({ repository: repository.folder, signal, args: ["cat-file", "--batch"], input, maxBytes }),
  );
}

/** Fetches the missing blobs by their ids. */
export async function fetchBlobs(
  { folder, spec, present }: Pick<GitRepository, "folder" | "spec" | "present">,
  ids: readonly string[],
  { git, signal }: Pick<SourcePorts, "git" | "signal">,
): Promise<void> {
  const missing = ids.filter((id) => !present.has(id));
  if (missing.length === 0) return;
  const fetch = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
  await git({
    repository: folder,
    signal,
    remote: spec.url,
    args: [...fetch, "--stdin", "--", "origin"],
    input: missing.map((id) => `${id}\n`).join(""),
  });
}

const MOST_BYTES = 512 * 1024 * 1024;

interface FoundRef {
  readonly spec: GitSpec;
  readonly commit: string;
}

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** The commit that a ref names now. A full commit id needs no asking. */
export async function resolveRef(
  spec: GitSpec,
  ports: Pick<SourcePorts, "git" | "signal">,
): Promise<FoundRef> {
  const { ref, refAndPath, ...rest } = spec;
  if (refAndPath === undefined) {
    if (ref !== undefined && COMMIT.test(ref)) return { spec, commit: ref };
    const refs = await listRefs(spec.url, ref === undefined ? [] : [ref], ports);
    const commit = ref === undefined ? refs.get("HEAD") : commitOf(refs, ref);
    if (commit === undefined) throw noRef(spec.url, ref ?? "HEAD");
    return { spec, commit };
  }
  const parts = refAndPath.split("/");
  const [first = ""] = parts;
  if (COMMIT.test(first)) {
    return { spec: { ...rest, ref: first, ...pathFrom(parts, 1, rest.path) }, commit: first };
  }
  // A branch may have slashes: the longest that the server lists is meant.
  const candidates = parts.map((_, at) => parts.slice(0, at + 1).join("/"));
  const refs = await listRefs(spec.url, candidates, ports);
  for (const [at, candidate] of [...candidates.entries()].toReversed()) {
    const commit = commitOf(refs, candidate);
    if (commit !== undefined)
      return { spec: { ...rest, ref: candidate, ...pathFrom(parts, at + 1, rest.path) }, commit };
  }
  throw noRef(spec.url, refAndPath);
}

function pathFrom(
  parts: readonly string[],
  at: number,
  path: string | undefined,
): { readonly path?: string } {
  const below = [...parts.slice(at), ...(path === undefined ? [] : [path])].join("/");
  return below === "" ? {} : { path: below };
}

/** A tag object is peeled to its commit; a branch comes before a tag of its name. */
function commitOf(refs: ReadonlyMap<string, string>, ref: string): string | undefined {
  const full = ref.startsWith("refs/") ? (refs.get(`${ref}^{}`) ?? refs.get(ref)) : undefined;
  return (
    full ?? refs.get(`refs/heads/${ref}`) ?? refs.get(`refs/tags/${ref}^{}`) ?? refs.get(`refs/tags/${ref}`)
  );
}

async function listRefs(
  url: string,
  names: readonly string[],
  { git, signal }: Pick<SourcePorts, "git" | "signal">,
): Promise<ReadonlyMap<string, string>> {
  const patterns = names.flatMap((name) =>
    name.startsWith("refs/")
      ? [name, `${name}^{}`]
      : [`refs/heads/${name}`, `refs/tags/${name}`, `refs/tags/${name}^{}`],
  );
  const args = ["ls-remote", "--quiet", "--", url, ...(patterns.length === 0 ? ["HEAD"] : patterns)];
  const output = (await git({ args, remote: url, signal, maxBytes: 4 * 1024 * 1024 })).toString("utf8");
  const rows = output.split("\n").flatMap((line) => {
    const [, id, name] = /^([0-9a-f]{40,64})\t(.+)$/.exec(line) ?? [];
    return id === undefined || name === undefined ? [] : [[name, id] as const];
  });
  return new Map(rows);
}

function noRef(url: string, ref: string): SkillError {
  return new SkillError(
    "PATH_NOT_FOUND",
    `${url} has no branch or tag ${JSON.stringify(ref.slice(0, 120))}.`,
    {
      hint: "Name a branch, a tag or a full commit id that the repository has.",
      details: { url, ref: ref.slice(0, 120) },
    },
  );
}
