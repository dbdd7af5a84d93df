import { randomUUID } from "node:crypto";
import type { SkillProposer } from "@skillhold/core/session";
import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import { proposalFolder } from "../place/data-folder.ts";
import type { Machine } from "../place/machine.ts";
import { storeUrl } from "../place/store-address.ts";
import { userName } from "../place/user-name.ts";
import { scanOnUse } from "./dependency-scan.ts";
import { findOwnStore } from "./registry-layer.ts";

export interface ProposerChoice {
  /** A store's URL; false without a store; undefined for the user's own. */
  readonly store?: string | false | undefined;
  /** Named folders stand in place of the user's own store. */
  readonly root?: readonly string[] | undefined;
}

/**
 * Stores the proposals of a session on this machine. The store is opened by each proposal, because most sessions make no proposal.
 * Undefined without a store.
 */
export function localProposer(
  { store, root = [] }: ProposerChoice,
  machine: Pick<Machine, "env" | "cwd" | "warn">,
  limits: Limits = defaultLimits,
): SkillProposer | undefined {
  if (store === false || (store === undefined && root.length > 0)) return undefined;
  const url = store === undefined ? findOwnStore(machine) : storeUrl(store, machine);
  if (url === undefined) return undefined;
  return {
    propose: async (proposal, viewer) => {
      const [{ guardPorts }, { openSignedStore }, { sessionProposer, writeProposalFile }, { guardHook }] =
        await Promise.all([
          import("../run/guard-ports.ts"),
          import("./audit-store.ts"),
          import("@skillhold/registry/proposal"),
          import("@skillhold/registry/release"),
        ]);
      const opened = await openSignedStore(url, machine);
      try {
        const context = {
          store: opened,
          clock: { now: () => new Date() },
          ids: { next: randomUUID },
          limits,
          scan: scanOnUse,
          hooks: { inspect: guardHook(guardPorts(machine.env)) },
        };
        const proposer = sessionProposer({ user: userName(machine.env) }, context);
        const proposed = await proposer.propose(proposal, viewer);
        const stored = await opened.findProposal(proposed.id);
        // The store has the proposal; its file is a copy for people.
        if (stored !== undefined)
          await writeProposalFile(proposalFolder(machine.env), stored, context).catch((error: unknown) =>
            machine.warn(error instanceof Error ? error.message : String(error)),
          );
        return proposed;
      } finally {
        await opened.close();
      }
    },
  };
}
