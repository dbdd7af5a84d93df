// Applies a proposal and kills this process at the given step of the store, or completes: <url> <proposal> <step>
import { randomUUID } from "node:crypto";
import { scanDependencies } from "@skillhold/deps/scan";
import { defaultLimits } from "@skillhold/protocol";
import { applyProposal } from "@skillhold/registry/proposal";
import type { RegistryStore } from "@skillhold/registry/record";
import { openRegistryStore } from "@skillhold/store/test/table/registry-store";

const [url = "", proposal = "", last = ""] = process.argv.slice(2);
let steps = 0;

function step(): void {
  steps += 1;
  if (steps === Number(last)) process.kill(process.pid, "SIGKILL");
}

/** Counts every moment before, inside and after a write. */
function counted(store: RegistryStore): RegistryStore {
  const { blobs } = store;
  return {
    ...store,
    blobs: {
      get: (digest) => blobs.get(digest),
      missing: (digests) => blobs.missing(digests),
      list: () => blobs.list(),
      remove: (digests, before) => blobs.remove(digests, before),
      sweep: (before) => blobs.sweep(before),
      put: async (list) => {
        step();
        await blobs.put(list);
        step();
      },
    },
    transaction: async (work) => {
      step();
      const result = await store.transaction(async (tx) => {
        const done = await work({
          ...tx,
          putProposal: async (each) => {
            step();
            await tx.putProposal(each);
            step();
          },
          appendAll: async (events) => {
            step();
            const seq = await tx.appendAll(events);
            step();
            return seq;
          },
        });
        step();
        return done;
      });
      step();
      return result;
    },
  };
}

const store = await openRegistryStore(url);
const context = {
  store: counted(store),
  clock: { now: () => new Date() },
  ids: { next: () => randomUUID() },
  limits: defaultLimits,
  scan: scanDependencies,
};
const { isNew } = await applyProposal(proposal, { user: "root", role: "admin" }, context);
await store.close();
process.stdout.write(`${JSON.stringify({ isNew, steps })}\n`);
