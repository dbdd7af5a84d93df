import { dirname, join } from "node:path";
import type { Network, Sandbox } from "@skillhold/core/run";
import { bubblewrap, cachedProbe, sandboxRuntime } from "@skillhold/sandbox/backend";
import { cacheFile } from "../place/data-folder.ts";
import type { Env } from "../place/machine.ts";

/** The sandbox of this machine: bubblewrap on Linux; sandbox-runtime elsewhere, and for host allow-lists. */
export function freshSandbox(network: Network = "none", platform: string = process.platform): Sandbox {
  return platform === "linux" && typeof network === "string" ? bubblewrap() : sandboxRuntime();
}

/** The same sandbox with its last self-test cached, because the test takes longer than most commands. */
export function chooseSandbox({ env }: { readonly env: Env }, network?: Network): Sandbox {
  const sandbox = freshSandbox(network);
  const cache = cacheFile(env);
  if (cache === undefined) return sandbox;
  const file = join(dirname(cache), `${sandbox.id}.json`);
  return cachedProbe(sandbox, file, { now: () => new Date() });
}
