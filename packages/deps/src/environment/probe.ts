import type { Mount, RunLimits, Sandbox, SandboxPaths, SandboxSpec } from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";
import { makeStage, type Runtime, removeStage, supervise } from "@skillhold/sandbox/backend";
import { type ProbeInput, probeScripts } from "./probe-script.ts";

export type Language = "python" | "node";

export interface ProbeRequest {
  readonly language: Language;
  readonly runtime: Runtime;
  /** Real folders of the host that are looked into. */
  readonly folders: readonly string[];
  /** What is asked, once it is known where the folders lie inside. */
  readonly input: (inside: (hostPath: string) => string) => ProbeInput;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface ProbeAnswer {
  readonly version?: string;
  /** Where the interpreter looks by itself. */
  readonly sites: readonly string[];
  /** By group, for each of its needs whether it is there. A group without an answer is not in it. */
  readonly groups: ReadonlyMap<number, readonly boolean[]>;
  /** Why there are fewer answers than groups. */
  readonly problem?: string;
}

/** Asks an interpreter in the sandbox, in one process. What it answered before it failed counts. */
export async function askProbe(request: ProbeRequest, sandbox: Sandbox): Promise<ProbeAnswer> {
  const stage = await makeStage();
  try {
    return await ask(request, stage, sandbox);
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    return { sites: [], groups: new Map(), problem: error.message };
  } finally {
    await removeStage(stage);
  }
}

async function ask(request: ProbeRequest, stage: string, sandbox: Sandbox): Promise<ProbeAnswer> {
  const limits = probeLimits(request.timeoutMs);
  let paths: SandboxPaths | undefined;
  const process = await sandbox.start(
    probeSpec(request, stage, limits, (found) => {
      paths = found;
    }),
  );
  try {
    const stdin = JSON.stringify(request.input((path) => paths?.of(path) ?? path));
    const { signal } = request;
    const run = await supervise(process, limits, { stdin, ...(signal === undefined ? {} : { signal }) });
    const problem = problemOf(run.outcome, run.code, request);
    return { ...readAnswer(run.stdout), ...(problem === undefined ? {} : { problem }) };
  } finally {
    await process.dispose();
  }
}

const MB = 1024 * 1024;

function probeLimits(timeoutMs: number): RunLimits {
  return {
    wallMs: timeoutMs,
    cpuMs: timeoutMs,
    memoryBytes: 512 * MB,
    processes: 64,
    diskBytes: MB,
    outputBytes: 8 * MB,
  };
}

/**
 * The folders are mounted as something granted, and not as parts of an interpreter: when root asks, they may be
 * closed to every other user. The program is ours, and runs nothing of them.
 */
function probeSpec(
  { language, runtime, folders }: ProbeRequest,
  stage: string,
  limits: RunLimits,
  onPaths: (paths: SandboxPaths) => void,
): SandboxSpec {
  const mounts = folders.map((source, at): Mount => ({ source, target: `/check/${at}`, isWritable: false }));
  // Isolated: no variable, no folder of a user and no working folder adds to the search path.
  const options = language === "python" ? ["-I", "-B", "-c"] : ["--input-type=commonjs", "--eval"];
  return {
    skill: stage,
    mounts,
    runtimes: runtime.mounts,
    network: "none",
    limits,
    hasChannel: false,
    command: (paths) => {
      onPaths(paths);
      return { argv: [paths.of(runtime.program), ...options, probeScripts[language]], env: {} };
    },
  };
}

function problemOf(outcome: string, code: number, { language, timeoutMs }: ProbeRequest): string | undefined {
  if (outcome === "timed_out") return `${language} gave no answer within ${timeoutMs} ms`;
  if (outcome !== "exited") return `the check was ended (${outcome})`;
  return code === 0 ? undefined : `${language} failed with ${code}`;
}

/** Lines that are not ours are passed over: an interpreter may be set up to greet. */
function readAnswer(text: string): Omit<ProbeAnswer, "problem"> {
  const groups = new Map<number, readonly boolean[]>();
  let runtime: { readonly version?: string; readonly sites: readonly string[] } = { sites: [] };
  for (const line of text.split("\n")) {
    const value = readObject(line);
    const { group, found, version, sites } = value;
    if (typeof group === "number" && typeof found === "string" && /^[01]*$/.test(found)) {
      groups.set(
        group,
        Array.from(found, (digit) => digit === "1"),
      );
    } else if (typeof version === "string" && Array.isArray(sites)) {
      runtime = { version, sites: sites.filter((site) => typeof site === "string") };
    }
  }
  return { ...runtime, groups };
}

function readObject(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    // An object has its own keys and no others that are asked for here.
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    // Not a line of ours.
    return {};
  }
}
