import type { Limits } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { Approvals } from "../approval/index.ts";
import type { Library } from "../library/library.ts";
import type { Viewer } from "../library/viewer.ts";
import type {
  CallOptions,
  RunContext,
  ScriptOptions,
  ScriptRun,
  SkillRunner,
  ToolAnswer,
  ToolArgs,
  ToolCatalogue,
} from "../run/index.ts";
import type { SessionPorts } from "./port.ts";
import type { SessionLog } from "./session-log.ts";

/** One use of a skill: who, which, under which id, and whom to tell when it begins. */
export interface RunUse {
  readonly viewer: Viewer;
  readonly skill: string;
  readonly run: string;
  readonly begin: () => void;
}

/** What a session runs. All of it ends with the session. What it takes is loaded by the first run: most only read. */
export class SessionRuns {
  readonly #library: Library;
  readonly #world: SessionPorts;
  readonly #log: SessionLog;
  readonly #limits: Limits;
  readonly #approvals: Approvals | undefined;
  #runner: Promise<SkillRunner> | undefined;
  #ending = new AbortController();

  constructor(library: Library, world: SessionPorts, log: SessionLog, limits: Limits) {
    this.#library = library;
    this.#world = world;
    this.#log = log;
    this.#limits = limits;
    this.#approvals = approvalsOf(world, limits);
  }

  get isPossible(): boolean {
    return this.#world.runs !== undefined;
  }

  async run(use: RunUse, script: string, options: ScriptOptions): Promise<ScriptRun> {
    const context = this.#context(use, options.signal);
    return await (await this.#open(context)).runScript(script, options, context);
  }

  async tools(use: RunUse, signal?: AbortSignal): Promise<ToolCatalogue> {
    const context = this.#context(use, signal);
    return await (await this.#open(context)).listTools(context);
  }

  async callTool(use: RunUse, tool: string, args: ToolArgs, options: CallOptions): Promise<ToolAnswer> {
    const context = this.#context(use, options.signal);
    return await (await this.#open(context)).callTool(tool, args, context);
  }

  /** What a reader of the skill should know of what it lacks here. */
  async warnings(viewer: Viewer, id: string): Promise<readonly string[]> {
    return (await this.#world.runs?.warnings?.(this.#library, viewer, id)) ?? [];
  }

  /** Calls off what is under way, and what was asked for and has not begun. */
  stop(): void {
    this.#ending.abort();
  }

  /** Lets things run again, when the session could not be closed. */
  resume(): void {
    this.#ending = new AbortController();
  }

  /** Ends what stays between calls. Contract: nothing is under way any more. */
  async close(): Promise<void> {
    await (await this.#runner)?.close();
  }

  #open({ ports }: RunContext): Promise<SkillRunner> {
    this.#runner ??= ports.runner(ports);
    return this.#runner;
  }

  #context({ viewer, skill, run, begin }: RunUse, signal: AbortSignal | undefined): RunContext {
    const { runs } = this.#world;
    if (runs === undefined || this.#approvals === undefined) throw runsNothing();
    return {
      ports: runs,
      approvals: this.#approvals,
      run,
      begin,
      log: this.#log,
      limits: this.#limits,
      agent: viewer.agent,
      signal: signal === undefined ? this.#ending.signal : AbortSignal.any([signal, this.#ending.signal]),
      read: () => this.#library.read(viewer, skill),
      copy: (folder) => this.#library.copy(viewer, skill, folder),
    };
  }
}

function approvalsOf({ runs, clock, ids, audit }: SessionPorts, limits: Limits): Approvals | undefined {
  if (runs === undefined) return undefined;
  const { approvals: store, asker } = runs;
  return new Approvals({ store, clock, ids, audit, limits, ...(asker === undefined ? {} : { asker }) });
}

function runsNothing(): SkillError {
  return new SkillError("POLICY_DENIED", "This session runs no scripts.", {
    hint: "Open it with `runs` among its ports to let it run what skills bring along.",
  });
}
