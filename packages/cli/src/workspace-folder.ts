import { basename, resolve } from "node:path";
import { findRealPath } from "@skillhold/core/bundle";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import { HostedWorkspace } from "@skillhold/registry/workspace";
import type { ArgumentSpec } from "./command.ts";
import { type Io, plain } from "./terminal/output.ts";

export const workspaceArgument = {
  usage: "<folder>",
  summary: "the workspace's folder, with config.yaml",
} as const satisfies ArgumentSpec;

/** The workspace in a folder of this machine. */
export function openWorkspaceFolder(folder: string, { cwd }: Pick<Io, "cwd">): HostedWorkspace {
  const root = findRealPath(resolve(cwd, folder));
  if (root !== undefined) return new HostedWorkspace(basename(root), root, defaultLimits);
  throw new SkillError("PATH_NOT_FOUND", `The folder ${folder} does not exist.`, {
    hint: "Create a workspace with `skillhold workspace init <folder>`.",
  });
}

/** Prints the problems of a workspace, one per line. */
export function printProblems(
  problems: readonly { readonly severity: string; readonly message: string }[],
  io: Pick<Io, "err">,
): void {
  for (const { severity, message } of problems) io.err(`${severity}: ${plain(message)}\n`);
}
