import type { SkillContent } from "@skillhold/core/library";
import { ownerPrefix } from "@skillhold/core/policy";
import type {
  RunContext,
  RunEnvironment,
  ToolAnswer,
  ToolArgs,
  ToolCatalogue,
  ToolCatalogueCache,
} from "@skillhold/core/run";
import { makeRedactor } from "@skillhold/core/secret";
import type { RunOutcome } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { isToolFile } from "@skillhold/skill";
import { findRuntime } from "../backend/runtime.ts";
import { removeStage } from "../backend/stage.ts";
import {
  type DeclaredTools,
  knownTools,
  MemoryToolCatalogueCache,
  openDeclaredTools,
} from "../declared-tool/index.ts";
import { aboutRun, clearRun, type RunRequest } from "./clearance.ts";
import { runLimits } from "./run-limits.ts";
import { environmentOf, rejectAborted, type StagedSkill, stageSkill } from "./staged-skill.ts";
import { collectSupply, type Supply } from "./supply.ts";

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
    return await this.#use(LISTING, {}, context, (set, request) =>
      recorded(request, context, () => set.tools.load()),
    );
  }

  async call(tool: string, args: ToolArgs, context: RunContext): Promise<ToolAnswer> {
    const { signal, run } = context;
    const call = signal === undefined ? {} : { signal };
    return await this.#use(tool, args, context, async (set, request) => {
      const started = performance.now();
      const { content, target } = request;
      const result = await recorded(request, context, () => set.tools.call(target, args, call));
      const durationMs = Math.round(performance.now() - started);
      return { run, skill: content.entry.id, treeHash: content.treeHash, tool: target, result, durationMs };
    });
  }

  /** Ends all processes and removes their copies. Contract: nothing is being listed or called any more. */
  async close(): Promise<void> {
    await this.#turn;
    const sets = [...this.#sets.values()];
    this.#sets.clear();
    await Promise.all(sets.map((set) => discard(set)));
  }

  /** Uses a set for something that is cleared first. What was allowed once leaves no process behind. */
  async #use<T>(
    tool: string,
    args: ToolArgs,
    context: RunContext,
    work: (set: ToolSet, request: RunRequest) => Promise<T>,
  ): Promise<T> {
    const set = await this.#open(context);
    try {
      const target = await this.#declaredName(tool, set.staged.content);
      const request = toolRequest(set, target, args, context);
      const { scope } = await clearRun(request, context);
      if (scope === "once") set.isForOnce = true;
      rejectAborted(context.signal);
      context.begin();
      return await work(set, request);
    } finally {
      set.users -= 1;
      await this.#retire(set);
    }
  }

  /** A set that is not wanted any more goes when nobody uses it. */
  async #retire(set: ToolSet): Promise<void> {
    const { id } = set.staged.content.entry;
    if (set.users > 0 || (this.#sets.get(id) === set && !set.isForOnce)) return;
    if (this.#sets.get(id) === set) this.#sets.delete(id);
    await discard(set);
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
    if (last?.staged.content.treeHash === content.treeHash && isSameSupply(last.supply, supply)) {
      last.users += 1;
      return last;
    }
    this.#sets.delete(id);
    if (last !== undefined) await this.#retire(last);
    const staged = await stageSkill(context);
    try {
      const environment = await environmentOf(staged, context.ports);
      const set = openSet(staged, supply, environment, this.#cache, context);
      this.#sets.set(id, set);
      return set;
    } catch (error) {
      await removeStage(staged.stage);
      throw error;
    }
  }

  /** The name that the skill gave it, also when it is called by the one that agents see. */
  async #declaredName(tool: string, { entry, treeHash }: SkillContent): Promise<string> {
    if (tool === LISTING) return tool;
    const known = await knownTools({ id: entry.id, treeHash }, this.#cache);
    const listed = known?.tools.find(({ toolName, name }) => toolName === tool || name === tool)?.name;
    if (known !== undefined && listed === undefined) throw noTool(entry.id, tool, known);
    const prefix = ownerPrefix(entry.id);
    return listed ?? (tool.startsWith(prefix) ? tool.slice(prefix.length) : tool);
  }
}

/** What is asked for when the tools are to be listed, which runs their modules; no tool can be called so. */
const LISTING = "tools/";
const GRACE_MS = 2000;
const IDLE_MS = 5 * 60_000;

interface ToolSet {
  readonly staged: StagedSkill;
  readonly supply: Supply;
  readonly tools: DeclaredTools;
  readonly redact: (text: string) => string;
  /** How many calls need it. */
  users: number;
  /** Whether a person let it run for a single act. */
  isForOnce: boolean;
}

function hasTools({ files }: SkillContent): boolean {
  return files.some(({ path }) => isToolFile(path));
}

function noTools(id: string): SkillError {
  return new SkillError("TOOL_NOT_FOUND", `The skill ${id} declares no tools.`);
}

function noTool(id: string, tool: string, { tools }: ToolCatalogue): SkillError {
  return new SkillError(
    "TOOL_NOT_FOUND",
    `The skill ${id} has no tool ${JSON.stringify(tool.slice(0, 128))}.`,
    {
      hint: `Its tools are ${tools.map(({ name }) => name).join(", ")}.`,
    },
  );
}

function isSameSupply(a: Supply, b: Supply): boolean {
  const text = ({ values, mounts, network }: Supply) => JSON.stringify([[...values], mounts, network]);
  return text(a) === text(b);
}

function openSet(
  staged: StagedSkill,
  supply: Supply,
  environment: RunEnvironment | undefined,
  cache: ToolCatalogueCache,
  { ports, limits }: RunContext,
): ToolSet {
  const { content, folder } = staged;
  const { entry, treeHash } = content;
  const files = content.files.map(({ path }) => path);
  const redact = makeRedactor(supply.values).text;
  const tools = openDeclaredTools(
    { id: entry.id, treeHash, folder, files },
    {
      mounts: supply.mounts,
      network: supply.network,
      env: Object.fromEntries(supply.values),
      ...(environment === undefined ? {} : { environment }),
      limits: runLimits(entry.trust, limits),
      timing: { startMs: limits.toolStartMs, callMs: limits.toolCallMs, graceMs: GRACE_MS, idleMs: IDLE_MS },
    },
    { sandbox: ports.sandbox, findRuntime, redact, cache },
  );
  return { staged, supply, tools, redact, users: 1, isForOnce: false };
}

async function discard({ staged, tools }: ToolSet): Promise<void> {
  try {
    await tools.close();
  } finally {
    await removeStage(staged.stage);
  }
}

function toolRequest(
  { staged, supply, redact }: ToolSet,
  target: string,
  args: ToolArgs,
  { ports, run, limits }: RunContext,
): RunRequest {
  const { content } = staged;
  return {
    run,
    act: "call_tool",
    content,
    target,
    args: [redact(writeArguments(args, limits))],
    network: supply.network,
    mounts: supply.mounts,
    secrets: [...supply.values.keys()].sort(),
    sandbox: ports.sandbox,
    isUnsandboxed: false,
  };
}

function writeArguments(args: ToolArgs, { runArgumentBytes }: RunContext["limits"]): string {
  let text: string;
  try {
    text = JSON.stringify(args);
  } catch (error) {
    throw new SkillError("USAGE", "The arguments of the tool are no JSON.", { cause: error });
  }
  if (Buffer.byteLength(text) <= runArgumentBytes) return text;
  throw new SkillError("LIMIT_EXCEEDED", "The arguments of the tool are too long (runArgumentBytes).");
}

/** Does the work and records how it ended, whatever came of it. */
async function recorded<T>(request: RunRequest, { log }: RunContext, work: () => Promise<T>): Promise<T> {
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
  const result = await work().catch(async (error: unknown) => {
    await record(outcomeOf(error), true);
    throw error;
  });
  await record("exited", false);
  return result;
}

function outcomeOf(error: unknown): RunOutcome {
  const code = error instanceof SkillError ? error.code : undefined;
  return code === "TIMED_OUT" ? "timed_out" : code === "INTERRUPTED" ? "aborted" : "exited";
}
