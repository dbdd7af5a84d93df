import {
  type DependencyManifest,
  type DependencyState,
  dependencyState,
  type EffectOptions,
  type NeedCheck,
} from "@skillhold/core/dependency";
import type { Library, Viewer } from "@skillhold/core/library";
import type { Sandbox } from "@skillhold/core/run";
import type { Limits } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { findRuntime } from "@skillhold/sandbox/backend";
import { CHECK_BATCH, type CheckPorts, type CheckRequest, checkDependencies } from "./checker.ts";
import { environmentHome } from "./environment-folder.ts";
import { environmentOf, runEnvironment } from "./run-environment.ts";
import type { SkillEnvironment } from "./skill-environment.ts";
import { type ManifestPorts, type ManifestSubject, readDependencyManifest } from "./skill-manifest.ts";
import { copySubject, withLibrarySubject } from "./survey-subject.ts";

/** The dependencies of a skill, their checks and the resulting state. */
export interface DependencySurvey {
  readonly id: string;
  readonly manifest: DependencyManifest;
  /** One check per dependency of the manifest, in the same order. */
  readonly checks: readonly NeedCheck[];
  readonly state: DependencyState;
  /** The environment for the skill's runs. */
  readonly environment?: SkillEnvironment;
}

export interface SurveyPorts extends CheckPorts, ManifestPorts {
  /** The folder that `environmentHome` returns. Without it, skills have no environment. */
  readonly home?: string;
}

export interface SurveyOptions {
  readonly effect?: EffectOptions;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Scans and checks skills. Throws when a bundle cannot be opened or the signal aborts. */
export async function surveyDependencies(
  subjects: readonly ManifestSubject[],
  ports: SurveyPorts,
  { effect, onProgress }: SurveyOptions = {},
): Promise<readonly DependencySurvey[]> {
  const options = effect ?? { path: "folder", canInstall: await canInstall(ports) };
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
      const state = dependencyState(checks, options);
      const found = environment === undefined ? {} : { environment };
      surveys.push({ id: request.id, manifest, checks, state, ...found });
    }
  }
  return surveys;
}

/** Whether packages can be installed here: only into environments, which need a home, and only in a sandbox. */
export async function canInstall({ home, sandbox }: Pick<SurveyPorts, "home" | "sandbox">): Promise<boolean> {
  return home !== undefined && (await sandbox.probe()).isAvailable;
}

/** A scanned skill and its check request. */
export interface Prepared {
  readonly request: CheckRequest;
  readonly manifest: DependencyManifest;
  readonly environment: SkillEnvironment | undefined;
}

/** Scans a skill and finds its environment. Background checks use this too. */
export async function prepareCheck(subject: ManifestSubject, ports: SurveyPorts): Promise<Prepared> {
  const { id, treeHash } = subject;
  const manifest = await readDependencyManifest(subject, ports);
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

/**
 * Returns the warnings for an agent that reads a skill: the missing required dependencies and how to install
 * them. Empty when all are present or the check fails, because a skill stays readable.
 */
export async function dependencyWarnings(
  library: Pick<Library, "read" | "copy">,
  viewer: Viewer,
  id: string,
  ports: SurveyPorts,
): Promise<readonly string[]> {
  try {
    return await withLibrarySubject(library, viewer, id, async (subject) => {
      const [survey] = await surveyDependencies([subject], ports);
      return survey === undefined ? [] : warningsOf(subject.id, survey.state);
    });
  } catch (error) {
    if (error instanceof SkillError && ports.signal?.aborted !== true) return [];
    throw error;
  }
}

/** The warnings for a known state. */
export function warningsOf(id: string, { missing, isUnsupported }: DependencyState): readonly string[] {
  if (missing.length === 0) return [];
  const advice =
    isUnsupported === true
      ? "Packages cannot be installed on this machine."
      : `\`skillhold deps install ${id}\` installs them.`;
  return [`Missing: ${missing.join(", ")}. ${advice}`];
}

export interface EnvironmentRunPorts extends Pick<ManifestPorts, "cache" | "scan"> {
  readonly sandbox: Sandbox;
  readonly limits: Limits;
}

/** Adds the packages installed below a data folder to runs, and warns agents about missing ones. */
export interface EnvironmentRuns {
  environment(copy: {
    readonly id: string;
    readonly treeHash: string;
    readonly folder: string;
  }): Promise<SkillEnvironment | undefined>;
  warnings(library: Library, viewer: Viewer, id: string): Promise<readonly string[]>;
}

export function environmentRuns(data: string, ports: EnvironmentRunPorts): EnvironmentRuns {
  let home: Promise<string> | undefined;
  const findHome = (): Promise<string> => {
    home ??= environmentHome(data);
    return home;
  };
  return {
    environment: async (copy) =>
      await runEnvironment(copySubject(copy, copy.folder), { ...ports, home: await findHome(), findRuntime }),
    warnings: async (library, viewer, id) =>
      await dependencyWarnings(library, viewer, id, { ...ports, home: await findHome(), findRuntime }),
  };
}
