import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Mount, RunLimits, SandboxCommand, SandboxPaths, SandboxSpec } from "@skillhold/core/run";
import type { Runtime } from "../backend/runtime.ts";
import { openFolder } from "./open-folder.ts";
import type { ToolHostSpec } from "./tool-host-spec.ts";

const require = createRequire(import.meta.url);

/** What a process may compute in its whole life, in runs: it serves many calls, each with a time-out of its own. */
const RUNS_OF_CPU = 10;

/** How a bridge is started: it sees the skill, itself, its runtime and, for JavaScript, our zod. */
export async function bridgeSpec(spec: ToolHostSpec, runtime: Runtime): Promise<SandboxSpec> {
  const bridge = await mountOf(join(import.meta.dirname, "bridge"), "/opt/skillhold/bridge");
  const zod = await mountOf(dirname(require.resolve("zod/package.json")), "/opt/skillhold/zod");
  const own = spec.language === "node" ? [bridge, zod] : [bridge];
  return {
    skill: spec.skill,
    mounts: spec.mounts,
    runtimes: [...runtime.mounts, ...own, ...(spec.environment?.mounts ?? [])],
    network: spec.network,
    limits: limitsOfLife(spec.limits),
    hasChannel: true,
    command: (paths) => ({
      argv: [paths.of(runtime.program), ...bridgeArguments(spec, paths, bridge, zod)],
      env: { ...spec.environment?.env(paths), ...spec.env },
    }),
  };
}

async function mountOf(folder: string, target: string): Promise<Mount> {
  return { source: await openFolder(folder), target, isWritable: false };
}

function limitsOfLife(limits: RunLimits): RunLimits {
  return { ...limits, cpuMs: limits.cpuMs * RUNS_OF_CPU };
}

function bridgeArguments(
  spec: ToolHostSpec,
  paths: SandboxPaths,
  bridge: Mount,
  zod: Mount,
): SandboxCommand["argv"] {
  if (spec.language === "python") {
    // Unbuffered, else what was printed is lost when the process is ended; and nothing can be written beside sources.
    return ["-u", "-B", paths.of(join(bridge.source, "bridge.py")), paths.skill];
  }
  // The sources are TypeScript; what is published has been compiled.
  const main = import.meta.filename.endsWith(".ts") ? "main.mts" : "main.mjs";
  return [
    "--disable-warning=ExperimentalWarning",
    paths.of(join(bridge.source, main)),
    paths.skill,
    paths.of(zod.source),
  ];
}
