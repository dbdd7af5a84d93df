import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type {
  EnforcedLimits,
  ProbeCheck,
  RunLimits,
  Sandbox,
  SandboxProcess,
  SandboxSpec,
} from "@skillhold/core/run";
import type { Observation } from "./probe.ts";
import { findRuntime } from "./runtime.ts";
import { type Canaries, layCanaries } from "./self-test-canary.ts";
import { type Evidence, judge } from "./self-test-check.ts";
import { supervise } from "./supervise.ts";

/** What a sandbox confines on this machine, each part of it tried. */
export interface SelfTestReport {
  readonly checks: readonly ProbeCheck[];
  readonly enforced: EnforcedLimits;
}

export interface SelfTestPorts {
  readonly layCanaries: typeof layCanaries;
}

/**
 * Runs a program in the sandbox that tries to get out of it, against canaries that are laid out for it and taken
 * away again. What cannot be tried counts as not confined. Throws what `start` throws: then nothing has run.
 */
export async function selfTest(
  sandbox: Pick<Sandbox, "start">,
  ports: SelfTestPorts = { layCanaries },
): Promise<SelfTestReport> {
  const canaries = await ports.layCanaries(limits);
  try {
    const running = await sandbox.start(await describeRun(canaries));
    try {
      const evidence = await observe(running, canaries);
      const checks = judge(evidence, process.platform);
      return { checks, enforced: correct(running.enforced, checks) };
    } finally {
      await running.dispose();
    }
  } finally {
    await canaries.dispose();
  }
}

/** A limit that was tried and did not hold is none, whatever the backend says of it. */
function correct(claimed: EnforcedLimits, checks: readonly ProbeCheck[]): EnforcedLimits {
  const holds = (name: string) => checks.some((check) => check.name === name && check.isConfined);
  return {
    ...claimed,
    disk: holds("exceed-disk") ? claimed.disk : "none",
    processes: holds("exceed-processes") ? claimed.processes : "none",
  };
}

const limits: RunLimits = {
  wallMs: 15_000,
  cpuMs: 10_000,
  // Node sets aside half of this for code before it starts.
  memoryBytes: 1024 * 1024 * 1024,
  processes: 24,
  diskBytes: 4 * 1024 * 1024,
  outputBytes: 1024 * 1024,
};

/** Lists the descriptors that were handed down, before Node opens its own, and becomes the program. */
const listDescriptors = 'ls -l /proc/self/fd; exec "$@"';

async function describeRun(canaries: Canaries): Promise<SandboxSpec> {
  const node = await findRuntime("node");
  return {
    skill: canaries.skill,
    mounts: [],
    runtimes: node.mounts,
    network: "none",
    limits,
    hasChannel: false,
    command: (paths) => ({
      argv: [
        "/bin/sh",
        "-c",
        listDescriptors,
        "sh",
        paths.of(node.program),
        join(paths.skill, canaries.program),
      ],
      env: {},
    }),
  };
}

async function observe(running: SandboxProcess, canaries: Canaries): Promise<Evidence> {
  const { stdout, stderr, code } = await supervise(running, limits);
  const collected = await collect(running, canaries);
  const ending = `the program ended with ${code}: ${stderr.trim().split("\n")[0] ?? ""}`;
  const { token, sentinel } = canaries;
  const harms = await canaries.harms();
  return { observations: readLines(stdout), output: stdout, harms, collected, ending, token, sentinel };
}

function readLines(output: string): ReadonlyMap<string, Observation> {
  const lines = output.split("\n").filter((line) => line.startsWith("{"));
  // The program writes nothing else that starts like this; a cut line is an attempt without an answer.
  const observations = lines.flatMap((line) => parse(line) ?? []);
  return new Map(observations.map((each) => [each.name, each]));
}

function parse(line: string): Observation | undefined {
  try {
    // Our own program wrote it.
    return JSON.parse(line) as Observation;
  } catch {
    return undefined;
  }
}

/** What came back of the two things that the program left in its folder: a file, and a link to a canary. */
async function collect(running: SandboxProcess, { collected }: Canaries): Promise<Evidence["collected"]> {
  await mkdir(collected);
  await running.collect(collected);
  const read = (name: string) => readFile(join(collected, name), "utf8").catch(() => undefined);
  return { written: await read("written"), link: await read("link") };
}
