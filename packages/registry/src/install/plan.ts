import type { PathChange } from "@skillhold/core/session";
import { SkillError } from "@skillhold/protocol/error";
import type { StagedFile } from "../record/staged-skill.ts";
import { stageFiles } from "../release/stage.ts";
import { listChanges } from "../release/tree-change.ts";
import type { BaseStore } from "./install-state.ts";
import { type MergeConflict, mergeTrees } from "./merge.ts";
import type { Prepared } from "./prepare.ts";
import type { SourcePorts } from "./source.ts";
import type { InstallChange, InstallRecord, InstallTarget, Occupied } from "./target.ts";

/** The planned effect of installing a prepared skill into a target. Planning does not change the target. */
export type InstallPlan =
  | {
      readonly kind: "apply";
      readonly action: "install" | "update" | "merge" | "replace";
      readonly id: string;
      readonly change: InstallChange;
      /** Files that differ from the target. */
      readonly changes: readonly PathChange[];
      /** Changes that need a new confirmation, in plain words. */
      readonly concerns: readonly string[];
    }
  | {
      readonly kind: "unchanged";
      readonly id: string;
      readonly isEdited: boolean;
      readonly change: InstallChange;
    }
  | {
      readonly kind: "conflict";
      readonly id: string;
      readonly conflicts: readonly MergeConflict[];
      readonly before: Occupied;
      /** The merge with the source's side where both changed. */
      readonly theirs: readonly StagedFile[];
    };

export interface PlanContext {
  readonly target: InstallTarget;
  /** Where the content of the last install is looked for. */
  readonly bases: readonly Pick<BaseStore, "find">[];
  readonly ports: SourcePorts;
  /** Whether a skill may be replaced that was not installed from this source. */
  readonly isReplacing?: boolean;
  /** Fetches the content of the last install once more, where no base is kept. */
  readonly refetch?: (record: InstallRecord) => Promise<readonly StagedFile[] | undefined>;
}

export async function planInstall(prepared: Prepared, context: PlanContext): Promise<InstallPlan> {
  const { staged, origin, signature, firstSeen } = prepared;
  const before = await context.target.find(staged.id);
  const signer = signature.status === "verified" ? signature.signer : undefined;
  const change: InstallChange = { staged, origin, signer, firstSeen, upstream: staged.treeHash, before };
  if (before === undefined) return asPlan("install", change, []);
  const record = before.installed;
  if (record === undefined) return planOver(change, before, context);
  if (record.upstream === staged.treeHash)
    return { kind: "unchanged", id: staged.id, isEdited: before.treeHash !== record.upstream, change };
  const concerns = concernsOf(record, change);
  if (before.treeHash === record.upstream) return asPlan("update", change, concerns, await before.files());
  if (before.treeHash === staged.treeHash) return asPlan("update", change, concerns, await before.files());
  return await planMerge(change, before, record, concerns, context);
}

/** Over a skill that no source is known of. */
async function planOver(
  change: InstallChange,
  before: Occupied,
  { isReplacing }: PlanContext,
): Promise<InstallPlan> {
  const { id, treeHash } = change.staged;
  if (before.treeHash === treeHash) return asPlan("update", change, []);
  if (isReplacing === true) return asPlan("replace", change, [], await before.files());
  throw new SkillError("CONFLICT", `There is a skill ${id} already that was not installed from a source.`, {
    hint: "Install it under another name with --id, or replace the one that is there with --replace.",
    details: { id },
  });
}

function asPlan(
  action: "install" | "update" | "merge" | "replace",
  change: InstallChange,
  concerns: readonly string[],
  files: readonly StagedFile[] = [],
): InstallPlan {
  const changes = listChanges(files, change.staged.files);
  return { kind: "apply", action, id: change.staged.id, change, changes, concerns };
}

/** Changes that an earlier yes does not cover. */
function concernsOf(record: InstallRecord, { origin, signer }: InstallChange): readonly string[] {
  const concerns: string[] = [];
  if (
    record.publisher !== undefined &&
    origin.publisher !== undefined &&
    record.publisher !== origin.publisher
  )
    concerns.push(`The publisher was ${record.publisher} and is ${origin.publisher} now.`);
  if (record.signer !== undefined && signer === undefined)
    concerns.push(`The last version was signed by ${record.signer}, and this one has no trusted signature.`);
  if (record.signer !== undefined && signer !== undefined && record.signer !== signer)
    concerns.push(`The signer was ${record.signer} and is ${signer} now.`);
  return concerns;
}

async function planMerge(
  change: InstallChange,
  before: Occupied,
  record: InstallRecord,
  concerns: readonly string[],
  context: PlanContext,
): Promise<InstallPlan> {
  const { staged } = change;
  const base = await findBase(record, context);
  if (base === undefined)
    throw new SkillError(
      "CONFLICT",
      `${staged.id} was edited, and the version it was installed from is not available. The skill was left as it is.`,
      { hint: "Move your edits away and install it again, then put them back.", details: { id: staged.id } },
    );
  const ours = await before.files();
  const merge = mergeTrees(base, ours, staged.files);
  if (merge.kind === "conflict") return { ...merge, id: staged.id, before };
  const { limits, signal } = context.ports;
  // The merged files are a skill of their own, and are checked as one.
  const merged = await stageFiles(merge.files, { id: staged.id, signal }, limits);
  return asPlan("merge", { ...change, staged: merged }, concerns, ours);
}

async function findBase(
  record: InstallRecord,
  { bases, refetch }: PlanContext,
): Promise<readonly StagedFile[] | undefined> {
  for (const each of bases) {
    const found = await each.find(record.upstream);
    if (found !== undefined) return found;
  }
  return await refetch?.(record);
}

/** The failure for a conflict, which shows both sides. */
export function mergeConflict(id: string, conflicts: readonly MergeConflict[]): SkillError {
  const named = conflicts.map(({ path, reason }) => `${path} (${reason})`).join(", ");
  return new SkillError(
    "CONFLICT",
    `The update of ${id} conflicts with your edits: ${named}. Nothing was changed.`,
    {
      hint: "Edit the files that the message names so that both changes fit, and update again.",
      details: { id, conflicts },
    },
  );
}
