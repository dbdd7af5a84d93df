import { homedir } from "node:os";
import { memoryApprovals } from "../approval/index.ts";
import { bubblewrap } from "../sandbox/bubblewrap.ts";
import { findConfig } from "./find-config.ts";
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
    config: (path) => findConfig(path, { home: homedir(), cwd: process.cwd() }),
    ...settings,
  };
}
