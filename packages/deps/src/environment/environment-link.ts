import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatNeed, type Need } from "@skillhold/core/dependency";
import { linkKey } from "./environment-folder.ts";
import { findTarget } from "./install-tool.ts";
import type { EnvironmentPorts } from "./skill-environment.ts";
import { type InstallSpec, readSpec } from "./spec.ts";

/** Whose environment it is. */
export interface EnvironmentOwner {
  /** The skill's id. */
  readonly skill: string;
  /** All that the scanner found: an environment is the skill's for as long as it needs the same packages. */
  readonly needs: readonly Need[];
}

/** What was installed for a skill, and the name of the folder in which it lies. */
export interface EnvironmentLink {
  readonly folder: string;
  readonly specs: readonly InstallSpec[];
}

/** Undefined when nothing was installed for it, for what it needs now, or for the interpreters that are there now. */
export async function readLink(
  owner: EnvironmentOwner,
  ports: EnvironmentPorts,
): Promise<EnvironmentLink | undefined> {
  const text = await readFile(await linkFile(owner, ports), "utf8").catch(() => "");
  const [folder = "", ...specs] = text.split("\n").filter((line) => line !== "");
  if (!FOLDER.test(folder)) return undefined;
  return { folder, specs: specs.map(readSpec).filter((spec) => typeof spec !== "string") };
}

/** Put in place by one rename, so that a run finds the one before or this one. */
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

/** The file that is held while what a skill has is changed. */
export async function linkLock(owner: EnvironmentOwner, ports: EnvironmentPorts): Promise<string> {
  return `${await linkFile(owner, ports)}.lock`;
}

/** What an environment is called, whole or not. */
const FOLDER = /^[0-9a-f]{32}(?:\.partial)?$/;

async function linkFile(
  { skill, needs }: EnvironmentOwner,
  { home, findRuntime }: EnvironmentPorts,
): Promise<string> {
  const packages = needs.filter(({ kind }) => kind === "pip" || kind === "npm").map(formatNeed);
  return join(home, `${linkKey(skill, packages, await findTarget(findRuntime))}.link`);
}
