// Applies proposals one after the other and prints each that is applied: <url> <proposal>…
import { randomUUID } from "node:crypto";
import { scanDependencies } from "@skillhold/deps/scan";
import { defaultLimits } from "@skillhold/protocol";
import { applyProposal } from "@skillhold/registry/proposal";
import { openRegistryStore } from "@skillhold/store/test/table/registry-store";

const [url = "", ...proposals] = process.argv.slice(2);
const context = {
  store: await openRegistryStore(url),
  clock: { now: () => new Date() },
  ids: { next: () => randomUUID() },
  limits: defaultLimits,
  scan: scanDependencies,
};
process.stdout.write("begun\n");
for (const proposal of proposals) {
  await applyProposal(proposal, { user: "root", role: "admin" }, context);
  process.stdout.write(`${proposal}.\n`);
}
await context.store.close();
