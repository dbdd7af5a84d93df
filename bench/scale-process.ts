import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { nodeHost } from "@skillhold/core/source";
import { scanDependencies } from "@skillhold/deps/scan";
import { defaultLimits } from "@skillhold/protocol";
import { openRegistryLibrary, type RegistryLibrary } from "@skillhold/registry/library";
import { SqliteCache } from "@skillhold/store";
import { openRegistryStore } from "@skillhold/store/test/table/registry-store";

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

/** The most processor time of this thread between two turns of the event loop, which a busy machine does not change. */
function watchTurns(): () => number {
  let [longest, before] = [0, process.threadCpuUsage()];
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.threadCpuUsage();
  }, 1);
  return () => {
    clearInterval(timer);
    return longest;
  };
}

const delay = monitorEventLoopDelay({ resolution: 5 });
for await (const step of createInterface({ input: process.stdin })) {
  delay.enable();
  // The monitor measures from its first tick on.
  await setTimeout(20);
  delay.reset();
  const longestTurn = watchTurns();
  const [started, before] = [performance.now(), process.cpuUsage()];
  await steps[step]?.();
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(before);
  await setTimeout(20);
  delay.disable();
  const cpuMs = (user + system) / 1000;
  const blockMs = delay.max / 1e6;
  const rssMb = process.memoryUsage.rss() / 1e6;
  console.log(JSON.stringify({ step, ms, cpuMs, blockMs, blockCpuMs: longestTurn(), rssMb }));
}
await library?.close();
cache.close();
await store.close();
