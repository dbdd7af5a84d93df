import { readdir } from "node:fs/promises";
import type { Need } from "@skillhold/core/dependency";
import { type EnvironmentOwner, readLink } from "./environment-link.ts";
import {
  type EnvironmentPorts,
  findEnvironment,
  openNamed,
  type SkillEnvironment,
} from "./skill-environment.ts";
import { type ManifestPorts, type ManifestSubject, readManifest } from "./skill-manifest.ts";
import { type InstallSpec, readSpec } from "./spec.ts";

/**
 * The environment that a run of a skill gets: what was installed for it, else one that was made for the same packages,
 * else the one for all skills. Undefined when there is none.
 */
export async function environmentOf(
  owner: EnvironmentOwner,
  ports: EnvironmentPorts,
): Promise<SkillEnvironment | undefined> {
  const link = await readLink(owner, ports);
  const linked = link === undefined ? undefined : await openNamed(link.folder, ports.home);
  return linked ?? (await findEnvironment(specsOf(owner.needs), ports));
}

export interface RunEnvironmentPorts extends EnvironmentPorts, ManifestPorts {}

/** The same for a skill that has not been scanned: it is, unless nothing was ever installed here. */
export async function runEnvironment(
  skill: ManifestSubject,
  ports: RunEnvironmentPorts,
): Promise<SkillEnvironment | undefined> {
  if ((await readdir(ports.home).catch(() => [])).length === 0) return undefined;
  const { dependencies } = await readManifest(skill, ports);
  return await environmentOf({ skill: skill.id, needs: dependencies }, ports);
}

/** What would be installed for these needs: the packages that it cannot do without. */
function specsOf(needs: readonly Need[]): readonly InstallSpec[] {
  return needs
    .filter(({ kind, optional }) => !optional && (kind === "pip" || kind === "npm"))
    .map(({ kind, name }) => readSpec(`${kind}:${name}`))
    .filter((spec) => typeof spec !== "string");
}
