import { randomUUID } from "node:crypto";
import type { SkillProposer } from "@skillhold/core/session";
import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import type { RegistryContext } from "@skillhold/registry/record";
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
    propose: (proposal, viewer) =>
      proposalStore(url, machine, limits, async (context) => {
        const { sessionProposer, writeProposalFile } = await import("@skillhold/registry/proposal");
        const proposer = sessionProposer({ user: userName(machine.env) }, context);
        const proposed = await proposer.propose(proposal, viewer);
        const stored = await context.store.findProposal(proposed.id);
        // The store has the proposal; its file is a copy for people.
        if (stored !== undefined)
          await writeProposalFile(proposalFolder(machine.env), stored, context).catch((error: unknown) =>
            machine.warn(error instanceof Error ? error.message : String(error)),
          );
        return proposed;
      }),
  };
}

/** Opens the store for work on proposals, with the content guard. */
export async function proposalStore<T>(
  url: string,
  machine: Pick<Machine, "env" | "cwd">,
  limits: Limits,
  work: (context: RegistryContext) => Promise<T>,
): Promise<T> {
  const [{ guardPorts }, { openSignedStore }, { guardHook }] = await Promise.all([
    import("../run/guard-ports.ts"),
    import("./audit-store.ts"),
    import("@skillhold/registry/release"),
  ]);
  const store = await openSignedStore(url, machine);
  try {
    return await work({
      store,
      clock: { now: () => new Date() },
      ids: { next: randomUUID },
      limits,
      scan: scanOnUse,
      hooks: { inspect: guardHook(guardPorts(machine.env)) },
    });
  } finally {
    await store.close();
  }
}
