import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { errorCodeOf } from "@skillhold/core/bundle";
import type { EnforcedLimits, Sandbox, SandboxProcess, SandboxSpec } from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";
import { rejectCalledOff } from "./called-off.ts";
import { programEnvironment } from "./environment.ts";
import { HostProcess } from "./host-process.ts";
import { launch } from "./process.ts";
import { hasResourceLimits, limitPrefix } from "./resource-limit.ts";
import { makeStage, removeStage } from "./stage.ts";

/**
 * No sandbox: the program does what its user can do. It has a scrubbed environment and a folder of its own, and
 * each of its processes is limited where the system can do that; the network and all files are open to it.
 */
export function unconfined(): Sandbox {
  const probe = async () =>
    ({ id: "none", isAvailable: true, checks: [], enforced: enforcedLimits() }) as const;
  return { id: "none", probe, start };
}

function enforcedLimits(): EnforcedLimits {
  const each = hasResourceLimits() ? "process" : "none";
  return { wall: "run", output: "run", cpu: each, memory: each, disk: "none", processes: "none" };
}

async function start(spec: SandboxSpec): Promise<SandboxProcess> {
  rejectCalledOff(spec.signal);
  const stage = await makeStage();
  try {
    const work = join(stage, "work");
    await mkdir(work, { mode: 0o700 });
    const { argv, env } = spec.command({ skill: spec.skill, work, of: (path) => path });
    const [program, ...rest] = [...limitPrefix(spec.limits, false), ...argv];
    const options = {
      env: { ...programEnvironment(work, env), TMPDIR: work },
      cwd: work,
      pipes: spec.hasChannel ? [3, 4] : [],
      signal: spec.signal,
    };
    const launched = await launch([program ?? argv[0], ...rest], options);
    return new HostProcess(launched, {
      spec,
      work,
      enforced: enforcedLimits(),
      close: () => removeStage(stage),
    });
  } catch (error) {
    await removeStage(stage);
    if (error instanceof SkillError) throw error;
    throw new SkillError("SANDBOX_UNAVAILABLE", `The program could not be started (${errorCodeOf(error)}).`, {
      hint: "Check that the program exists and can be run.",
      cause: error,
    });
  }
}
