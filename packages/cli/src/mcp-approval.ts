import { revokeChanged } from "@skillhold/core/approval";
import type { SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { isRemote } from "./mcp-source.ts";
import { type Io, plain } from "./output.ts";
import { isStateThere, withState } from "./state.ts";

/** Takes back what was approved of servers' skills that are listed as other ones now, whoever looks at the list. */
export async function revokeOfServers(entries: readonly SkillEntry[], io: Io): Promise<void> {
  const served = entries.flatMap((entry) => {
    const { id: skill, treeHash } = entry;
    return treeHash === undefined || !isRemote(entry) ? [] : [{ skill, treeHash }];
  });
  if (served.length === 0 || !isStateThere(io)) return;
  try {
    await withState(io, (state) => revokeChanged(served, state));
  } catch (error) {
    // What cannot be read approves nothing either.
    if (!(error instanceof SkillError)) throw error;
    io.err(`warning: ${plain(error.message)}\n`);
  }
}
