import { combineDigests } from "@skillhold/core/bundle";
import { SkillError } from "@skillhold/protocol/error";
import type { StagedFile } from "../record/staged-skill.ts";
import { resolveRef } from "./git/git-source.ts";
import { type InstallPlan, type PlanContext, planInstall } from "./plan.ts";
import { type PrepareContext, type Prepared, prepareInstall } from "./prepare.ts";
import { resolveSource } from "./resolve-source.ts";
import { readSource } from "./source-grammar.ts";
import type { SourceSpec } from "./source-spec.ts";
import type { Installed, InstallRecord } from "./target.ts";

/** What there is to update of one installed skill. */
export type UpdateCheck =
  | { readonly kind: "current"; readonly id: string; readonly isEdited: boolean }
  | { readonly kind: "pinned"; readonly id: string }
  /** Released too short a time ago. */
  | { readonly kind: "waiting"; readonly id: string; readonly until: string; readonly prepared: Prepared }
  | {
      readonly kind: "outdated";
      readonly id: string;
      readonly prepared: Prepared;
      readonly plan: InstallPlan;
    };

export interface UpdateOptions {
  /** The minimum age of a release, unless a trusted key signed it. */
  readonly minAgeMs: number;
  /** Accepts younger releases too. */
  readonly isNow?: boolean;
}

export const DEFAULT_MIN_AGE_MS = 3 * 86_400_000;

/** Looks for a newer version of a skill at its source. Writes only the first-seen times. */
export async function checkUpdate(
  installed: Installed,
  options: UpdateOptions,
  context: PrepareContext & PlanContext,
): Promise<UpdateCheck> {
  const { id, installed: record } = installed;
  if (record.isPinned) return { kind: "pinned", id };
  const isEdited = installed.treeHash !== record.upstream;
  const spec = readSource(record.spec);
  if (await isSameCommit(spec, record, context)) return { kind: "current", id, isEdited };
  const prepared = await prepareLatest(installed, spec, context);
  const full = { ...context, refetch: (each: InstallRecord) => refetchBase(id, each, context) };
  const plan = await planInstall(prepared, full);
  if (plan.kind === "unchanged") return { kind: "current", id, isEdited };
  const until = cooldownEnd(prepared, options);
  if (until !== undefined && until > context.clock.now() && options.isNow !== true)
    return { kind: "waiting", id, until: until.toISOString(), prepared };
  return { kind: "outdated", id, prepared, plan };
}

/** One question to the server, before anything is fetched. */
async function isSameCommit(
  spec: SourceSpec,
  { commit }: InstallRecord,
  { ports }: PrepareContext,
): Promise<boolean> {
  if (spec.kind !== "git" || commit === undefined) return false;
  return (await resolveRef(spec, ports)).commit === commit;
}

async function prepareLatest(
  installed: Installed,
  spec: SourceSpec,
  context: PrepareContext,
): Promise<Prepared> {
  const { id, installed: record } = installed;
  const resolved = await resolveSource(spec, context.ports);
  const { prepared, failures } = await prepareInstall(
    resolved,
    { names: namesFor(spec, record, id), id },
    context,
  );
  const [failure] = failures;
  if (failure !== undefined) throw failure.error;
  const found = prepared.find(({ origin }) => origin.path === record.path) ?? prepared[0];
  if (found !== undefined && (prepared.length === 1 || found.origin.path === record.path)) return found;
  throw new SkillError("SKILL_NOT_FOUND", `The source of ${id} has it no more.`, {
    hint: "Remove the skill, or pin it to keep it as it is.",
    details: { id },
  });
}

/** A source of several skills is asked for the one by its place in it. */
function namesFor(spec: SourceSpec, { path }: InstallRecord, id: string): readonly string[] {
  if (path === undefined) return [];
  if (spec.kind === "git" && spec.path === path) return [];
  return [spec.kind === "marketplace" ? (path.split("/").at(-1) ?? id) : path];
}

/** When a release is old enough; undefined for content that does not wait, such as the user's own. */
export function cooldownEnd(
  { firstSeen, origin, signature }: Prepared,
  { minAgeMs }: Pick<UpdateOptions, "minAgeMs">,
): Date | undefined {
  const isOwn = origin.source === "folder" || origin.source === "archive";
  if (isOwn || signature.status === "verified" || minAgeMs <= 0) return undefined;
  return new Date(Date.parse(firstSeen) + minAgeMs);
}

/** The version that was installed, asked for by what pins it; undefined where the source cannot say. */
export async function refetchBase(
  id: string,
  record: InstallRecord,
  context: PrepareContext,
): Promise<readonly StagedFile[] | undefined> {
  const spec = exactSpec(readSource(record.spec), record);
  if (spec === undefined) return undefined;
  try {
    const resolved = await resolveSource(spec, context.ports);
    const { prepared } = await prepareInstall(resolved, { names: namesFor(spec, record, id), id }, context);
    return prepared
      .map(({ staged }) => staged.files)
      .find((files) => combineDigests(files) === record.upstream);
  } catch (error) {
    // The source has that version no more: there is no base.
    if (error instanceof SkillError && error.code !== "INTERRUPTED") return undefined;
    throw error;
  }
}

/** The source at the version of a record; undefined where it has no name for it. */
export function exactSpec(
  spec: SourceSpec,
  { commit, release, path }: InstallRecord,
): SourceSpec | undefined {
  switch (spec.kind) {
    case "git": {
      const { refAndPath: _, ...rest } = spec;
      return commit === undefined
        ? undefined
        : { ...rest, ref: commit, ...(path === undefined ? {} : { path }) };
    }
    case "clawhub":
      return release === undefined ? undefined : { ...spec, version: release };
    case "npm":
      return release === undefined ? undefined : { ...spec, range: release };
    case "gateway":
      return release === undefined ? undefined : { ...spec, revision: Number(release) };
    case "marketplace":
    case "local":
    case "index":
    case "download":
    case "skills-sh":
    case "oci":
      return undefined;
  }
}
