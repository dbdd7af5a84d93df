import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { memoryApprovals } from "@skillhold/core/approval";
import type { RunPorts, SkillRunner } from "@skillhold/core/run";
import { bubblewrap } from "../backend/bubblewrap.ts";
import { homeFolder } from "../backend/home-folder.ts";

/**
 * The default run ports for this machine: its sandbox, approvals for the life of the process, and declared
 * variables of its environment. Without an asker, only runs that need no approval start.
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

/** The real path of a declared configuration file; undefined when it is missing or unreachable. */
export function findConfig(
  path: string,
  { home, cwd }: { readonly home: string | undefined; readonly cwd: string },
): string | undefined {
  const isInHome = path.startsWith("~/");
  if (isInHome && !home) return undefined;
  try {
    return realpathSync(isInHome ? join(home ?? "", path.slice(2)) : resolve(cwd, path));
  } catch {
    // Both cases make the skill not ready.
    return undefined;
  }
}

/** Opens the runner of a session. Its modules load with the first run, because most sessions only read. */
export async function openRunner({ toolCache }: RunPorts): Promise<SkillRunner> {
  const [{ clearScript, runScript }, { ToolSets }] = await Promise.all([
    import("./run-script.ts"),
    import("./tool-set.ts"),
  ]);
  const tools = new ToolSets(toolCache);
  return {
    runScript,
    clearScript,
    clearTool: (tool, args, context) => tools.clear(tool, args, context),
    listTools: (context) => tools.list(context),
    callTool: (tool, args, context) => tools.call(tool, args, context),
    close: () => tools.close(),
  };
}
