import {
  type Dependency,
  type DependencyState,
  dependencyState,
  formatNeed,
  type NeedCheck,
} from "@skillhold/core/dependency";
import type { Viewer } from "@skillhold/core/library";
import { checkDependencies, specsFor } from "@skillhold/deps/environment";
import { SkillError } from "@skillhold/protocol/error";
import { noSkill, skillIdOf } from "../skill/skill-key.ts";
import type { DependencyContext } from "./dependency-context.ts";
import { surveyVisible } from "./install-target.ts";
import type { Survey } from "./shared-survey.ts";
import { checkRequestOf, findStored } from "./stored-skill.ts";

/** The dependencies of a skill, as a client sees them. */
export interface NeedView {
  readonly skill: string;
  readonly state: Pick<DependencyState, "state" | "missing" | "unknown" | "warnings">;
  readonly needs: readonly Need[];
}

interface Need extends Pick<Dependency, "name" | "kind" | "optional" | "declared" | "seen"> {
  readonly status: NeedCheck["answer"];
  readonly install?: string;
}

export interface NeedRequest {
  readonly viewer: Viewer;
  readonly isAdmin: boolean;
  readonly signal: AbortSignal;
}

/** The dependencies of a skill and their status. Throws SKILL_NOT_FOUND unless the caller sees the skill or is an administrator. */
export async function describeNeeds(
  key: string,
  { viewer, isAdmin, signal }: NeedRequest,
  context: DependencyContext,
): Promise<NeedView> {
  const id = await skillIdOf(key, context);
  const entry = await context.library.find(viewer, id);
  if (entry === undefined && !isAdmin) throw noSkill(key);
  const hash = entry?.treeHash;
  const survey = async (): Promise<Survey> => {
    try {
      return await surveyVisible(id, viewer, context);
    } catch (error) {
      if (!(error instanceof SkillError) || error.code !== "SKILL_NOT_FOUND") throw error;
      const stored = isAdmin ? await surveyStored(id, context) : undefined;
      if (stored === undefined) throw noSkill(key);
      return stored;
    }
  };
  const sharedKey = hash === undefined ? undefined : `${isAdmin} ${id} ${hash}`;
  const { manifest, checks, state } = await context.work.surveys.get(sharedKey, survey, signal);
  const ways = manifest.ways ?? [];
  const needs = manifest.dependencies.map((dependency, at): Need => {
    const { name, kind, optional, declared, seen } = dependency;
    const status = checks[at]?.answer ?? "unknown";
    const [install] = specsFor([formatNeed(dependency)], ways, context.dependencies.host);
    const isInstallable = status === "missing" && install !== undefined;
    return { name, kind, optional, declared, seen, status, ...(isInstallable ? { install } : {}) };
  });
  const { missing, unknown, warnings } = state;
  return { skill: id, state: { state: state.state, missing, unknown, warnings }, needs };
}

async function surveyStored(id: string, context: DependencyContext): Promise<Survey | undefined> {
  const stored = await findStored(id, context);
  if (stored === undefined) return undefined;
  const [result] = await checkDependencies([await checkRequestOf(stored, context)], context.dependencies);
  const checks = result?.checks ?? [];
  return { manifest: stored.revision.manifest, checks, state: dependencyState(checks, { path: "publish" }) };
}
