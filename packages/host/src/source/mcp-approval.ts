import { revokeChanged } from "@skillhold/core/approval";
import type { SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Machine } from "../place/machine.ts";
import { isStateThere, withState } from "../store/state.ts";
import { isRemote } from "./mcp-source.ts";

/** Revokes approvals of MCP servers' skills whose content has changed. */
export async function revokeChangedRemotes(
  entries: readonly SkillEntry[],
  machine: Pick<Machine, "env" | "cwd" | "warn">,
): Promise<void> {
  const served = entries.flatMap((entry) => {
    const { id: skill, treeHash } = entry;
    return treeHash === undefined || !isRemote(entry) ? [] : [{ skill, treeHash }];
  });
  if (served.length === 0 || !isStateThere(machine.env)) return;
  try {
    await withState(machine, (state) => revokeChanged(served, state));
  } catch (error) {
    // Approvals that cannot be read approve no run either.
    if (!(error instanceof SkillError)) throw error;
    machine.warn(error.message);
  }
}
