import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { memoryApprovals } from "@skillhold/core/approval";
import type { RunPorts, SkillRunner } from "@skillhold/core/run";
import { bubblewrap } from "../backend/bubblewrap.ts";
import { homeFolder } from "../backend/home-folder.ts";

/**
 * What it takes to run scripts on this machine: its sandbox, approvals that last as long as the process, and of its
 * environment the variables that a skill declares. Without an asker, only what needs no approval is run.
 */
export function systemRuns(settings: Partial<RunPorts> = {}): RunPorts {
  return {
    runner: openRunner,
    sandbox: bubblewrap(),
    approvals: memoryApprovals(),
    env: (name) => process.env[name],
    config: (path) => findConfig(path, { home: homeFolder(), cwd: process.cwd() }),
    ...settings,
  };
}

/** Where a declared configuration file really lies, or undefined when it is not there or not to be reached. */
export function findConfig(
  path: string,
  { home, cwd }: { readonly home: string | undefined; readonly cwd: string },
): string | undefined {
  const isInHome = path.startsWith("~/");
  if (isInHome && !home) return undefined;
  try {
    return realpathSync(isInHome ? join(home ?? "", path.slice(2)) : resolve(cwd, path));
  } catch {
    // Both make the skill not ready.
    return undefined;
  }
}

/** Opens the runner of one session. Its modules are loaded by the first run, because most sessions only read. */
export async function openRunner({ toolCache }: RunPorts): Promise<SkillRunner> {
  const [{ runScript }, { ToolSets }] = await Promise.all([
    import("./run-script.ts"),
    import("./tool-set.ts"),
  ]);
  const tools = new ToolSets(toolCache);
  return {
    runScript,
    listTools: (context) => tools.list(context),
    callTool: (tool, args, context) => tools.call(tool, args, context),
    close: () => tools.close(),
  };
}
