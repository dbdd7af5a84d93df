import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { nodeHost } from "@skillhold/core/source";
import { scanDependencies } from "@skillhold/deps/scan";
import { defaultLimits } from "@skillhold/protocol";
import { openRegistryLibrary, type RegistryLibrary } from "@skillhold/registry/library";
import { SqliteCache } from "@skillhold/store";
import { openRegistryStore } from "@skillhold/store/test/table/registry-store";
import { watchLoop } from "./event-loop.ts";

/** Runs the steps that it reads, one a line, and writes what each took. */
const [url = "", cacheFile = ""] = process.argv.slice(2);
const viewer = { runtime: "bench" };
const host = nodeHost({ env: {}, platform: "linux", cwd: tmpdir() });
const store = await openRegistryStore(url);
const cache = new SqliteCache(cacheFile);
const context = {
  ...{ store, limits: defaultLimits, scan: scanDependencies },
  clock: { now: () => new Date() },
  ids: { next: () => randomUUID() },
};
let library: RegistryLibrary | undefined;

const steps: Readonly<Record<string, () => Promise<unknown>>> = {
  open: async () => {
    library = await openRegistryLibrary({ host, cache }, context);
  },
  list: async () => await library?.survey(viewer),
  search: async () => await library?.search(viewer, "wka wlo wmi"),
};

for await (const step of createInterface({ input: process.stdin })) {
  const endWatch = watchLoop();
  // The watch measures from its first tick on.
  await setTimeout(20);
  const [started, before] = [performance.now(), process.cpuUsage()];
  await steps[step]?.();
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(before);
  await setTimeout(20);
  const cpuMs = (user + system) / 1000;
  const rssMb = process.memoryUsage.rss() / 1e6;
  console.log(JSON.stringify({ step, ms, cpuMs, ...endWatch(), rssMb }));
}
await library?.close();
cache.close();
await store.close();
