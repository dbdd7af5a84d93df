import { randomUUID } from "node:crypto";
import { publishFolder } from "../../packages/core/src/registry/publish.ts";
import { defaultLimits } from "../../packages/protocol/src/index.ts";
import { openRegistryStore } from "../../packages/store/src/registry-store.ts";

/** Publishes a folder in a process of its own: `publish-elsewhere.ts <store> <folder>`. */
const [url = "", folder = ""] = process.argv.slice(2);
const store = await openRegistryStore(url);
const clock = { now: () => new Date() };
const context = { store, clock, ids: { next: () => randomUUID() }, limits: defaultLimits };
await publishFolder(folder, { by: { user: "ada", role: "publisher" } }, context);
await store.close();
