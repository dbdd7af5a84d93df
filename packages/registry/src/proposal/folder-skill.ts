import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { combineDigests } from "@skillhold/core/bundle";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { replaceFolder } from "../exchange/replace-folder.ts";
import { recoverSwaps } from "../exchange/swap-folder.ts";
import { isStill, readTargetState } from "../exchange/target-folder.ts";
import type { Proposal } from "../record/proposal.ts";
import type { RegistryReader } from "../record/registry-store.ts";
import type { StagedFile } from "../record/staged-skill.ts";

/** The tree hash of a folder without files: the base of a new skill in a folder. */
export const emptyTree: Digest = combineDigests([]);

/** The tree hash of a skill's folder now, where it is one of `known`; undefined for any other content. */
export async function findFolderHash(
  folder: string,
  known: readonly Digest[],
  limits: Limits,
): Promise<Digest | undefined> {
  const state = await readTargetState(folder, { known, paths: [] }, undefined, limits);
  if (state.kind === "absent") return known.find((each) => each === emptyTree);
  return state.kind === "known" ? state.treeHash : undefined;
}

const PAGE = 100;

/**
 * Puts folders back that a killed process had moved aside while it applied a proposal. Such a proposal is still approved, so
 * only places that a reviewer agreed to are looked at.
 */
export async function recoverFolders(store: RegistryReader): Promise<void> {
  let after: Proposal | undefined;
  const parents = new Set<string>();
  for (;;) {
    const page = await store.listProposals({ states: ["approved"], limit: PAGE, after });
    for (const { folder } of page) if (folder !== undefined) parents.add(dirname(folder));
    after = page.at(-1);
    if (page.length < PAGE) break;
  }
  for (const parent of parents) recoverSwaps(parent);
}

/**
 * Writes the candidate over a folder that still has the base content, all of it or no file. A folder that already has the
 * candidate stays as it is, so a repeated call after a crash has no further effect. Returns false for any other content.
 */
export async function writeFolder(
  folder: string,
  base: Digest,
  candidate: { readonly hash: Digest; readonly files: readonly StagedFile[] },
  limits: Limits,
): Promise<boolean> {
  // A process that was killed between two renames leaves the folder beside its place.
  recoverSwaps(dirname(folder));
  rejectForeignFolder(folder);
  const paths = candidate.files.map(({ path }) => path);
  const state = await readTargetState(folder, { known: [base, candidate.hash], paths }, undefined, limits);
  const isNew = state.kind === "absent" && base === emptyTree;
  if (state.kind !== "known" && !isNew) return false;
  if (state.kind === "known" && state.treeHash === candidate.hash) return true;
  await replaceFolder(folder, candidate.files, {
    extras: state.kind === "known" ? state.extras : [],
    isExpected: (old) => isStill(state, old, limits),
  });
  return true;
}

/** A process writes only to folders of its own user. */
function rejectForeignFolder(folder: string): void {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  const own = process.getuid?.();
  if (stats?.isDirectory() === true && (own === undefined || stats.uid === own)) return;
  const reason = stats === undefined ? "does not exist" : "belongs to another user or is a link";
  throw new SkillError("POLICY_DENIED", `The folder ${folder} ${reason}, so the proposal is not applied.`, {
    hint: "Apply the proposal as the user who owns the folder.",
    details: { path: folder },
  });
}
