import { shortPath } from "@skillhold/host/place";
import { errorTable, SkillError } from "@skillhold/protocol/error";
import {
  type Applied,
  describePlan,
  type InstallPlan,
  mergeConflict,
  type PrepareFailure,
} from "@skillhold/registry/install";
import { type ExitCode, type Io, plain } from "../terminal/output.ts";
import type { InstallSession } from "./install-session.ts";
import type { Proposal } from "./preview.ts";

/** What became of one skill. */
export type InstallResult = Applied | InstallFailure;

export interface InstallFailure {
  readonly id: string;
  readonly status: "failed";
  readonly error: { readonly code: SkillError["code"]; readonly message: string; readonly hint: string };
  /** Of a merge: both sides of each file. */
  readonly conflicts?: unknown;
  /** The proposal that a merge conflict opened. */
  readonly proposal?: string;
}

/** A failure of one skill, which holds up no other. */
export function asInstallFailure(id: string, error: unknown): InstallFailure {
  if (!(error instanceof SkillError) || error.code === "INTERRUPTED" || error.code === "STORE_FAILED")
    throw error;
  const { code, message, hint, details } = error;
  const conflicts = details["conflicts"];
  return {
    id,
    status: "failed",
    error: { code, message, hint },
    ...(conflicts === undefined ? {} : { conflicts }),
  };
}

export function preparationFailure({ name, path, error }: PrepareFailure): InstallFailure {
  return asInstallFailure(name || path, error);
}

/** Puts a planned skill in place; the content of the source is kept first, so that its edits can be merged later. */
export async function applyProposal(
  { prepared, plan }: Proposal,
  { target, bases }: InstallSession,
  isDryRun: boolean,
): Promise<InstallResult> {
  const { staged } = prepared;
  try {
    if (plan.kind === "conflict") throw mergeConflict(plan.id, plan.conflicts);
    if (plan.kind === "unchanged") {
      const links = isDryRun ? [] : await target.link(plan.id);
      return { id: plan.id, status: "unchanged", treeHash: staged.treeHash, links, warnings: [] };
    }
    if (!isDryRun) await bases.keep(staged.treeHash, staged.files);
    return await target.apply(plan.change);
  } catch (error) {
    return asInstallFailure(staged.id, error);
  }
}

export function printResults(io: Io, results: readonly InstallResult[], isDryRun: boolean): void {
  for (const result of results) {
    if (result.status === "failed") {
      io.err(`${plain(`${result.id}: ${result.error.code}: ${result.error.message}`)}\n`);
      io.err(`  fix: ${plain(result.error.hint)}\n`);
      printConflicts(io, result);
      continue;
    }
    const where =
      result.folder === undefined
        ? ` as revision ${result.revision ?? ""}`
        : ` in ${shortPath(io, result.folder)}`;
    const place = result.status === "unchanged" ? "" : where;
    io.out(
      `${result.id}: ${isDryRun && result.status !== "unchanged" ? "would be " : ""}${result.status}${place}\n`,
    );
    for (const warning of result.warnings) io.err(`  note: ${plain(warning)}\n`);
  }
}

function printConflicts(io: Io, { conflicts }: InstallFailure): void {
  if (!Array.isArray(conflicts)) return;
  for (const each of conflicts as Extract<InstallPlan, { readonly kind: "conflict" }>["conflicts"])
    if (each.text !== undefined) io.err(`--- ${plain(each.path)}\n${plain(each.text)}`);
}

export function exitOfInstall(results: readonly InstallResult[]): ExitCode {
  const failed = results.find((result) => result.status === "failed");
  return failed?.status === "failed" ? errorTable[failed.error.code].exit : 0;
}

/** What a program reads of a preview. */
export function describeProposal({ prepared, plan }: Proposal): object {
  return describePlan(prepared, plan);
}
