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
import { checkEvidence, type Evidence } from "./self-test-check.ts";
import { supervise } from "./supervise.ts";

/** The result of each confinement check on this machine. */
export interface SelfTestReport {
  readonly checks: readonly ProbeCheck[];
  readonly enforced: EnforcedLimits;
}

export interface SelfTestPorts {
  readonly layCanaries: typeof layCanaries;
}

/**
 * Runs a program in the sandbox that tries to escape, against canaries that are removed afterwards. A check
 * that cannot be tried counts as not confined. Throws the errors of `start`; no program has run then.
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
      const checks = checkEvidence(evidence, process.platform);
      return { checks, enforced: correct(running.enforced, checks) };
    } finally {
      await running.dispose();
    }
  } finally {
    await canaries.dispose();
  }
}

/** A limit that failed its check is reported as not enforced, whatever the backend claims. */
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
  // Node reserves half of this for code at startup.
  memoryBytes: 1024 * 1024 * 1024,
  processes: 24,
  diskBytes: 4 * 1024 * 1024,
  outputBytes: 1024 * 1024,
};

/** Lists the inherited descriptors before Node opens its own, then becomes the program. */
const listDescriptors = 'ls -l /proc/self/fd; exec "$@"';

async function describeRun(canaries: Canaries): Promise<SandboxSpec> {
  const node = await findRuntime("node");
  return {
    skill: canaries.skill,
    mounts: [],
    runtimes: node.mounts,
    // The proxy is open and allows no host, so that the checks cover it.
    network: { hosts: [] },
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
  const ending = `the program exited with ${code}: ${stderr.trim().split("\n")[0] ?? ""}`;
  const { token, sentinel } = canaries;
  const harms = await canaries.harms();
  return { observations: readLines(stdout), output: stdout, harms, collected, ending, token, sentinel };
}

function readLines(output: string): ReadonlyMap<string, Observation> {
  const lines = output.split("\n").filter((line) => line.startsWith("{"));
  // Only reports start like this; a truncated line counts as no answer.
  const observations = lines.flatMap((line) => parse(line) ?? []);
  return new Map(observations.map((each) => [each.name, each]));
}

function parse(line: string): Observation | undefined {
  try {
    // Written by our own program.
    return JSON.parse(line) as Observation;
  } catch {
    return undefined;
  }
}

/** Collects the two entries that the program created: a file, and a link to a canary. */
async function collect(running: SandboxProcess, { collected }: Canaries): Promise<Evidence["collected"]> {
  await mkdir(collected);
  await running.collect(collected);
  const read = (name: string) => readFile(join(collected, name), "utf8").catch(() => undefined);
  return { written: await read("written"), link: await read("link") };
}
