import { dirname, join } from "node:path";
import type { Sandbox } from "@skillhold/core/run";
import { bubblewrap, cachedProbe, sandboxRuntime } from "@skillhold/sandbox/backend";
import { cacheFile } from "../place/data-folder.ts";
import type { Env } from "../place/machine.ts";

/** The sandbox of this machine: bubblewrap on Linux, sandbox-runtime elsewhere. */
export function freshSandbox(platform: string = process.platform): Sandbox {
  return platform === "linux" ? bubblewrap() : sandboxRuntime();
}

/** The same sandbox with its last self-test cached, because the test takes longer than most commands. */
export function chooseSandbox({ env }: { readonly env: Env }): Sandbox {
  const sandbox = freshSandbox();
  const cache = cacheFile(env);
  if (cache === undefined) return sandbox;
  const file = join(dirname(cache), `${sandbox.id}.json`);
  return cachedProbe(sandbox, file, { now: () => new Date() });
}
