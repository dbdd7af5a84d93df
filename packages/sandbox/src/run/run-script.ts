import { closeSync, mkdirSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { normalizeRelative, rejectFilled } from "@skillhold/core/bundle";
import type { SkillContent } from "@skillhold/core/library";
import type {
  Collected,
  EnforcedLimits,
  Mount,
  RunContext,
  SandboxSpec,
  ScriptOptions,
  ScriptRun,
} from "@skillhold/core/run";
import { makeRedactor, type Redactor } from "@skillhold/core/secret";
import type { Limits } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { findRuntime, type Runtime } from "../backend/runtime.ts";
import { removeStage } from "../backend/stage.ts";
import { type Supervised, supervise } from "../backend/supervise.ts";
import { aboutRun, clearRun, type RunRequest } from "./clearance.ts";
import { runLimits } from "./run-limits.ts";
import { looksRunnable, type ScriptProgram, scriptProgram } from "./script-program.ts";
import { environmentOf, rejectAborted, stageSkill, withEnvironment } from "./staged-skill.ts";
import { collectSupply, type Supply } from "./supply.ts";

/**
 * Runs a script of a skill: copies the bundle, gets the leave to run that copy, runs it confined, and records what
 * came of it. The copy that was hashed is the one that is asked about and the one that runs. All that can be known to
 * fail is looked at before anyone is asked.
 */
export async function runScript(
  script: string,
  options: ScriptOptions,
  context: RunContext,
): Promise<ScriptRun> {
  rejectArguments(options.args ?? [], context.limits);
  if (options.outputs !== undefined) rejectFilled(options.outputs);
  const staged = await stageSkill(context);
  try {
    const { content, folder } = staged;
    const target = findScript(content, script);
    const program = scriptProgram({ ...target, head: readHead(join(folder, target.path)) });
    const runtime = program.kind === "itself" ? undefined : await findRuntime(program.runtime);
    const supply = await collectSupply(content.entry, context.agent, context.ports);
    const environment = await environmentOf(staged, context.ports);
    const redactor = makeRedactor(supply.values);
    const request = scriptRequest(content, target.path, options, supply, redactor, context);
    await clearRun(request, context);
    const command = scriptCommand(program, runtime, target.path, options.args ?? [], supply);
    const runtimes = [...(runtime?.mounts ?? []), ...(environment?.mounts ?? [])];
    const spec = scriptSpec(request, folder, runtimes, withEnvironment(command, environment), context);
    return await execute(request, spec, redactor, { ...options, stage: staged.stage }, context);
  } finally {
    await removeStage(staged.stage);
  }
}

/** What no system would start is told as what it is, and no record gets longer than a run can be. */
function rejectArguments(args: readonly string[], { runArgumentBytes }: Limits): void {
  if (args.some((arg) => arg.includes("\0")))
    throw new SkillError("USAGE", "An argument holds a NUL character.");
  const bytes = args.reduce((sum, arg) => sum + Buffer.byteLength(arg), 0);
  if (bytes <= runArgumentBytes) return;
  throw new SkillError("LIMIT_EXCEEDED", `The arguments have ${bytes} bytes (runArgumentBytes).`, {
    hint: "Pass large input by stdin, or in a mounted file.",
  });
}

/** The script by its path in the skill; the folder `scripts/` may be left out. */
function findScript({ entry, files }: SkillContent, script: string): { path: string; executable: boolean } {
  const wanted = normalizeRelative(script);
  const found =
    files.find(({ path }) => path === wanted) ?? files.find(({ path }) => path === `scripts/${wanted}`);
  if (found !== undefined) return found;
  const scripts = files
    .filter((file) => file.role === "script" && looksRunnable(file))
    .map(({ path }) => path);
  throw new SkillError("PATH_NOT_FOUND", `The skill ${entry.id} has no script ${script}.`, {
    hint: scripts.length === 0 ? "It has no scripts at all." : `Its scripts are ${scripts.join(", ")}.`,
    details: { scripts },
  });
}

const HEAD_BYTES = 256;

/** Contract: the file lies in a copy that nobody else writes to. */
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
  options: ScriptOptions,
  supply: Supply,
  redactor: Redactor,
  { ports, run }: RunContext,
): RunRequest {
  const { args = [], stdin, network, mounts = [], isUnsandboxed = false } = options;
  const unconfined = isUnsandboxed ? ports.unsandboxed : undefined;
  return {
    run,
    act: "run_script",
    content,
    target,
    args: args.map((arg) => redactor.text(arg)),
    stdin,
    network: network ?? supply.network,
    mounts: [...supply.mounts, ...mounts],
    secrets: [...supply.values.keys()].sort(),
    sandbox: unconfined ?? ports.sandbox,
    isUnsandboxed,
  };
}

function scriptCommand(
  program: ScriptProgram,
  runtime: Runtime | undefined,
  script: string,
  args: readonly string[],
  { values }: Supply,
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
    network,
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
  rejectAborted(context.signal);
  const process = await request.sandbox.start(spec);
  context.begin();
  const started = performance.now();
  try {
    const { stdin, onOutput } = options;
    const { signal } = context;
    const result = await supervise(process, spec.limits, {
      filters: { stdout: redactor.stream(), stderr: redactor.stream() },
      ...(stdin === undefined ? {} : { stdin }),
      ...(onOutput === undefined ? {} : { onOutput }),
      ...(signal === undefined ? {} : { signal }),
    });
    const kept = options.outputs ?? keptFolder(request, context);
    const collected = await process.collect(kept ?? makeFolder(join(options.stage, "outputs")));
    const run = scriptRun(request, result, collected, process.enforced, redactor);
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
