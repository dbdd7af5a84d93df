import {
  cacheRuntimes,
  type DependencySurvey,
  environmentHome,
  folderSubject,
  type ManifestSubject,
  type SurveyPorts,
  surveyDependencies,
} from "@skillhold/deps/environment";
import { cacheFile, dataFolder, present, systemCode } from "@skillhold/host/place";
import { chooseSandbox, guardPorts, missingHook } from "@skillhold/host/run";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import type { RegistryContext } from "@skillhold/registry/record";
import { guardHook } from "@skillhold/registry/release";
import { SqliteCache } from "@skillhold/store";
import type { CommandInput } from "./command.ts";
import { namedLimits, type SelectedSkill } from "./skill-selection.ts";
import type { Io } from "./terminal/output.ts";
import { openProgress } from "./terminal/progress.ts";

/** Opens the ports of a dependency survey. Results are cached between commands. */
export async function withSurvey<T>(
  { io, options }: Pick<CommandInput, "io" | "options">,
  use: (ports: SurveyPorts) => Promise<T>,
): Promise<T> {
  const file = options["cache"] === false ? undefined : cacheFile(io.env);
  const cache = file === undefined ? undefined : new SqliteCache(file);
  try {
    return await use({
      sandbox: chooseSandbox(io),
      findRuntime: cacheRuntimes(),
      limits: defaultLimits,
      signal: io.signal,
      ...present({ cache, home: await findHome(io) }),
    });
  } finally {
    cache?.close();
  }
}

/** Undefined without a writable data folder, where no environment can exist. */
async function findHome({ env }: Io): Promise<string | undefined> {
  try {
    return await environmentHome(dataFolder(env));
  } catch (error) {
    if (error instanceof SkillError || systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

/** The survey of one skill, or a message when the skill cannot be packed. */
export interface SurveyRow {
  readonly skill: SelectedSkill;
  readonly survey: DependencySurvey | string;
}

export async function surveyAll(
  skills: readonly SelectedSkill[],
  io: Io,
  ports: SurveyPorts,
): Promise<readonly SurveyRow[]> {
  const progress = openProgress(io, "checking", { afterMs: 400 });
  try {
    const opened = new Map<SelectedSkill, ManifestSubject | string>();
    for (const skill of skills) {
      progress.update(opened.size, skills.length, skill.path);
      opened.set(skill, await openSubject(skill, io));
    }
    const subjects = [...opened.values()].filter((subject) => typeof subject !== "string");
    const surveys = await surveyDependencies(subjects, ports, { onProgress: progress.update });
    const bySubject = new Map(subjects.map((subject, at) => [subject, surveys[at]]));
    return [...opened].flatMap(([skill, subject]) => {
      const survey = typeof subject === "string" ? subject : bySubject.get(subject);
      return survey === undefined ? [] : [{ skill, survey }];
    });
  } finally {
    progress.stop();
  }
}

async function openSubject({ id, folder }: SelectedSkill, { signal }: Io): Promise<ManifestSubject | string> {
  try {
    return await folderSubject(folder, { id, limits: namedLimits, signal });
  } catch (error) {
    if (error instanceof SkillError && !signal.aborted) return error.message;
    throw error;
  }
}

/** Opens a registry context that checks each skill before it is published: content guard and dependencies. */
export async function withMissingHook<T>(
  input: Pick<CommandInput, "io" | "options">,
  context: RegistryContext,
  use: (context: RegistryContext) => Promise<T>,
): Promise<T> {
  const inspect = guardHook(guardPorts(input.io.env));
  return await withSurvey(input, (ports) =>
    use({ ...context, hooks: { missing: missingHook(ports), inspect } }),
  );
}
