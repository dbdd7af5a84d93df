import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { memoryApprovals } from "../approval/index.ts";
import { bubblewrap } from "../sandbox/bubblewrap.ts";
import type { RunPorts } from "./run-port.ts";

/**
 * What it takes to run scripts on this machine: its sandbox, approvals that last as long as the process, and of its
 * environment the variables that a skill declares. Without an asker, only what needs no approval is run.
 */
export function systemRuns(settings: Partial<RunPorts> = {}): RunPorts {
  return {
    sandbox: bubblewrap(),
    approvals: memoryApprovals(),
    env: (name) => process.env[name],
    config: findConfig,
    ...settings,
  };
}

function findConfig(path: string): string | undefined {
  const absolute = path.startsWith("~/") ? join(homedir(), path.slice(2)) : resolve(path);
  try {
    return realpathSync(absolute);
  } catch {
    // It is not there, or not to be reached: both make the skill not ready.
    return undefined;
  }
}
