import type { Library, Viewer } from "@skillhold/core/library";
import type { Sandbox } from "@skillhold/core/run";
import type { Limits } from "@skillhold/protocol";
import { findRuntime } from "@skillhold/sandbox/backend";
import { dependencyWarnings } from "./dependency-warning.ts";
import { environmentHome } from "./environment-folder.ts";
import { runEnvironment } from "./run-environment.ts";
import type { SkillEnvironment } from "./skill-environment.ts";
import type { ManifestPorts } from "./skill-manifest.ts";
import { copySubject } from "./survey-subject.ts";

export interface EnvironmentRunPorts extends Pick<ManifestPorts, "cache" | "scan"> {
  readonly sandbox: Sandbox;
  readonly limits: Limits;
}

/** What makes the packages that were installed below a data folder part of runs, and tells agents what is missing. */
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
