import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type {
  EnforcedLimits,
  Enforcement,
  LimitKind,
  ProbeCheck,
  RunLimits,
  Sandbox,
  SandboxProcess,
} from "@skillhold/core/run";
import { MOST_INODES } from "./run-sample.ts";
import { findRuntime } from "./runtime.ts";
import { makeStage, removeStage } from "./stage.ts";
import { supervise } from "./supervise.ts";

/** Leaves time for several looks at a limit that is sampled. */
const afterLooks = 'setTimeout(() => console.log("the limit was exceeded"), 5000);';

/** Each process stays below the limit, and both together exceed it. */
function inTwoProcesses(work: string): string {
  const child = JSON.stringify(
    `${work} process.send("done"); process.on("disconnect", () => process.exit());`,
  );
  return `const { spawn } = require("node:child_process");
let left = 2;
for (let at = 0; at < 2; at += 1) {
  const child = spawn(process.execPath, ["-e", ${child}], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  // The kernel may end one process alone.
  child.on("exit", () => process.exit(1));
  child.on("message", () => {
    left -= 1;
    if (left === 0) setTimeout(() => { console.log("the limit was exceeded"); process.exit(0); }, 5000);
  });
}`;
}

/** Programs that exceed one limit of a whole run each. Every one ends its run, so each has a run of its own. */
export const trialTable: readonly LimitTrial[] = [
  {
    name: "exceed-memory",
    title: "cannot use more memory than its limit with two processes",
    kind: "memory",
    limits: { memoryBytes: 384 * 1024 * 1024 },
    program: inTwoProcesses(
      "const kept = []; for (let at = 0; at < 18; at += 1) kept.push(Buffer.alloc(16 << 20, 1));",
    ),
  },
  {
    name: "exceed-cpu",
    title: "cannot use more CPU time than its limit with two processes",
    kind: "cpu",
    limits: { cpuMs: 1000 },
    program: inTwoProcesses("while (process.cpuUsage().user < 700000);"),
  },
  {
    name: "exceed-inodes",
    title: "cannot create more files than its limit",
    kind: "disk",
    limits: {},
    program: `const { closeSync, openSync } = require("node:fs");
for (let at = 0; at < ${MOST_INODES + 10_000}; at += 1) closeSync(openSync(String(at), "w"));
${afterLooks}`,
  },
];

interface LimitTrial {
  readonly name: string;
  readonly title: string;
  readonly kind: LimitKind;
  readonly limits: Partial<RunLimits>;
  readonly program: string;
}

export interface LimitTrials {
  readonly checks: readonly ProbeCheck[];
  /** The claims of the backend, without those that a trial refuted. */
  readonly enforced: EnforcedLimits;
}

/** Exceeds the limits of memory, CPU time and files, and reports which of them ended the run. */
export async function tryLimits(
  sandbox: Pick<Sandbox, "start">,
  claimed: EnforcedLimits,
  trials = trialTable,
): Promise<LimitTrials> {
  const checks: ProbeCheck[] = [];
  let enforced = claimed;
  const stage = await makeStage();
  try {
    const skill = join(stage, "skill");
    await mkdir(skill);
    for (const trial of trials) {
      const check = await tryLimit(sandbox, trial, skill);
      checks.push(check);
      if (!check.isConfined && isRefutable(enforced[trial.kind]) && trial.kind !== "disk")
        enforced = { ...enforced, [trial.kind]: "none" };
    }
    return { checks, enforced };
  } finally {
    await removeStage(stage);
  }
}

/** A limit of each process does not claim to cover two. */
function isRefutable(claim: Enforcement): boolean {
  return claim === "run" || claim === "sampled";
}

const roomy: RunLimits = {
  wallMs: 60_000,
  cpuMs: 60_000,
  memoryBytes: 1024 * 1024 * 1024,
  processes: 64,
  diskBytes: 4 * 1024 * 1024,
  outputBytes: 65_536,
};

async function tryLimit(
  sandbox: Pick<Sandbox, "start">,
  { name, title, kind, limits: own, program }: LimitTrial,
  skill: string,
): Promise<ProbeCheck> {
  const limits = { ...roomy, ...own };
  const node = await findRuntime("node");
  const running: SandboxProcess = await sandbox.start({
    skill,
    mounts: [],
    runtimes: node.mounts,
    network: "none",
    limits,
    hasChannel: false,
    command: (paths) => ({ argv: [paths.of(node.program), "-e", program], env: {} }),
  });
  try {
    const { exceeded, code, stdout, stderr } = await supervise(running, limits);
    if (exceeded === kind) return { name, title, isConfined: true, detail: "the run was ended" };
    const said = (stdout || stderr).trim().split("\n")[0] ?? "";
    const detail =
      exceeded === undefined
        ? `the program exited with ${code}: ${said}`
        : `the run was ended by ${exceeded}`;
    return { name, title, isConfined: false, detail };
  } finally {
    await running.dispose();
  }
}
