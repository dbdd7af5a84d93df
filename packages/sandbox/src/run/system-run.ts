import { homedir } from "node:os";
import { memoryApprovals } from "@skillhold/core/approval";
import type { RunPorts } from "@skillhold/core/run";
import { bubblewrap } from "../backend/bubblewrap.ts";
import { findConfig } from "./find-config.ts";
import { openRunner } from "./open-runner.ts";

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
    config: (path) => findConfig(path, { home: homedir(), cwd: process.cwd() }),
    ...settings,
  };
}
