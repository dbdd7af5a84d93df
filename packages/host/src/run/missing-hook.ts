import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { dependencyState } from "@skillhold/core/dependency";
import { checkDependencies, environmentOf, type SurveyPorts } from "@skillhold/deps/environment";
import { SkillError } from "@skillhold/protocol/error";
import type { PublishHooks, StagedSkill } from "@skillhold/registry/record";
import { present } from "../place/machine.ts";

type MissingHook = NonNullable<PublishHooks["missing"]>;

/** Finds the dependencies of a staged skill that this machine lacks. A check that fails reports none as missing. */
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

/** Contract: the packer checked the paths, so every file stays inside the folder. */
export async function writeStaged({ files }: StagedSkill, folder: string): Promise<string> {
  for (const { path, content } of files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  return folder;
}
