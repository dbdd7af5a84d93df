import {
  type DependencyManifest,
  type DependencyState,
  dependencyState,
  type EffectOptions,
  type NeedCheck,
} from "@skillhold/core/dependency";
import { CHECK_BATCH, type CheckPorts, type CheckRequest, checkDependencies } from "./checker.ts";
import { environmentOf } from "./run-environment.ts";
import type { SkillEnvironment } from "./skill-environment.ts";
import { type ManifestPorts, type ManifestSubject, readManifest } from "./skill-manifest.ts";

/** What is known of a skill's dependencies: what it needs, what of it is there, and what follows. */
export interface DependencySurvey {
  readonly id: string;
  readonly manifest: DependencyManifest;
  /** One for each dependency of the manifest, in their order. */
  readonly checks: readonly NeedCheck[];
  readonly state: DependencyState;
  /** What its runs get. */
  readonly environment?: SkillEnvironment;
}

export interface SurveyPorts extends CheckPorts, ManifestPorts {
  /** The folder for environments: `environmentHome`. Without it no skill has one. */
  readonly home?: string;
}

export interface SurveyOptions {
  readonly effect?: EffectOptions;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Scans and checks skills. A bundle that cannot be opened throws, and so does a call that was called off. */
export async function surveyDependencies(
  subjects: readonly ManifestSubject[],
  ports: SurveyPorts,
  { effect = { path: "folder" }, onProgress }: SurveyOptions = {},
): Promise<readonly DependencySurvey[]> {
  const surveys: DependencySurvey[] = [];
  for (let start = 0; start < subjects.length; start += CHECK_BATCH) {
    const prepared: Prepared[] = [];
    for (const subject of subjects.slice(start, start + CHECK_BATCH)) {
      ports.signal?.throwIfAborted();
      prepared.push(await prepareCheck(subject, ports));
      onProgress?.(start + prepared.length, subjects.length);
    }
    const results = await checkDependencies(
      prepared.map(({ request }) => request),
      ports,
    );
    for (const [at, { request, manifest, environment }] of prepared.entries()) {
      const checks = results[at]?.checks ?? [];
      const state = dependencyState(checks, effect);
      const found = environment === undefined ? {} : { environment };
      surveys.push({ id: request.id, manifest, checks, state, ...found });
    }
  }
  return surveys;
}

/** A skill that was scanned, and what is to be asked for it. */
export interface Prepared {
  readonly request: CheckRequest;
  readonly manifest: DependencyManifest;
  readonly environment: SkillEnvironment | undefined;
}

/** Scans a skill and finds its environment: what a check in the background prepares, too. */
export async function prepareCheck(subject: ManifestSubject, ports: SurveyPorts): Promise<Prepared> {
  const { id, treeHash } = subject;
  const manifest = await readManifest(subject, ports);
  const { home, findRuntime } = ports;
  const needs = manifest.dependencies;
  const environment =
    home === undefined ? undefined : await environmentOf({ skill: id, needs }, { home, findRuntime });
  const request: CheckRequest = {
    id,
    folder: async () => (await subject.open()).root,
    needs,
    ...(treeHash === undefined ? {} : { content: treeHash }),
    ...(environment === undefined ? {} : { environment: environment.folder }),
  };
  return { request, manifest, environment };
}
