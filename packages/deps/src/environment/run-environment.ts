import { readdir } from "node:fs/promises";
import type { Need } from "@skillhold/core/dependency";
import { type EnvironmentOwner, readLink } from "./environment-link.ts";
import {
  type EnvironmentPorts,
  findEnvironment,
  openNamedEnvironment,
  type SkillEnvironment,
} from "./skill-environment.ts";
import { type ManifestPorts, type ManifestSubject, readDependencyManifest } from "./skill-manifest.ts";
import { type InstallSpec, readSpec } from "./spec.ts";

/**
 * Finds the environment for a run: the one linked to the skill, else one built for the same packages, else
 * the global one. Returns undefined when no environment exists.
 */
export async function environmentOf(
  owner: EnvironmentOwner,
  ports: EnvironmentPorts,
): Promise<SkillEnvironment | undefined> {
  const link = await readLink(owner, ports);
  const linked = link === undefined ? undefined : await openNamedEnvironment(link.folder, ports.home);
  return linked ?? (await findEnvironment(specsOf(owner.needs), ports));
}

export interface RunEnvironmentPorts extends EnvironmentPorts, ManifestPorts {}

/** Finds the environment of a skill that has not been scanned. Scans it only when environments exist. */
export async function runEnvironment(
  skill: ManifestSubject,
  ports: RunEnvironmentPorts,
): Promise<SkillEnvironment | undefined> {
  if ((await readdir(ports.home).catch(() => [])).length === 0) return undefined;
  const { dependencies } = await readDependencyManifest(skill, ports);
  return await environmentOf({ skill: skill.id, needs: dependencies }, ports);
}

/** The specs for these needs, without optional ones. */
function specsOf(needs: readonly Need[]): readonly InstallSpec[] {
  return needs
    .filter(({ kind, optional }) => !optional && (kind === "pip" || kind === "npm"))
    .map(({ kind, name }) => readSpec(`${kind}:${name}`))
    .filter((spec) => typeof spec !== "string");
}
