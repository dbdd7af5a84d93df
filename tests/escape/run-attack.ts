import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Mount, Sandbox } from "@skillhold/core/run";
import type { RunLimits, SandboxProcess } from "@skillhold/core/test/run/sandbox";
import { supervise } from "@skillhold/sandbox/test/backend/supervise";
import type { Attack, Evidence } from "./attack.ts";
import { begins, type Language, type Scene, type Stage } from "./scene.ts";

const MB = 1024 * 1024;

const defaults: RunLimits = {
  wallMs: 45_000,
  cpuMs: 10_000,
  memoryBytes: 512 * MB,
  processes: 64,
  diskBytes: 16 * MB,
  outputBytes: MB,
};

/** Runs one attack and returns its harm, or undefined. */
export async function runAttack(
  attack: Attack,
  sandbox: Sandbox,
  stage: Stage,
  options: { readonly hasMount: boolean },
): Promise<string | undefined> {
  const scene = await stage.set(attack);
  const limits = { ...defaults, ...attack.limits };
  const mounts = options.hasMount
    ? [
        { source: scene.shown, target: "/shown", isWritable: false },
        { source: scene.shared, target: "/shared", isWritable: true },
      ]
    : [];
  try {
    const running = await start(sandbox, attack, scene, limits, mounts);
    try {
      const evidence = await observe(running, scene, limits);
      if (!evidence.output.includes(begins)) throw new Error(`The attack did not run: ${evidence.output}`);
      return await attack.harm(evidence);
    } finally {
      await running.dispose();
    }
  } finally {
    scene.close();
  }
}

function start(
  sandbox: Sandbox,
  { language, network = "none" }: Attack,
  scene: Scene,
  limits: RunLimits,
  mounts: readonly Mount[],
): Promise<SandboxProcess> {
  return sandbox.start({
    skill: scene.skill,
    mounts,
    network,
    limits,
    hasChannel: false,
    command: (paths) => ({
      argv: [...interpreters[language](), join(paths.skill, scene.script)],
      env: {
        ...scene.facts,
        SKILL: paths.skill,
        WORK: paths.work,
        MOUNTED: mounts.length > 0 ? paths.of(scene.mounted) : "/shown/mounted",
        SHARED: mounts.length > 0 ? paths.of(scene.shared) : "/shared",
      },
    }),
  });
}

const interpreters: Readonly<Record<Language, () => [string, ...string[]]>> = {
  shell: () => ["/bin/sh"],
  python: () => [findPython(), "-IS"],
};

/** The system's Python, which every sandbox has; one in a home folder would need a mount. */
function findPython(): string {
  const found = ["/usr/bin/python3", "/usr/local/bin/python3"].find((path) => existsSync(path));
  if (found === undefined)
    throw new Error("The escape suite needs the system's Python: apt-get install python3");
  return found;
}

async function observe(running: SandboxProcess, scene: Scene, limits: RunLimits): Promise<Evidence> {
  const { stdout, stderr, ...exit } = await supervise(running, limits);
  const survivors = scene.survivors();
  const collected = await running.collect(scene.collected);
  return {
    scene,
    limits,
    enforced: running.enforced,
    output: stdout + stderr,
    exit,
    collected,
    folder: scene.collected,
    survivors,
  };
}
