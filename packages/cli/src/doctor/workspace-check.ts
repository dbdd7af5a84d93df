import { readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { errorCodeOf, findRealPath, tryStat } from "@skillhold/core/bundle";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import { HostedWorkspace } from "@skillhold/registry/workspace";
import type { Opened } from "../open.ts";
import type { Io } from "../terminal/output.ts";
import { count } from "../terminal/text.ts";
import { type Check, failed, ok, warn } from "./check.ts";

interface Found {
  readonly severity: "error" | "warning";
  readonly detail: string;
}

/**
 * Checks the workspace in the current folder, those below `folder`, and the records of the store: configs, listed skills,
 * and the last pushes of cards.
 */
export async function checkWorkspaces(
  folder: string | undefined,
  store: Opened["store"],
  io: Pick<Io, "cwd" | "env">,
): Promise<Check> {
  const name = "workspaces";
  const root = folder ?? (io.env["SKILLHOLD_WORKSPACES"] || undefined);
  const place = root === undefined ? undefined : resolve(io.cwd, root);
  const folders = [...[io.cwd].filter(isWorkspace), ...(place === undefined ? [] : listFolders(place))];
  const records = (await store?.context.store.listWorkspaces()) ?? [];
  if (folders.length === 0 && records.length === 0 && place === undefined)
    return ok(name, "No workspace is in use. Run `skillhold workspace init <folder>` to create one.");
  const found = [
    ...(place !== undefined && findRealPath(place) === undefined
      ? [{ severity: "error", detail: `The folder ${place} does not exist.` } as const]
      : []),
    ...folders.flatMap(problemsOf),
    ...records.flatMap(({ agent, health }) =>
      health.pushes
        .filter(({ ok: isSent }) => !isSent)
        .map(({ url, at, message }): Found => {
          const detail = `${agent}: the last push to ${url} at ${at} failed: ${message}`;
          return { severity: "warning", detail };
        }),
    ),
  ];
  const total = `${count(folders.length, "workspace folder")}, ${count(records.length, "registered workspace")}`;
  const details = found.map(({ detail }) => detail);
  const fix =
    "Run `skillhold workspace status <folder>` for each folder, and correct its config.yaml and platforms.";
  if (found.length === 0) return ok(name, `${total}, no problems.`);
  const isBroken = found.some(({ severity }) => severity === "error");
  const message = `${total}, ${count(found.length, "problem")}.`;
  return isBroken ? failed(name, message, fix, details) : warn(name, message, fix, details);
}

function isWorkspace(folder: string): boolean {
  const hasFile = (name: string) => tryStat(join(folder, name))?.isFile() === true;
  // Other programs have a config.yaml, too.
  return hasFile("config.yaml") && hasFile("system-prompt.md");
}

function problemsOf(folder: string): readonly Found[] {
  const real = findRealPath(folder);
  if (real === undefined) return [];
  try {
    const { problems } = new HostedWorkspace(basename(real), real, defaultLimits).compose();
    return problems.map(({ severity, message }) => ({ severity, detail: `${basename(real)}: ${message}` }));
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    return [{ severity: "error", detail: `${basename(real)}: ${error.message}` }];
  }
}

function listFolders(root: string): readonly string[] {
  try {
    return readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
      .map(({ name }) => join(root, name));
  } catch (error) {
    if (errorCodeOf(error) !== undefined) return [];
    throw error;
  }
}
