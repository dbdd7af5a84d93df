import type { Limits } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import {
  type Approval,
  type ApprovalCall,
  type ApprovalGift,
  type ApprovalRequest,
  Approvals,
} from "../approval/index.ts";
import type { Library } from "../library/library.ts";
import type { Viewer } from "../library/viewer.ts";
import type { AskedCall } from "../policy/index.ts";
import type {
  CallOptions,
  Clearance,
  RunContext,
  RunPorts,
  ScriptInput,
  ScriptOptions,
  ScriptRun,
  SkillRunner,
  ToolAnswer,
  ToolArgs,
  ToolCatalogue,
} from "../run/index.ts";
import type { Activation } from "./activation.ts";
import type { SessionPorts } from "./port.ts";
import type { SessionLog } from "./session-log.ts";

/** One run or tool call of a skill. `begin` is called when the run starts. */
export interface RunUse {
  readonly viewer: Viewer;
  readonly skill: string;
  readonly run: string;
  readonly begin: () => void;
}

/** The runs of a session, which end with it. The runner is loaded by the first run, because most sessions only read. */
export class SessionRuns {
  readonly #library: Library;
  readonly #ports: SessionPorts;
  readonly #log: SessionLog;
  readonly #limits: Limits;
  readonly #approvals: Approvals | undefined;
  #loaded: Promise<RunPorts> | undefined;
  #runner: Promise<SkillRunner> | undefined;
  #ending = new AbortController();

  constructor(library: Library, ports: SessionPorts, log: SessionLog, limits: Limits) {
    this.#library = library;
    this.#ports = ports;
    this.#log = log;
    this.#limits = limits;
    this.#approvals = approvalsOf(ports, limits);
  }

  get isPossible(): boolean {
    return this.#ports.runs !== undefined;
  }

  async run(use: RunUse, script: string, options: ScriptOptions): Promise<ScriptRun> {
    const context = await this.#context(use, options);
    return await (await this.#open(context)).runScript(script, options, context);
  }

  async tools(use: RunUse, options: CallOptions): Promise<ToolCatalogue> {
    const context = await this.#context(use, options);
    return await (await this.#open(context)).listTools(context);
  }

  async callTool(use: RunUse, tool: string, args: ToolArgs, options: CallOptions): Promise<ToolAnswer> {
    const context = await this.#context(use, options);
    return await (await this.#open(context)).callTool(tool, args, context);
  }

  async clearScript(use: RunUse, script: string, input: ScriptInput): Promise<Clearance> {
    const context = await this.#context(use, {});
    return await (await this.#open(context)).clearScript(script, input, context);
  }

  async clearTool(use: RunUse, tool: string | undefined, args: ToolArgs): Promise<Clearance> {
    const context = await this.#context(use, {});
    return await (await this.#open(context)).clearTool(tool, args, context);
  }

  async approve(request: ApprovalRequest, gift: ApprovalGift): Promise<Approval> {
    if (this.#approvals === undefined) throw cannotRun();
    return await this.#approvals.give(request, gift);
  }

  /** Whether a person allows a command that an active skill names too broadly. */
  async approveCommand(
    { argv, prefix, message }: AskedCall,
    { skill, treeHash, trust }: Activation,
    { agent, user }: Viewer,
    call: ApprovalCall,
  ): Promise<boolean> {
    const request: ApprovalRequest = {
      requester: { ...(agent === undefined ? {} : { agent }), ...(user === undefined ? {} : { user }) },
      ...{ skill, treeHash, trust, act: "use_tool", target: prefix.join(" "), args: argv },
      ...{ network: "host", mounts: [], secrets: [], sandbox: "host" },
      decision: { verdict: "ask", rule: "command-prefix", reason: message, reasons: [message] },
      session: this.#log.session,
      run: this.#log.nextId(),
    };
    try {
      await this.#approvals?.obtain(request, call);
      return this.#approvals !== undefined;
    } catch (error) {
      if (error instanceof SkillError) return false;
      throw error;
    }
  }

  /** Warnings about dependencies that are missing here. */
  async warnings(viewer: Viewer, id: string): Promise<readonly string[]> {
    return (await (await this.#load())?.warnings?.(this.#library, viewer, id)) ?? [];
  }

  /** Cancels running and waiting calls. */
  stop(): void {
    this.#ending.abort();
  }

  /** Allows runs again after a failed close. */
  resume(): void {
    this.#ending = new AbortController();
  }

  /** Stops processes that stay alive between calls. Contract: no call is running. */
  async close(): Promise<void> {
    await (await this.#runner)?.close();
  }

  #open({ ports }: RunContext): Promise<SkillRunner> {
    this.#runner ??= ports.runner(ports);
    return this.#runner;
  }

  #load(): Promise<RunPorts> | undefined {
    const { runs } = this.#ports;
    if (runs === undefined) return undefined;
    this.#loaded ??= "load" in runs ? runs.load() : Promise.resolve(runs);
    return this.#loaded;
  }

  async #context(
    { viewer, skill, run, begin }: RunUse,
    { signal, asker, approval }: ApprovalCall,
  ): Promise<RunContext> {
    const { signal: ending } = this.#ending;
    const runs = await this.#load();
    if (runs === undefined || this.#approvals === undefined) throw cannotRun();
    return {
      ports: runs,
      approvals: this.#approvals,
      run,
      begin,
      log: this.#log,
      limits: this.#limits,
      agent: viewer.agent,
      user: viewer.user,
      asker,
      approval,
      signal: signal === undefined ? ending : AbortSignal.any([signal, ending]),
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

function cannotRun(): SkillError {
  return new SkillError("POLICY_DENIED", "This session cannot run scripts.", {
    hint: "Open the session with a `runs` port.",
  });
}
