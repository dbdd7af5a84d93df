import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatNeed, type Need } from "@skillhold/core/dependency";
import { linkKey } from "./environment-folder.ts";
import { findTarget } from "./install-tool.ts";
import type { EnvironmentPorts } from "./skill-environment.ts";
import { type InstallSpec, readSpec } from "./spec.ts";

/** The skill that an environment belongs to. */
export interface EnvironmentOwner {
  readonly skill: string;
  /**
   * All dependencies that the scanner found. The environment is valid while the skill needs the same
   * packages.
   */
  readonly needs: readonly Need[];
}

/** The packages that were installed for a skill, and the name of their folder. */
export interface EnvironmentLink {
  readonly folder: string;
  readonly specs: readonly InstallSpec[];
}

/**
 * Returns undefined when no packages were installed for the skill's current needs and the current
 * interpreters.
 */
export async function readLink(
  owner: EnvironmentOwner,
  ports: EnvironmentPorts,
): Promise<EnvironmentLink | undefined> {
  const text = await readFile(await linkFile(owner, ports), "utf8").catch(() => "");
  const [folder = "", ...specs] = text.split("\n").filter((line) => line !== "");
  if (!FOLDER.test(folder)) return undefined;
  return { folder, specs: specs.map(readSpec).filter((spec) => typeof spec !== "string") };
}

/** Written by rename, so a run reads either the previous link or this one. */
export async function writeLink(
  owner: EnvironmentOwner,
  { folder, specs }: EnvironmentLink,
  ports: EnvironmentPorts,
): Promise<void> {
  const file = await linkFile(owner, ports);
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, [folder, ...specs.map(({ text }) => text), ""].join("\n"));
  await rename(draft, file);
}

export async function removeLink(owner: EnvironmentOwner, ports: EnvironmentPorts): Promise<void> {
  await rm(await linkFile(owner, ports), { force: true });
}

/** The lock file that guards changes to a skill's link. */
export async function linkLock(owner: EnvironmentOwner, ports: EnvironmentPorts): Promise<string> {
  return `${await linkFile(owner, ports)}.lock`;
}

/** The folder name of a complete or partial environment. */
const FOLDER = /^[0-9a-f]{32}(?:\.partial)?$/;

async function linkFile(
  { skill, needs }: EnvironmentOwner,
  { home, findRuntime }: EnvironmentPorts,
): Promise<string> {
  const packages = needs.filter(({ kind }) => kind === "pip" || kind === "npm").map(formatNeed);
  return join(home, `${linkKey(skill, packages, await findTarget(findRuntime))}.link`);
}
