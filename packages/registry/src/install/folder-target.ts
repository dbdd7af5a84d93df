import { existsSync, lstatSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { combineDigests } from "@skillhold/core/bundle";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { rejectUnwritable } from "../exchange/export-lock.ts";
import { makeFolder } from "../exchange/make-folder.ts";
import { removeFolder, replaceFolder } from "../exchange/replace-folder.ts";
import { recoverSwaps } from "../exchange/swap-folder.ts";
import { isStill, readTargetState } from "../exchange/target-folder.ts";
import type { StagedFile } from "../record/staged-skill.ts";
import { readBundle } from "../release/read-bundle.ts";
import type { BaseStore } from "./install-state.ts";
import { fromLockEntry, toLockEntry } from "./lock-entry.ts";
import type { SkillLock } from "./skill-lock.ts";
import {
  type Applied,
  changedDuringInstall,
  type InstallChange,
  type Installed,
  type InstallTarget,
  type Occupied,
  statusOf,
} from "./target.ts";

export interface FolderTargetOptions {
  /** The folder of the skills, such as `.agents/skills` of a project. */
  readonly folder: string;
  /** Folders of agents that are linked to it, or get a copy. */
  readonly agents: readonly string[];
  readonly isCopied: boolean;
  readonly lock: SkillLock;
  readonly bases: BaseStore;
  readonly isDryRun?: boolean;
  readonly limits: Limits;
}

/** A folder that agents read, with a lock that says where each skill came from. */
export function folderTarget(options: FolderTargetOptions): InstallTarget {
  const { folder, agents, lock, isDryRun = false } = options;
  // A killed process may have left a skill between its old and its new content.
  if (!isDryRun) for (const each of new Set([folder, ...agents, dirname(lock.file)])) recoverSwaps(each);
  const find = (id: string) => findOccupied(id, options);
  return {
    name: folder,
    find,
    list: async () => {
      const found: Installed[] = [];
      for (const id of Object.keys(lock.read()).sort()) {
        const occupied = await find(id);
        if (occupied?.installed !== undefined) found.push({ ...occupied, installed: occupied.installed });
      }
      return found;
    },
    apply: async (change) => await apply(change, options),
    link: async (id) => await linkAgents(id, undefined, options),
    remove: async (id, { isForced }) => await remove(id, isForced, options),
    setPinned: async (id, isPinned) => {
      const entry = lock.read()[id];
      if (entry?.skillhold === undefined) throw notInstalled(id, folder);
      const { pinned: _, ...ours } = entry.skillhold;
      lock.record(id, { ...entry, skillhold: isPinned ? { ...ours, pinned: true } : ours });
    },
  };
}

/** Contract: ids are checked before they come here, so that one is a plain name of a folder. */
async function findOccupied(
  id: string,
  { folder, lock, limits }: FolderTargetOptions,
): Promise<Occupied | undefined> {
  const place = join(folder, id);
  if (!/^[\w.-]+$/.test(id) || id.startsWith(".") || !existsSync(place)) return undefined;
  const entries = lock.read();
  const installed = Object.hasOwn(entries, id) ? fromLockEntry(entries[id] ?? {}) : undefined;
  const files = async () => await readFiles(place, limits);
  return { id, treeHash: combineDigests(await files()), installed, files, folder: place };
}

async function readFiles(place: string, limits: Limits): Promise<readonly StagedFile[]> {
  return (await readBundle(place, { within: place, allowHardLinks: true }, limits)).files;
}

async function apply(change: InstallChange, options: FolderTargetOptions): Promise<Applied> {
  const { staged, upstream, before } = change;
  const { folder, lock, isDryRun = false, limits } = options;
  const place = join(folder, staged.id);
  const wanted = {
    known: before === undefined ? [] : [before.treeHash],
    paths: staged.files.map(({ path }) => path),
  };
  const state = await readTargetState(place, wanted, undefined, limits);
  if (state.kind === "foreign" || (before !== undefined && state.kind === "absent"))
    throw changedDuringInstall(staged.id);
  const isSame = before?.treeHash === staged.treeHash;
  const status = statusOf(isSame ? "unchanged" : "published", staged.treeHash, upstream, before);
  const base = { id: staged.id, status, treeHash: staged.treeHash, folder: place, warnings: [] };
  if (isDryRun) return base;
  makeFolder(folder);
  rejectUnwritable(lock.file);
  if (!isSame) {
    const extras = state.kind === "known" ? state.extras : [];
    await replaceFolder(place, staged.files, { extras, isExpected: (old) => isStill(state, old, limits) });
  }
  if (change.isRecorded !== true)
    lock.record(staged.id, toLockEntry(change, before?.installed?.isPinned === true));
  return { ...base, links: await linkAgents(staged.id, before, options) };
}

async function linkAgents(
  id: string,
  before: Occupied | undefined,
  { folder, agents, isCopied, isDryRun = false, limits }: FolderTargetOptions,
): Promise<readonly string[]> {
  if (isDryRun || agents.length === 0) return [];
  const place = join(folder, id);
  const files = await readFiles(place, limits);
  const links: string[] = [];
  for (const agent of agents)
    links.push(await linkAgent(agent, place, files, { id, isCopied, before, limits }));
  return links;
}

interface LinkOptions {
  readonly id: string;
  readonly isCopied: boolean;
  readonly before: Occupied | undefined;
  readonly limits: Limits;
}

/** Makes an agent's folder lead to the skill: by a relative link, or by a copy. */
async function linkAgent(
  agent: string,
  place: string,
  files: readonly StagedFile[],
  { id, isCopied, before, limits }: LinkOptions,
): Promise<string> {
  const link = join(agent, id);
  if (link === place) return link;
  makeFolder(agent);
  const target = relative(agent, place);
  const stats = lstatSync(link, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink() === true) {
    if (!isCopied && readlinkSync(link) === target) return link;
    throw occupied(link);
  }
  if (!isCopied && stats === undefined) {
    symlinkSync(target, link, "dir");
    return link;
  }
  const known: readonly Digest[] = [
    combineDigests(files),
    ...(before === undefined ? [] : [before.treeHash]),
  ];
  const state = await readTargetState(
    link,
    { known, paths: files.map(({ path }) => path) },
    undefined,
    limits,
  );
  if (state.kind === "foreign") throw occupied(link);
  if (state.kind === "known" && state.treeHash === known[0]) return link;
  const extras = state.kind === "known" ? state.extras : [];
  await replaceFolder(link, files, { extras, isExpected: (old) => isStill(state, old, limits) });
  return link;
}

function occupied(path: string): SkillError {
  return new SkillError("CONFLICT", `${path} is not from this install and was left as it is.`, {
    hint: "Move it away, or install for another agent.",
    details: { path },
  });
}

async function remove(id: string, isForced: boolean, options: FolderTargetOptions): Promise<void> {
  const { folder, agents, lock, isDryRun = false } = options;
  const entry = lock.read()[id];
  if (entry === undefined) throw notInstalled(id, folder);
  const found = await findOccupied(id, options);
  if (found === undefined) {
    if (!isDryRun) lock.forget(id);
    return;
  }
  const recorded = entry.skillhold?.treeHash;
  if (!isForced && found.treeHash !== recorded)
    throw new SkillError(
      "CONFLICT",
      `${id} was edited since it was installed. The skill was left as it is.`,
      {
        hint: "Keep your edits by publishing them, or remove it with --force.",
        details: { id },
      },
    );
  if (isDryRun) return;
  const place = join(folder, id);
  for (const agent of agents) {
    const link = join(agent, id);
    const stats = lstatSync(link, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink() === true && readlinkSync(link) === relative(agent, place)) rmSync(link);
  }
  lock.forget(id);
  removeFolder(place);
}

function notInstalled(id: string, folder: string): SkillError {
  return new SkillError("SKILL_NOT_FOUND", `${id} was not installed into ${folder}.`, {
    hint: "`skillhold outdated` lists what was installed.",
    details: { id },
  });
}
