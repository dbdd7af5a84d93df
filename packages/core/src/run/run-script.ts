import { closeSync, mkdirSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { Digest, RunOutcome, SkillId } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { normalizeRelative } from "../bundle/index.ts";
import type { SkillContent } from "../library/library.ts";
import { findRuntime } from "../sandbox/runtime.ts";
import type {
  Collected,
  EnforcedLimits,
  LimitKind,
  Mount,
  Network,
  SandboxId,
  SandboxPaths,
  SandboxSpec,
} from "../sandbox/sandbox.ts";
import { removeStage } from "../sandbox/stage.ts";
import { type Supervised, supervise } from "../sandbox/supervise.ts";
import { makeRedactor, type Redactor } from "../secret/index.ts";
import { aboutRun, clearRun, type RunRequest } from "./clearance.ts";
import { runLimits } from "./run-limits.ts";
import { looksRunnable, type ScriptProgram, scriptProgram } from "./script-program.ts";
import { type RunContext, stageSkill } from "./staged-skill.ts";
import { collectSupply, type Supply } from "./supply.ts";

export interface ScriptOptions {
  readonly args?: readonly string[];
  readonly stdin?: string | Uint8Array;
  /** Output as it comes, without the values of secrets. */
  readonly onOutput?: (stream: "stdout" | "stderr", chunk: Uint8Array) => void;
  readonly signal?: AbortSignal;
  /** Never taken from a model. */
  readonly network?: Network;
  /** Never taken from a model. */
  readonly mounts?: readonly Mount[];
  /** The second switch for running without a sandbox; it does nothing without the first. */
  readonly isUnsandboxed?: boolean;
  /** Where the files that it produces are put; an empty folder. */
  readonly outputs?: string;
}

/** What came of a run. A script that fails is a result, not an error. */
export interface ScriptRun {
  readonly run: string;
  readonly skill: SkillId;
  readonly treeHash: Digest;
  readonly script: string;
  readonly exitCode: number;
  readonly signal?: string;
  readonly outcome: RunOutcome;
  /** The limit that ended it. */
  readonly exceeded?: LimitKind;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether there was more output than was kept. */
  readonly isTruncated: boolean;
  readonly durationMs: number;
  readonly files: Collected["files"];
  readonly refusedFiles: Collected["refused"];
  /** Where the files are; undefined when they were not kept. */
  readonly outputs?: string;
  readonly sandbox: SandboxId;
  readonly enforced: EnforcedLimits;
}

/**
 * Runs a script of a skill: copies the bundle, gets the leave to run that copy, runs it confined, and records what
 * came of it. The copy that was hashed is the one that is asked about and the one that runs.
 */
export async function runScript(
  script: string,
  options: ScriptOptions,
  context: RunContext,
): Promise<ScriptRun> {
  const staged = await stageSkill(context);
  try {
    const { content, folder } = staged;
    const target = findScript(content, script);
    const program = scriptProgram({ ...target, head: readHead(join(folder, target.path)) });
    const supply = await collectSupply(content.entry, context.agent, context.ports);
    const request = scriptRequest(content, target.path, options, supply, context);
    await clearRun(request, context);
    const spec = await scriptSpec(request, program, folder, supply, context);
    return await execute(
      request,
      spec,
      makeRedactor(supply.values),
      { ...options, stage: staged.stage },
      context,
    );
  } finally {
    await removeStage(staged.stage);
  }
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
  { ports, ids }: RunContext,
): RunRequest {
  const { args = [], network, mounts = [], isUnsandboxed = false } = options;
  const unconfined = isUnsandboxed ? ports.unsandboxed : undefined;
  return {
    run: ids.next(),
    act: "run_script",
    content,
    target,
    args,
    network: network ?? supply.network,
    mounts: [...supply.mounts, ...mounts],
    secrets: [...supply.values.keys()].sort(),
    sandbox: unconfined ?? ports.sandbox,
    isUnsandboxed,
  };
}

async function scriptSpec(
  { content, target, args, mounts, network }: RunRequest,
  program: ScriptProgram,
  folder: string,
  { values }: Supply,
  { limits }: RunContext,
): Promise<SandboxSpec> {
  const runtime = program.kind === "itself" ? undefined : await findRuntime(program.runtime);
  const before = (paths: SandboxPaths) =>
    program.kind === "itself" || runtime === undefined ? [] : [paths.of(runtime.program), ...program.options];
  return {
    skill: folder,
    mounts,
    runtimes: runtime?.mounts ?? [],
    network,
    limits: runLimits(content.entry.trust, limits),
    hasChannel: false,
    command: (paths) => ({
      // There is at least the script itself.
      argv: [...before(paths), join(paths.skill, target), ...args] as unknown as [string, ...string[]],
      env: { ...Object.fromEntries(values), SKILL_DIR: paths.skill, CLAUDE_SKILL_DIR: paths.skill },
    }),
  };
}

async function execute(
  request: RunRequest,
  spec: SandboxSpec,
  redactor: Redactor,
  options: ScriptOptions & { readonly stage: string },
  context: RunContext,
): Promise<ScriptRun> {
  const process = await request.sandbox.start(spec);
  try {
    const { stdin, onOutput } = options;
    const { signal } = context;
    const watched = onOutput === undefined ? undefined : redactOutput(redactor, onOutput);
    const result = await supervise(process, spec.limits, {
      ...(stdin === undefined ? {} : { stdin }),
      ...(watched === undefined ? {} : { onOutput: watched.push }),
      ...(signal === undefined ? {} : { signal }),
    });
    watched?.end();
    const kept = options.outputs ?? keptFolder(request, context);
    const collected = await process.collect(kept ?? makeFolder(join(options.stage, "outputs")));
    const run = scriptRun(request, result, collected, process.enforced, redactor);
    await recordRun(request, run, result.outputBytes, context);
    return kept === undefined ? run : { ...run, outputs: kept };
  } finally {
    await process.dispose();
  }
}

function redactOutput(redactor: Redactor, onOutput: NonNullable<ScriptOptions["onOutput"]>) {
  const streams = { stdout: redactor.stream(), stderr: redactor.stream() };
  const pass = (stream: "stdout" | "stderr", bytes: Uint8Array) => {
    if (bytes.length > 0) onOutput(stream, bytes);
  };
  return {
    push: (stream: "stdout" | "stderr", chunk: Uint8Array) => pass(stream, streams[stream].push(chunk)),
    end: () => {
      pass("stdout", streams.stdout.end());
      pass("stderr", streams.stderr.end());
    },
  };
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
    stdout: redactor.text(result.stdout),
    stderr: redactor.text(result.stderr),
    isTruncated,
    durationMs,
    files,
    refusedFiles: refused,
    sandbox: sandbox.id,
    enforced,
  };
}

async function recordRun(
  request: RunRequest,
  { exitCode, outcome, durationMs, files, sandbox, enforced }: ScriptRun,
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
