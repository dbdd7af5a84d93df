import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { EnforcedLimits, Sandbox } from "@skillhold/core/run";
import type { Collected, RunLimits, SandboxSpec } from "@skillhold/core/test/run/sandbox";
import { stageRoot } from "./stage.ts";
import { type Supervised, type SuperviseOptions, supervise } from "./supervise.ts";

const MB = 1024 * 1024;

export const roomyLimits: RunLimits = {
  wallMs: 50_000,
  cpuMs: 10_000,
  memoryBytes: 256 * MB,
  processes: 32,
  diskBytes: 8 * MB,
  outputBytes: MB,
};

export interface Trial extends Supervised {
  readonly enforced: EnforcedLimits;
  readonly collected: Collected;
  /** Hosts that the program did not get. */
  readonly refused: readonly string[];
  /** The collected files by path. */
  readonly files: Readonly<Record<string, string>>;
}

/** A folder with one skill and an output folder, accessible to programs of other users. */
export interface Bench {
  readonly folder: string;
  readonly skill: string;
  spec(script: string, parts?: Partial<SandboxSpec>): SandboxSpec;
  /** Runs a shell script in a sandbox until it ends, then cleans up. */
  run(
    sandbox: Sandbox,
    script: string,
    parts?: Partial<SandboxSpec>,
    options?: SuperviseOptions,
  ): Promise<Trial>;
  remove(): Promise<void>;
}

export async function makeBench(): Promise<Bench> {
  const folder = await mkdtemp(join(await stageRoot(), "bench-"));
  const skill = join(folder, "skill");
  await mkdir(skill);
  await writeFile(join(skill, "SKILL.md"), "the skill");
  // Independent of the umask, because the programs run as another user.
  for (const path of [folder, skill]) await chmod(path, 0o755);
  const spec = (script: string, parts: Partial<SandboxSpec> = {}): SandboxSpec => ({
    skill,
    mounts: [],
    network: "none",
    limits: roomyLimits,
    hasChannel: false,
    command: () => ({ argv: ["/bin/sh", "-c", script], env: {} }),
    ...parts,
  });
  const run: Bench["run"] = async (sandbox, script, parts, options) => {
    const whole = spec(script, parts);
    const running = await sandbox.start(whole);
    try {
      const supervised = await supervise(running, whole.limits, options);
      const target = await mkdtemp(join(folder, "out-"));
      const collected = await running.collect(target);
      const entries = collected.files.map(async ({ path }) => [
        path,
        await readFile(join(target, path), "utf8"),
      ]);
      const files = Object.fromEntries(await Promise.all(entries));
      const refused = running.refusedHosts?.() ?? [];
      return { ...supervised, enforced: running.enforced, collected, files, refused };
    } finally {
      await running.dispose();
    }
  };
  return { folder, skill, spec, run, remove: () => rm(folder, { recursive: true, force: true }) };
}
