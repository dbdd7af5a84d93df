import type { Digest, RunOutcome, SkillId } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import {
  type DeclaredTools,
  knownTools,
  MemoryToolCatalogueCache,
  openDeclaredTools,
  type ToolCatalogue,
  type ToolCatalogueCache,
} from "../declared-tool/index.ts";
import type { SkillContent } from "../library/library.ts";
import { findRuntime } from "../sandbox/runtime.ts";
import { removeStage } from "../sandbox/stage.ts";
import { makeRedactor } from "../secret/index.ts";
import { isToolFile } from "../skill/index.ts";
import { aboutRun, clearRun, type RunRequest } from "./clearance.ts";
import { runLimits } from "./run-limits.ts";
import { type RunContext, type StagedSkill, stageSkill } from "./staged-skill.ts";
import { collectSupply, type Supply } from "./supply.ts";

export type ToolArgs = Readonly<Record<string, unknown>>;

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** What a declared tool answered. */
export interface ToolAnswer {
  readonly run: string;
  readonly skill: SkillId;
  readonly treeHash: Digest;
  readonly tool: string;
  readonly result: unknown;
  readonly durationMs: number;
}

/**
 * The declared tools of the skills that a session uses. A set of processes serves one content of one skill with what
 * it was supplied; when either changes, another set takes its place. Nothing of a skill is run before it is cleared.
 */
export class ToolSets {
  readonly #cache: ToolCatalogueCache;
  readonly #sets = new Map<string, ToolSet>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(cache: ToolCatalogueCache = new MemoryToolCatalogueCache()) {
    this.#cache = cache;
  }

  async list(context: RunContext): Promise<ToolCatalogue> {
    const content = await context.read();
    if (!hasTools(content)) return { tools: [], problems: [] };
    const known = await knownTools({ id: content.entry.id, treeHash: content.treeHash }, this.#cache);
    if (known !== undefined) return known;
    const set = await this.#open(context);
    await clearRun(toolRequest(set, LISTING, {}, context), context);
    return await set.tools.load();
  }

  async call(tool: string, args: ToolArgs, context: RunContext): Promise<ToolAnswer> {
    const set = await this.#open(context);
    const name = await this.#declaredName(tool, set.staged.content);
    const request = toolRequest(set, name, args, context);
    await clearRun(request, context);
    return await callRecorded(request, set.tools, args, context);
  }

  /** Ends all processes and removes their copies. */
  async close(): Promise<void> {
    const sets = [...this.#sets.values()];
    this.#sets.clear();
    await Promise.all(sets.map((set) => discard(set)));
  }

  /** One at a time, so that of two calls the second finds what the first has opened. */
  #open(context: RunContext): Promise<ToolSet> {
    const result = this.#turn.then(() => this.#findOrOpen(context));
    // A failure is told to the one who asked; the next in turn tries for itself.
    this.#turn = result.catch(() => {});
    return result;
  }

  async #findOrOpen(context: RunContext): Promise<ToolSet> {
    const content = await context.read();
    const { id } = content.entry;
    if (!hasTools(content)) throw noTools(id);
    const supply = await collectSupply(content.entry, context.agent, context.ports);
    const last = this.#sets.get(id);
    if (last?.staged.content.treeHash === content.treeHash && isSameSupply(last.supply, supply)) return last;
    this.#sets.delete(id);
    if (last !== undefined) await discard(last);
    const set = openSet(await stageSkill(context), supply, this.#cache, context);
    this.#sets.set(id, set);
    return set;
  }

  /** The name that the skill gave it, also when it is called by the one that agents see. */
  async #declaredName(tool: string, { entry, treeHash }: SkillContent): Promise<string> {
    const known = await knownTools({ id: entry.id, treeHash }, this.#cache);
    const prefix = `${entry.id}__`;
    const listed = known?.tools.find(({ toolName, name }) => toolName === tool || name === tool)?.name;
    return listed ?? (tool.startsWith(prefix) ? tool.slice(prefix.length) : tool);
  }
}

/** What is asked for when the tools are to be listed. */
const LISTING = "tools";
const GRACE_MS = 2000;
const IDLE_MS = 5 * 60_000;

interface ToolSet {
  readonly staged: StagedSkill;
  readonly supply: Supply;
  readonly tools: DeclaredTools;
}

function hasTools({ files }: SkillContent): boolean {
  return files.some(({ path }) => isToolFile(path));
}

function noTools(id: string): SkillError {
  return new SkillError("TOOL_NOT_FOUND", `The skill ${id} declares no tools.`);
}

function isSameSupply(a: Supply, b: Supply): boolean {
  const text = ({ values, mounts, network }: Supply) => JSON.stringify([[...values], mounts, network]);
  return text(a) === text(b);
}

function openSet(
  staged: StagedSkill,
  supply: Supply,
  cache: ToolCatalogueCache,
  { ports, limits }: RunContext,
): ToolSet {
  const { content, folder } = staged;
  const { entry, treeHash } = content;
  const files = content.files.map(({ path }) => path);
  const tools = openDeclaredTools(
    { id: entry.id, treeHash, folder, files },
    {
      mounts: supply.mounts,
      network: supply.network,
      env: Object.fromEntries(supply.values),
      limits: runLimits(entry.trust, limits),
      timing: { startMs: limits.toolStartMs, callMs: limits.toolCallMs, graceMs: GRACE_MS, idleMs: IDLE_MS },
    },
    { sandbox: ports.sandbox, findRuntime, redact: makeRedactor(supply.values).text, cache },
  );
  return { staged, supply, tools };
}

async function discard({ staged, tools }: ToolSet): Promise<void> {
  try {
    await tools.close();
  } finally {
    await removeStage(staged.stage);
  }
}

function toolRequest(
  { staged, supply }: ToolSet,
  target: string,
  args: ToolArgs,
  { ports, ids }: RunContext,
): RunRequest {
  const { content } = staged;
  return {
    run: ids.next(),
    act: "call_tool",
    content,
    target,
    args: [JSON.stringify(args)],
    network: supply.network,
    mounts: supply.mounts,
    secrets: [...supply.values.keys()].sort(),
    sandbox: ports.sandbox,
    isUnsandboxed: false,
  };
}

async function callRecorded(
  request: RunRequest,
  tools: DeclaredTools,
  args: ToolArgs,
  { log, signal }: RunContext,
): Promise<ToolAnswer> {
  const started = performance.now();
  const record = (outcome: RunOutcome, isError: boolean) => {
    const durationMs = Math.round(performance.now() - started);
    const sandbox = request.sandbox.id;
    return log.record({
      type: "skill.tool_called",
      ...aboutRun(request),
      isError,
      outcome,
      durationMs,
      sandbox,
    });
  };
  const { content, target, run } = request;
  const result = await tools
    .call(target, args, signal === undefined ? {} : { signal })
    .catch(async (error: unknown) => {
      await record(outcomeOf(error), true);
      throw error;
    });
  await record("exited", false);
  const durationMs = performance.now() - started;
  return { run, skill: content.entry.id, treeHash: content.treeHash, tool: target, result, durationMs };
}

function outcomeOf(error: unknown): RunOutcome {
  const code = error instanceof SkillError ? error.code : undefined;
  return code === "TIMED_OUT" ? "timed_out" : code === "INTERRUPTED" ? "aborted" : "exited";
}
