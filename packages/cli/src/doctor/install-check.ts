import { accessSync, constants } from "node:fs";
import { isAbsolute, join } from "node:path";
import { readTrust } from "@skillhold/host/install";
import { dataFolder } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";
import { InstallState } from "@skillhold/registry/install";
import { isSigstoreInstalled, SIGSTORE_PACKAGE } from "@skillhold/registry/signature";
import { GUARD_ENGINE } from "@skillhold/skill/guard";
import type { Opened } from "../open.ts";
import type { Io } from "../terminal/output.ts";
import { count } from "../terminal/text.ts";
import { type Check, failed, ok, warn } from "./check.ts";

/** Reports the last check for updates. No source is asked, because that takes a network. */
export function checkUpdates({ env }: Pick<Io, "env">): Check {
  const name = "updates";
  const folder = findData(env);
  if (folder === undefined) return ok(name, NO_DATA);
  try {
    const { checks } = new InstallState(join(folder, "install.json")).read();
    const targets = Object.entries(checks);
    if (targets.length === 0)
      return ok(name, "No installed skill was checked for updates. `skillhold outdated` checks them.");
    const rows = targets.flatMap(([target, { at, skills }]) =>
      Object.entries(skills).map(([id, found]) => ({ target, at, id, ...found })),
    );
    const isDue = ({ status }: (typeof rows)[number]) => status !== "current" && status !== "pinned";
    const due = rows.filter(isDue);
    const details = due.map(
      ({ id, status, latest, target, at }) =>
        `${id}: ${status}${latest === undefined ? "" : ` (${latest})`} in ${target}, checked ${at.slice(0, 10)}`,
    );
    const total = count(rows.length, "installed skill");
    if (due.length === 0) return ok(name, `${total}, none outdated at the last check.`);
    const outdated = due.filter(({ status }) => status === "outdated").length;
    const fix = "Run `skillhold outdated` to check again, and `skillhold update` to update.";
    return warn(name, `${total}, ${outdated} outdated at the last check.`, fix, details);
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    return failed(name, error.message, error.hint);
  }
}

const NO_DATA = "Your user has no data folder, so no skill was installed.";

/** Undefined where the machine has no home folder. */
function findData(env: Io["env"]): string | undefined {
  try {
    return dataFolder(env);
  } catch (error) {
    if (error instanceof SkillError) return undefined;
    throw error;
  }
}

/** Checks the list of trusted keys, and counts what it allows. */
export async function checkSigners({ env }: Pick<Io, "env">): Promise<Check> {
  const name = "signers";
  if (findData(env) === undefined) return ok(name, NO_DATA);
  try {
    const { signers, rootFiles, sigstore, policy, problems } = await readTrust(env);
    const needs = policy.filter(({ require }) => require === "signature").length;
    const message = `${count(signers.length, "trusted key")}, ${count(sigstore.identities.length, "Sigstore signer")}, ${count(rootFiles.length + sigstore.roots.length, "trusted root")}, ${count(needs, "source")} that must be signed.`;
    const usesSigstore = sigstore.roots.length + sigstore.identities.length > 0;
    if (usesSigstore && !isSigstoreInstalled())
      return warn(
        name,
        `${message} Sigstore bundles cannot be verified without ${SIGSTORE_PACKAGE}.`,
        `Install it: npm install ${SIGSTORE_PACKAGE}`,
        problems,
      );
    if (problems.length === 0) return ok(name, message);
    const fix = "Correct these lines of allowed_signers, or remove them with `skillhold trust remove`.";
    return warn(name, `${message} ${count(problems.length, "line")} cannot be read.`, fix, problems);
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    return failed(name, error.message, error.hint);
  }
}

/** Checks the policy program of the content guard, and whether stored reports are of its engine. */
export async function checkGuard(store: Opened["store"], { env }: Pick<Io, "env">): Promise<Check> {
  const name = "guard";
  const program = env["SKILLHOLD_GUARD_PROGRAM"];
  if (program && !(isAbsolute(program) && isExecutable(program)))
    return failed(
      name,
      `The policy program ${program} cannot be started, so every skill is rejected.`,
      "Set SKILLHOLD_GUARD_PROGRAM to the absolute path of a program, or unset it.",
    );
  const stale: string[] = [];
  if (store !== undefined)
    for (const { id, treeHash, status } of await store.context.store.listSkills()) {
      if (status === "deleted" || treeHash === undefined) continue;
      const report = await store.context.store.findGuardReport(treeHash);
      if (report?.engine !== GUARD_ENGINE) stale.push(`${id}: ${report?.engine ?? "never scanned"}`);
    }
  const message = `Engine ${GUARD_ENGINE}${program ? ` and ${program}` : ""}.`;
  if (stale.length === 0) return ok(name, message);
  const text = `${message} ${count(stale.length, "skill")} without a report of this engine.`;
  return warn(name, text, "Run `skillhold guard rescan`.", stale);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
