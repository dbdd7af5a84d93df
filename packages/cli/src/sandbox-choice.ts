import { dirname, join } from "node:path";
import type { Network, Sandbox } from "@skillhold/core/run";
import { bubblewrap, rememberedProbe, sandboxRuntime } from "@skillhold/sandbox/backend";
import { cacheFile } from "./cache-file.ts";
import type { Io } from "./output.ts";

/** The sandbox of this machine: bubblewrap on Linux, and the one that knows lists of hosts elsewhere or for those. */
export function freshSandbox(network: Network = "none", platform: string = process.platform): Sandbox {
  return platform === "linux" && typeof network === "string" ? bubblewrap() : sandboxRuntime();
}

/** The same with its last test remembered: a command is over sooner than the test. */
export function chooseSandbox({ env }: Pick<Io, "env">, network?: Network): Sandbox {
  const sandbox = freshSandbox(network);
  const cache = cacheFile(env);
  if (cache === undefined) return sandbox;
  const file = join(dirname(cache), `${sandbox.id}.json`);
  return rememberedProbe(sandbox, file, { now: () => new Date() });
}
