import { randomUUID } from "node:crypto";
import { scanDependencies } from "@skillhold/deps/scan";
import { defaultLimits } from "@skillhold/protocol";
import { publishFolder } from "@skillhold/registry/release";
import { openRegistryStore } from "@skillhold/store/test/table/registry-store";

/** Publishes a folder in a separate process: `publish-elsewhere.ts <store> <folder>`. */
const [url = "", folder = ""] = process.argv.slice(2);
const store = await openRegistryStore(url);
const clock = { now: () => new Date() };
const context = {
  store,
  clock,
  ids: { next: () => randomUUID() },
  limits: defaultLimits,
  scan: scanDependencies,
};
await publishFolder(folder, { by: { user: "ada", role: "publisher" } }, context);
await store.close();
