import { closeSync, mkdirSync, openSync, readSync } from "node:fs";
import { join, posix } from "node:path";
import { normalizeRelative, rejectNonEmpty } from "@skillhold/core/bundle";
import type { SkillContent } from "@skillhold/core/library";
import {
  type Clearance,
  type Collected,
  type EnforcedLimits,
  type Mount,
  type RunContext,
  type RunEnvironment,
  type RuntimeKind,
  runtimeOf,
  type SandboxSpec,
  SCRIPT_ENDINGS,
  type ScriptInput,
  type ScriptOptions,
  type ScriptRun,
} from "@skillhold/core/run";
import { makeRedactor, type Redactor } from "@skillhold/core/secret";
import type { Limits } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { rejectCanceled } from "../backend/cancel.ts";
import { findRuntime, type Runtime } from "../backend/runtime.ts";
import { removeStage } from "../backend/stage.ts";
import { type Supervised, supervise } from "../backend/supervise.ts";
import { aboutRun, checkRun, clearRun, type RunRequest } from "./clearance.ts";
import { collectRunInputs, type RunInputs } from "./run-inputs.ts";
import { runLimits } from "./run-limits.ts";
import { describeRefused, grantNetwork } from "./run-network.ts";
import { findRunEnvironment, type SkillCopy, stageSkill, withEnvironment } from "./staged-skill.ts";

/**
 * Runs a script of a skill: copies the bundle, obtains the permission for that copy, runs it in the sandbox
 * and records the outcome. The hashed copy is the one that is approved and run. All foreseeable failures are
 * checked before a person is asked.
 */
export async function runScript(
  script: string,
  options: ScriptOptions,
  context: RunContext,
): Promise<ScriptRun> {
  if (options.outputs !== undefined) rejectNonEmpty(options.outputs);
  return await withScript(script, options, context, async (prepared) => {
    const { request, program, runtime, inputs, environment, redactor, staged } = prepared;
    await clearRun(request, context);
    const command = scriptCommand(program, runtime, request.target, options.args ?? [], inputs);
    const runtimes = [...(runtime?.mounts ?? []), ...(environment?.mounts ?? [])];
    const found = withEnvironment(command, request.target, staged.content, environment);
    const spec = scriptSpec(request, staged.folder, runtimes, found, context);
    return await execute(request, spec, redactor, { ...options, stage: staged.stage }, context);
  });
}

/** Whether a script could run now: the same preparation and decision as a run, which then does not start. */
export async function clearScript(
  script: string,
  options: ScriptInput,
  context: RunContext,
): Promise<Clearance> {
  return await withScript(script, options, context, ({ request }) => checkRun(request, context));
}

interface PreparedScript {
  readonly staged: SkillCopy;
  readonly request: RunRequest;
  readonly program: ScriptProgram;
  readonly runtime: Runtime | undefined;
  readonly inputs: RunInputs;
  readonly environment: RunEnvironment | undefined;
  readonly redactor: Redactor;
}

/** Copies the skill, checks everything about the run that needs no person, and removes the copy afterward. */
async function withScript<T>(
  script: string,
  options: ScriptInput,
  context: RunContext,
  work: (prepared: PreparedScript) => Promise<T>,
): Promise<T> {
  rejectArguments(options.args ?? [], context.limits);
  const staged = await stageSkill(context);
  try {
    const { content, folder } = staged;
    const target = findScript(content, script);
    const program = scriptProgram({ ...target, head: readHead(join(folder, target.path)) });
    const runtime = program.kind === "itself" ? undefined : await findRuntime(program.runtime);
    const inputs = await collectRunInputs(content.entry, context.agent, context.ports);
    const environment = await findRunEnvironment(staged, context.ports);
    const redactor = makeRedactor(inputs.values);
    const network = await grantNetwork(options.network ?? inputs.network, staged, context.ports);
    const supplies = { ...inputs, environment, network };
    const request = scriptRequest(content, target.path, options, supplies, redactor, context);
    return await work({ staged, request, program, runtime, inputs, environment, redactor });
  } finally {
    await removeStage(staged.stage);
  }
}

/** Rejects arguments that the system would refuse, and limits the length of the record. */
function rejectArguments(args: readonly string[], { runArgumentBytes }: Limits): void {
  if (args.some((arg) => arg.includes("\0")))
    throw new SkillError("USAGE", "An argument contains a NUL character.");
  const bytes = args.reduce((sum, arg) => sum + Buffer.byteLength(arg), 0);
  if (bytes <= runArgumentBytes) return;
  throw new SkillError(
    "LIMIT_EXCEEDED",
    `The arguments have ${bytes} bytes, more than runArgumentBytes allows.`,
    {
      hint: "Pass large input through stdin or a mounted file.",
    },
  );
}

/** Finds a script by its path in the skill. The folder `scripts/` may be omitted. */
function findScript({ entry, files }: SkillContent, script: string): { path: string; executable: boolean } {
  const wanted = normalizeRelative(script);
  const found =
    files.find(({ path }) => path === wanted) ?? files.find(({ path }) => path === `scripts/${wanted}`);
  if (found !== undefined) return found;
  const scripts = files
    .filter((file) => file.role === "script" && looksRunnable(file) && !isLibrary(file.path))
    .map(({ path }) => path);
  throw new SkillError("PATH_NOT_FOUND", `The skill ${entry.id} has no script ${script}.`, {
    hint: scripts.length === 0 ? "This skill has no scripts." : `Available scripts: ${scripts.join(", ")}.`,
    details: { scripts },
  });
}

/** Files for other scripts to import, by the names that such folders have. */
function isLibrary(path: string): boolean {
  return /\/(?:lib|node_modules|vendor|__pycache__)\/|\/__init__\.py$/.test(path);
}

const HEAD_BYTES = 256;

/** Contract: no other process writes to the copy that contains the file. */
function readHead(path: string): Uint8Array {
  const fd = openSync(path, "r");
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.subarray(0, readSync(fd, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(fd);
  }
}

function scriptRequest(
  content: SkillContent,
  target: string,
  options: ScriptInput,
  inputs: Omit<RunInputs, "network"> & Pick<RunRequest, "environment" | "network">,
  redactor: Redactor,
  { ports, run }: RunContext,
): RunRequest {
  const { args = [], stdin, mounts = [], isUnsandboxed = false } = options;
  const unconfined = isUnsandboxed ? ports.unsandboxed : undefined;
  return {
    run,
    act: "run_script",
    content,
    target,
    args: args.map((arg) => redactor.text(arg)),
    stdin,
    network: inputs.network,
    mounts: [...inputs.mounts, ...mounts],
    secrets: [...inputs.values.keys()].sort(),
    sandbox: unconfined ?? ports.sandbox,
    isUnsandboxed,
    environment: inputs.environment,
  };
}

function scriptCommand(
  program: ScriptProgram,
  runtime: Runtime | undefined,
  script: string,
  args: readonly string[],
  { values }: RunInputs,
): SandboxSpec["command"] {
  return (paths) => {
    const path = join(paths.skill, script);
    const env = { ...Object.fromEntries(values), SKILL_DIR: paths.skill, CLAUDE_SKILL_DIR: paths.skill };
    if (program.kind === "itself" || runtime === undefined) return { argv: [path, ...args], env };
    return { argv: [paths.of(runtime.program), ...program.options, path, ...args], env };
  };
}

function scriptSpec(
  { content, mounts, network }: RunRequest,
  skill: string,
  runtimes: readonly Mount[],
  command: SandboxSpec["command"],
  { limits, signal }: RunContext,
): SandboxSpec {
  return {
    skill,
    mounts,
    runtimes,
    network: network.granted,
    limits: runLimits(content.entry.trust, limits),
    hasChannel: false,
    command,
    ...(signal === undefined ? {} : { signal }),
  };
}

async function execute(
  request: RunRequest,
  spec: SandboxSpec,
  redactor: Redactor,
  options: ScriptOptions & { readonly stage: string },
  context: RunContext,
): Promise<ScriptRun> {
  rejectCanceled(context.signal);
  const process = await request.sandbox.start(spec);
  context.begin();
  const started = performance.now();
  try {
    const { stdin, onOutput } = options;
    const { signal } = context;
    const { timers } = context.ports;
    const result = await supervise(process, spec.limits, {
      ...(timers === undefined ? {} : { timers }),
      filters: { stdout: redactor.stream(), stderr: redactor.stream() },
      ...(stdin === undefined ? {} : { stdin }),
      ...(onOutput === undefined ? {} : { onOutput }),
      ...(signal === undefined ? {} : { signal }),
    });
    const kept = options.outputs ?? keptFolder(request, context);
    const collected = await process.collect(kept ?? makeFolder(join(options.stage, "outputs")));
    const refusedHosts = process.refusedHosts?.() ?? [];
    const note = describeRefused(request.content.entry.id, refusedHosts);
    if (note !== "") onOutput?.("stderr", Buffer.from(note));
    const noted = { ...result, stderr: result.stderr + note };
    const ended = scriptRun(request, noted, collected, process.enforced, redactor);
    const run = refusedHosts.length === 0 ? ended : { ...ended, refusedHosts };
    await recordRun(request, run, result.outputBytes, context);
    return kept === undefined ? run : { ...run, outputs: kept };
  } catch (error) {
    const durationMs = performance.now() - started;
    const { enforced } = process;
    const failed = {
      exitCode: -1,
      outcome: "failed",
      durationMs,
      files: [],
      enforced,
      sandbox: request.sandbox.id,
    } as const;
    await recordRun(request, failed, 0, context);
    throw error;
  } finally {
    await process.dispose();
  }
}

function keptFolder({ run }: RunRequest, { ports }: RunContext): string | undefined {
  return ports.outputs === undefined ? undefined : makeFolder(join(ports.outputs, run));
}

function makeFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}

function scriptRun(
  { run, content, target, sandbox }: RunRequest,
  result: Supervised,
  { files, refused }: Collected,
  enforced: EnforcedLimits,
  redactor: Redactor,
): ScriptRun {
  const { code, signal, outcome, exceeded, isTruncated, durationMs } = result;
  return {
    run,
    skill: content.entry.id,
    treeHash: content.treeHash,
    script: target,
    exitCode: code,
    ...(signal === undefined ? {} : { signal }),
    outcome,
    ...(exceeded === undefined ? {} : { exceeded }),
    stdout: result.stdout,
    stderr: result.stderr,
    isTruncated,
    durationMs,
    files: files.map((file) => ({ ...file, path: redactor.text(file.path) })),
    refusedFiles: refused.map((file) => ({ ...file, path: redactor.text(file.path) })),
    sandbox: sandbox.id,
    enforced,
  };
}

type RunEnd = Pick<ScriptRun, "exitCode" | "outcome" | "durationMs" | "files" | "sandbox" | "enforced">;

async function recordRun(
  request: RunRequest,
  { exitCode, outcome, durationMs, files, sandbox, enforced }: RunEnd,
  outputBytes: number,
  { log }: RunContext,
): Promise<void> {
  await log.record({
    type: "skill.script_executed",
    ...aboutRun(request),
    exitCode,
    outcome,
    durationMs: Math.round(durationMs),
    outputBytes,
    files: files.length,
    sandbox,
    enforced: { ...enforced },
  });
}

/** How to run a script: an interpreter with options, or the file itself. */
type ScriptProgram =
  | { readonly kind: "interpreter"; readonly runtime: RuntimeKind; readonly options: readonly string[] }
  | { readonly kind: "itself" };

interface ScriptFile {
  readonly path: string;
  readonly executable: boolean;
  /** The first bytes of the file. */
  readonly head: Uint8Array;
}

/**
 * Chooses the program by file extension, then by the first line, then by the executable bit. The extension
 * comes first, because a first line often names a program that only its author has (`env -S uv run`).
 */
export function scriptProgram(file: ScriptFile): ScriptProgram {
  const shebang = readShebang(file.head);
  const byEnding = runtimeOf(file.path);
  if (byEnding === "shell") return interpreter(shebang?.runtime === "bash" ? "bash" : "shell");
  if (byEnding !== undefined) {
    return interpreter(byEnding, shebang?.runtime === byEnding ? shebang.options : []);
  }
  if (shebang?.runtime !== undefined) return interpreter(shebang.runtime, shebang.options);
  if (file.executable) return { kind: "itself" };
  throw new SkillError("USAGE", `${file.path} is not a script: no interpreter for it is known.`, {
    hint: `Use one of the extensions ${SCRIPT_ENDINGS.join(" ")}, or make the file executable.`,
  });
}

/** True when the name or the mode of a file suggests a script. */
export function looksRunnable({ path, executable }: Pick<ScriptFile, "path" | "executable">): boolean {
  return executable || runtimeOf(path) !== undefined;
}

const PROGRAMS: readonly (readonly [pattern: RegExp, runtime: RuntimeKind])[] = [
  [/^bash$/, "bash"],
  [/^(?:sh|dash|ash)$/, "shell"],
  [/^python(?:3(?:\.\d+)?)?$/, "python"],
  [/^node(?:js)?$/, "node"],
  [/^ruby$/, "ruby"],
  [/^perl$/, "perl"],
];

function interpreter(runtime: RuntimeKind, options: readonly string[] = []): ScriptProgram {
  return { kind: "interpreter", runtime, options };
}

/** Reads `#!/usr/bin/env -S python3 -u` and `#!/usr/bin/python3 -u`; undefined when absent or unreadable. */
function readShebang(
  head: Uint8Array,
): { readonly runtime: RuntimeKind | undefined; readonly options: readonly string[] } | undefined {
  const [line = ""] = new TextDecoder().decode(head).split("\n", 1);
  if (!line.startsWith("#!")) return undefined;
  const words = line.slice(2).trim().split(/\s+/);
  const isEnv = posix.basename(words[0] ?? "") === "env";
  const rest = isEnv ? words.slice(words[1] === "-S" ? 2 : 1) : words;
  const [program = "", ...options] = rest;
  const name = posix.basename(program);
  return { runtime: PROGRAMS.find(([pattern]) => pattern.test(name))?.[1], options };
}
