import type { RuntimeKind } from "@skillhold/core/run";
import type { Runtime } from "@skillhold/sandbox/backend";
import { runCommand } from "./command.ts";
import type { Argv } from "./install-command.ts";
import type { Variables } from "./install-variable.ts";
import { findProgram } from "./program-lookup.ts";

/** What this machine has to run skills with, and to install what they need. */
export interface RuntimeReport {
  readonly runtimes: readonly RuntimeState[];
  /** Whether skills in Python and in JavaScript can be run, and what they need be installed. */
  readonly ready: boolean;
}

export interface RuntimeState {
  readonly name: string;
  readonly available: boolean;
  readonly version?: string;
  /** Where it lies. */
  readonly path?: string;
  /** Whether `ready` depends on it. */
  readonly required: boolean;
}

export interface RuntimesPorts {
  readonly env: Variables;
  readonly findRuntime: (kind: RuntimeKind) => Promise<Runtime>;
  readonly platform: string;
  readonly signal?: AbortSignal;
}

/** Asks each for its version, all at once and each within its time. What does not answer is there without one. */
export async function checkRuntimes(ports: RuntimesPorts): Promise<RuntimeReport> {
  const runtimes = await Promise.all([
    ofInterpreter("python3", "python", ports),
    ofPip(ports),
    ofInterpreter("node", "node", ports),
    ofProgram("npm", true, ports),
    ofProgram("uv", false, ports),
    ofProgram("bwrap", ports.platform === "linux", ports),
    // It has no option that tells its version.
    ofProgram("doas", false, ports, false),
    ofProgram("sudo", false, ports),
  ]);
  return { runtimes, ready: runtimes.every(({ available, required }) => available || !required) };
}

async function ofInterpreter(name: string, kind: RuntimeKind, ports: RuntimesPorts): Promise<RuntimeState> {
  const runtime = await ports.findRuntime(kind).catch(() => undefined);
  if (runtime === undefined) return absent(name, true);
  const { program } = runtime;
  const version = runtime.version ?? (await versionOf([program, "--version"], ports));
  return { name, available: true, path: program, required: true, ...(version && { version }) };
}

/** The pip of the Python that runs skills: another one installs for another Python. */
async function ofPip(ports: RuntimesPorts): Promise<RuntimeState> {
  const runtime = await ports.findRuntime("python").catch(() => undefined);
  const version = runtime && (await versionOf([runtime.program, "-I", "-m", "pip", "--version"], ports));
  return version === undefined
    ? absent("pip3", true)
    : { name: "pip3", available: true, version, required: true };
}

async function ofProgram(
  name: string,
  required: boolean,
  ports: RuntimesPorts,
  tellsVersion = true,
): Promise<RuntimeState> {
  const path = await findProgram(name, ports.env["PATH"] ?? "");
  if (path === undefined) return absent(name, required);
  const version = tellsVersion ? await versionOf([path, "--version"], ports) : undefined;
  return { name, available: true, path, required, ...(version && { version }) };
}

function absent(name: string, required: boolean): RuntimeState {
  return { name, available: false, required };
}

/** All are asked at once, which takes a busy machine seconds. */
const ANSWER_MS = 10_000;

async function versionOf(argv: Argv, { env, signal }: RuntimesPorts): Promise<string | undefined> {
  const { code, stdout, stderr } = await runCommand(argv, {
    env: { PATH: env["PATH"] ?? "", HOME: env["HOME"] ?? "/", LANG: "C.UTF-8" },
    timeoutMs: ANSWER_MS,
    ...(signal === undefined ? {} : { signal }),
  });
  return code === 0 ? /\d+(?:\.\d+)+[0-9A-Za-z.+-]*/.exec(`${stdout}\n${stderr}`)?.[0] : undefined;
}
