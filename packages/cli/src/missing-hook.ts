import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { dependencyState } from "@skillhold/core/dependency";
import { checkDependencies, environmentOf, type SurveyPorts } from "@skillhold/deps/environment";
import { SkillError } from "@skillhold/protocol/error";
import type { PublishHooks, RegistryContext, StagedSkill } from "@skillhold/registry/record";
import { withSurvey } from "./dependency-survey.ts";
import { present } from "./option.ts";
import type { CommandInput } from "./program.ts";

/** Has skills looked at before they are taken in: what they need and this machine lacks. */
export async function withMissingHook<T>(
  input: Pick<CommandInput, "io" | "options">,
  context: RegistryContext,
  use: (context: RegistryContext) => Promise<T>,
): Promise<T> {
  return await withSurvey(input, (ports) => use({ ...context, hooks: { missing: missingHook(ports) } }));
}

type MissingHook = NonNullable<PublishHooks["missing"]>;

/** What cannot be found out is not missing, and keeps no skill out. */
export function missingHook(ports: SurveyPorts): MissingHook {
  return async (staged, manifest) => {
    if (manifest.dependencies.length === 0) return [];
    try {
      return await findMissing(staged, manifest, ports);
    } catch (error) {
      if (!(error instanceof SkillError) || ports.signal?.aborted === true) throw error;
      return [];
    }
  };
}

async function findMissing(
  staged: StagedSkill,
  { dependencies: needs }: Parameters<MissingHook>[1],
  ports: SurveyPorts,
): Promise<readonly string[]> {
  const { id, treeHash } = staged;
  const { home, findRuntime } = ports;
  const found =
    home === undefined ? undefined : await environmentOf({ skill: id, needs }, { home, findRuntime });
  const stage = await mkdtemp(join(tmpdir(), "skillhold-needs-"));
  try {
    const folder = () => writeStaged(staged, join(stage, id));
    const environment = found?.folder;
    const request = { id, needs, folder, content: treeHash, ...present({ environment }) };
    const [result] = await checkDependencies([request], ports);
    return dependencyState(result?.checks ?? [], { path: "publish" }).missing;
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

/** Contract: the packer has named the files, and so every path stays inside. */
async function writeStaged({ files }: StagedSkill, folder: string): Promise<string> {
  for (const { path, content } of files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  return folder;
}
