import { ALL_TOOLS } from "@skillhold/core/approval";
import { SerialQueue } from "@skillhold/core/async";
import type { SkillContent } from "@skillhold/core/library";
import { ownerPrefix } from "@skillhold/core/policy";
import { systemTimers } from "@skillhold/core/port";
import type {
  Clearance,
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
import { rejectCanceled } from "../backend/cancel.ts";
import { findRuntime } from "../backend/runtime.ts";
import { removeStage } from "../backend/stage.ts";
import {
  cachedTools,
  type DeclaredTools,
  MemoryToolCatalogueCache,
  openDeclaredTools,
  toolNotFound,
} from "../declared-tool/index.ts";
import { aboutRun, checkRun, clearRun, type RunRequest } from "./clearance.ts";
import { collectRunInputs, type RunInputs } from "./run-inputs.ts";
import { runLimits } from "./run-limits.ts";
import { grantNetwork, type RunNetwork } from "./run-network.ts";
import { findRunEnvironment, type SkillCopy, stageSkill } from "./staged-skill.ts";

/**
 * The declared tools of the skills in a session. A set of processes serves one content of one skill with one
 * set of inputs, and is replaced when either changes. No code of a skill runs before clearance.
 */
export class ToolSets {
  readonly #cache: ToolCatalogueCache;
  readonly #sets = new Map<string, ToolSet>();
  readonly #turns = new SerialQueue();

  constructor(cache: ToolCatalogueCache = new MemoryToolCatalogueCache()) {
    this.#cache = cache;
  }

  async list(context: RunContext): Promise<ToolCatalogue> {
    const content = await context.read();
    if (!hasTools(content)) return { tools: [], problems: [] };
    const known = await cachedTools({ id: content.entry.id, treeHash: content.treeHash }, this.#cache);
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

  /** Whether a tool could be called, or without one, the tools listed. */
  async clear(tool: string | undefined, args: ToolArgs, context: RunContext): Promise<Clearance> {
    if (tool === undefined && (await this.#isListed(await context.read())))
      return { verdict: "allow", rule: "listed" };
    return await this.#with(tool ?? LISTING, args, context, (_, request) => checkRun(request, context));
  }

  /** A skill without tools has an empty list, and a known list needs no skill code. */
  async #isListed(content: SkillContent): Promise<boolean> {
    if (!hasTools(content)) return true;
    const { entry, treeHash } = content;
    return (await cachedTools({ id: entry.id, treeHash }, this.#cache)) !== undefined;
  }

  /** Ends all processes and removes their copies. Contract: no listing or call is in progress. */
  async close(): Promise<void> {
    await this.#turns.idle();
    const sets = [...this.#sets.values()];
    this.#sets.clear();
    await Promise.all(sets.map((set) => discard(set)));
  }

  /** Uses a set after clearance. A set that was approved once is discarded after use. */
  async #use<T>(
    tool: string,
    args: ToolArgs,
    context: RunContext,
    work: (set: ToolSet, request: RunRequest) => Promise<T>,
  ): Promise<T> {
    return await this.#with(tool, args, context, async (set, request) => {
      const { scope } = await clearRun(request, context);
      if (scope === "once") set.isForOnce = true;
      rejectCanceled(context.signal);
      context.begin();
      return await work(set, request);
    });
  }

  async #with<T>(
    tool: string,
    args: ToolArgs,
    context: RunContext,
    work: (set: ToolSet, request: RunRequest) => Promise<T>,
  ): Promise<T> {
    const set = await this.#open(context);
    try {
      const target = await this.#declaredName(tool, set.staged.content);
      return await work(set, toolRequest(set, target, args, context));
    } finally {
      set.users -= 1;
      await this.#retire(set);
    }
  }

  /** Discards a replaced set once it has no users. */
  async #retire(set: ToolSet): Promise<void> {
    const { id } = set.staged.content.entry;
    if (set.users > 0 || (this.#sets.get(id) === set && !set.isForOnce)) return;
    if (this.#sets.get(id) === set) this.#sets.delete(id);
    await discard(set);
  }

  /** Opens sets one at a time, so that a second call finds the set of the first. */
  #open(context: RunContext): Promise<ToolSet> {
    return this.#turns.run(() => this.#findOrOpen(context));
  }

  async #findOrOpen(context: RunContext): Promise<ToolSet> {
    const content = await context.read();
    const { id } = content.entry;
    if (!hasTools(content)) throw noTools(content);
    const inputs = await collectRunInputs(content.entry, context.agent, context.ports);
    const last = this.#sets.get(id);
    if (last?.staged.content.treeHash === content.treeHash && hasSameInputs(last.inputs, inputs)) {
      last.users += 1;
      return last;
    }
    this.#sets.delete(id);
    if (last !== undefined) await this.#retire(last);
    const staged = await stageSkill(context);
    try {
      const environment = await findRunEnvironment(staged, context.ports);
      const network = await grantNetwork(inputs.network, staged, context.ports);
      const set = openSet(staged, inputs, { environment, network }, this.#cache, context);
      this.#sets.set(id, set);
      return set;
    } catch (error) {
      await removeStage(staged.stage);
      throw error;
    }
  }

  /** Maps the name that agents see, or the declared name, to the declared name. */
  async #declaredName(tool: string, { entry, treeHash }: SkillContent): Promise<string> {
    if (tool === LISTING || tool === ALL_TOOLS) return tool;
    const known = await cachedTools({ id: entry.id, treeHash }, this.#cache);
    const listed = known?.tools.find(({ toolName, name }) => toolName === tool || name === tool)?.name;
    if (known !== undefined && listed === undefined) throw toolNotFound(tool, known.tools);
    const prefix = ownerPrefix(entry.id);
    return listed ?? (tool.startsWith(prefix) ? tool.slice(prefix.length) : tool);
  }
}

/** The target of a listing, which runs the tool modules. No tool can have this name. */
const LISTING = "tools/";
const GRACE_MS = 2000;
const IDLE_MS = 5 * 60_000;

interface ToolSet {
  readonly staged: SkillCopy;
  readonly inputs: RunInputs;
  readonly environment: RunEnvironment | undefined;
  readonly network: RunNetwork;
  readonly tools: DeclaredTools;
  readonly redact: (text: string) => string;
  /** The number of active calls. */
  users: number;
  /** True when a person approved a single use. */
  isForOnce: boolean;
}

function hasTools({ files }: SkillContent): boolean {
  return files.some(({ path }) => isToolFile(path));
}

function noTools({ entry: { id }, files }: SkillContent): SkillError {
  const hasScripts = files.some(({ role }) => role === "script");
  return new SkillError("TOOL_NOT_FOUND", `The skill ${id} declares no tools.`, {
    hint: hasScripts ? "Run one of its scripts instead." : "Read the skill and follow its instructions.",
  });
}

function hasSameInputs(a: RunInputs, b: RunInputs): boolean {
  const text = ({ values, mounts, network }: RunInputs) => JSON.stringify([[...values], mounts, network]);
  return text(a) === text(b);
}

function openSet(
  staged: SkillCopy,
  inputs: RunInputs,
  { environment, network }: Pick<ToolSet, "environment" | "network">,
  cache: ToolCatalogueCache,
  { ports, limits }: RunContext,
): ToolSet {
  const { content, folder } = staged;
  const { entry, treeHash } = content;
  const files = content.files.map(({ path }) => path);
  const redact = makeRedactor(inputs.values).text;
  const tools = openDeclaredTools(
    { id: entry.id, treeHash, folder, files },
    {
      mounts: inputs.mounts,
      network: network.granted,
      env: Object.fromEntries(inputs.values),
      ...(environment === undefined ? {} : { environment }),
      limits: runLimits(entry.trust, limits),
      timing: { startMs: limits.toolStartMs, callMs: limits.toolCallMs, graceMs: GRACE_MS, idleMs: IDLE_MS },
    },
    { sandbox: ports.sandbox, findRuntime, redact, timers: ports.timers ?? systemTimers, cache },
  );
  return { staged, inputs, environment, network, tools, redact, users: 1, isForOnce: false };
}

async function discard({ staged, tools }: ToolSet): Promise<void> {
  try {
    await tools.close();
  } finally {
    await removeStage(staged.stage);
  }
}

function toolRequest(
  { staged, inputs, environment, network, redact }: ToolSet,
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
    network,
    mounts: inputs.mounts,
    secrets: [...inputs.values.keys()].sort(),
    sandbox: ports.sandbox,
    isUnsandboxed: false,
    environment,
  };
}

function writeArguments(args: ToolArgs, { runArgumentBytes }: RunContext["limits"]): string {
  let text: string;
  try {
    text = JSON.stringify(args);
  } catch (error) {
    throw new SkillError("USAGE", "The tool arguments are not valid JSON.", { cause: error });
  }
  if (Buffer.byteLength(text) <= runArgumentBytes) return text;
  throw new SkillError("LIMIT_EXCEEDED", "The tool arguments are longer than runArgumentBytes allows.");
}

/** Runs `work` and records its outcome, also when it throws. */
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
