import { randomUUID } from "node:crypto";
import type { Asker } from "@skillhold/core/approval";
import type { IndexedLibrary, LiveReloadOptions, Viewer } from "@skillhold/core/library";
import type { AuditSink, Clock, Ids } from "@skillhold/core/port";
import type { Sandbox } from "@skillhold/core/run";
import { openSession, type PromptSession, type Session, type SessionOptions } from "@skillhold/core/session";
import type { SkillEntry } from "@skillhold/protocol";
import { type LimitName, type Limits, withLimits } from "@skillhold/protocol/limits";
import { AgentSession } from "./agent-session.ts";
import type { ServedGateway, ServeOptions } from "./gateway/serve.ts";
import { openStack, type Stack, type StackChoice } from "./library/open-stack.ts";
import type { StackLog } from "./library/stack-log.ts";
import { DATA_VARIABLE } from "./place/data-folder.ts";
import { type Machine, present, thisMachine } from "./place/machine.ts";
import { rejectOldNode } from "./place/node-version.ts";
import { localRunPorts } from "./run/run-ports.ts";
import type { GatewayLayerSettings } from "./source/gateway-layer.ts";
import { localProposer } from "./store/local-proposer.ts";
import { openState, type State } from "./store/state.ts";
import type { Workspace, WorkspaceOptions } from "./workspace/open-workspace.ts";

/** How Skillhold is opened. The defaults are those of the command line; each can be replaced. */
export interface SkillholdOptions {
  /** The name of the agent runtime that uses the skills, such as `my-agent`, or several names. */
  readonly runtime: string | readonly string[];
  readonly agent?: string;
  readonly user?: string;
  /** Limits the agent to these skills. */
  readonly allow?: readonly string[];
  /** Folders of skills, in place of the discovered ones and of the user's store. */
  readonly roots?: readonly string[];
  /**
   * A workspace's folder with `config.yaml`, in place of other folders and of the store. Its listed skills are the library,
   * and `forAgent()` gives its composed prompt.
   */
  readonly workspace?: string | WorkspaceOptions;
  /** The store's URL; false for none; by default the user's own, where it exists. */
  readonly store?: string | false;
  /** False leaves out the skills of configured MCP servers. */
  readonly mcp?: boolean;
  /** Other gateways, by URL and token, whose skills are used and served beside those of this machine. */
  readonly gateways?: readonly GatewayLayerSettings[];
  /** The folder of approvals, secrets and records, in place of the user's own. */
  readonly data?: string;
  /** Trust the project's skills like the user's own. */
  readonly trustProject?: boolean;
  /** Use only reviewed content of the folders: an edit on disk becomes a proposal in the store. */
  readonly governed?: boolean;
  /** Follow changes on disk and in the store. */
  readonly watch?: boolean | LiveReloadOptions;
  /** Answers approval requests. Without it, runs that need an approval are refused. */
  readonly asker?: Asker;
  readonly sandbox?: Sandbox;
  readonly limits?: Readonly<Partial<Record<LimitName, number>>>;
  readonly clock?: Clock;
  readonly ids?: Ids;
  /** Receives every record, in place of the user's own log. */
  readonly audit?: AuditSink;
  readonly env?: Machine["env"];
  readonly cwd?: string;
  readonly onWarning?: (message: string) => void;
}

/** Opens Skillhold: folders, store, sandbox, approvals and audit with the defaults of the command line. */
export async function openSkillhold(options: SkillholdOptions): Promise<Skillhold> {
  rejectOldNode(process.versions.node);
  const machine = machineOf(options);
  const limits = options.limits === undefined ? undefined : withLimits(options.limits);
  if (options.workspace !== undefined)
    return await openInWorkspace(options, options.workspace, machine, limits);
  const stack = await openStack(choiceOf(options), machine, {
    ...present({ limits, watch: watchOf(options, machine), audit: logOf(options) }),
    onStoreFailure: (error) => machine.warn(`The store was skipped: ${error.message}`),
  });
  try {
    const state = await openState(machine);
    return new Skillhold(options, machine, stack, state, limits);
  } catch (error) {
    await stack.close();
    throw error;
  }
}

async function openInWorkspace(
  options: SkillholdOptions,
  given: string | WorkspaceOptions,
  machine: Machine,
  limits: Limits | undefined,
): Promise<Skillhold> {
  const { openWorkspace } = await import("./workspace/open-workspace.ts");
  const chosen = typeof given === "string" ? { folder: given } : given;
  const workspace = await openWorkspace(chosen, machine, limits);
  const { library, id } = workspace;
  const close = async () => {
    await workspace.close();
    await library.close();
  };
  try {
    const { runtime, user, allow } = options;
    const viewer: Viewer = { runtime, agent: options.agent ?? id, ...present({ user, allow }) };
    const state = await openState(machine);
    return new Skillhold(
      options,
      machine,
      { library, viewer, manifest: undefined, close },
      state,
      limits,
      workspace,
    );
  } catch (error) {
    await close();
    throw error;
  }
}

/** The parts of a stack that Skillhold uses. */
type SkillStack = Pick<Stack, "library" | "viewer" | "manifest" | "close">;

/** The skills system of one process. Close it when done; `await using` works, too. */
export class Skillhold implements AsyncDisposable {
  /** Every skill that the viewer may see, with search, reading and change events. */
  readonly library: IndexedLibrary;
  readonly viewer: Viewer;
  /** The workspace that was opened, if any. */
  readonly workspace: Workspace | undefined;
  readonly #options: SkillholdOptions;
  readonly #machine: Machine;
  readonly #stack: SkillStack;
  readonly #state: State;
  readonly #limits: Limits | undefined;
  readonly #open = new Set<{ close(): Promise<unknown> }>();

  constructor(
    options: SkillholdOptions,
    machine: Machine,
    stack: SkillStack,
    state: State,
    limits: Limits | undefined,
    workspace?: Workspace,
  ) {
    this.workspace = workspace;
    this.#options = options;
    this.#machine = machine;
    this.#stack = stack;
    this.#state = state;
    this.#limits = limits;
    this.library = stack.library;
    this.viewer = stack.viewer;
  }

  /** The skills that the agent may use. */
  async list(): Promise<readonly SkillEntry[]> {
    return await this.library.list(this.viewer);
  }

  /** Starts one agent's use of the skills. `forAgent()` gives the prompt and the tools. */
  session(options: SessionOptions & { readonly viewer?: Partial<Viewer> } = {}): AgentSession {
    const { viewer, ...given } = options;
    const { workspace } = this;
    const compose = workspace && ((session: PromptSession) => workspace.prompt(session));
    const rest = { ...present({ compose }), ...given };
    return new AgentSession(() => this.#openSession({ ...this.viewer, ...viewer }, rest));
  }

  /** Serves the gateway: HTTP, WebSocket, MCP and the console on one port. */
  async serve(options: ServeOptions = {}): Promise<ServedGateway> {
    const { serveGateway } = await import("./gateway/serve.ts");
    const { store, roots = [], gateways = [], sandbox } = this.#options;
    const defaults = {
      roots,
      gateways,
      ...present({ sandbox, limits: this.#limits, store: store || undefined }),
    };
    const served = await serveGateway({ ...defaults, ...options }, this.#machine);
    const entry = { close: () => served.close() };
    this.#open.add(entry);
    const close = async () => {
      this.#open.delete(entry);
      await served.close();
    };
    return { ...served, close };
  }

  /** Closes sessions and gateways that are still open, then the library and its stores. */
  async close(): Promise<void> {
    for (const each of [...this.#open].reverse()) await each.close();
    this.#open.clear();
    await this.#stack.close();
    await this.#state.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #openSession(viewer: Viewer, options: SessionOptions): Promise<Session> {
    const { approvals, secrets, audit } = this.#state;
    const { asker, sandbox, clock = systemClock, ids = systemIds } = this.#options;
    const limits = present({ limits: this.#limits });
    const runs = localRunPorts(this.#machine, {
      approvals,
      secrets,
      ...limits,
      ...present({ asker, sandbox }),
    });
    const { audit: sink } = this.#options;
    const record = sink === undefined ? { audit, uses: audit.uses } : { audit: sink };
    const { store, roots: root } = this.#options;
    const proposer = localProposer({ store, root }, this.#machine, this.#limits);
    const ports = { clock, ids, ...record, runs, ...present({ proposer }) };
    const isOwn = viewer.agent === this.viewer.agent;
    const manifest = present({ manifest: isOwn ? this.#stack.manifest : undefined });
    const session = await openSession(this.library, viewer, ports, { ...limits, ...manifest, ...options });
    this.#open.add(session);
    return session;
  }
}

const systemClock: Clock = { now: () => new Date() };
const systemIds: Ids = { next: () => randomUUID() };

function logOf({ audit }: SkillholdOptions): StackLog | undefined {
  return audit === undefined ? undefined : { audit, discoveries: audit };
}

function machineOf({ env = process.env, data, cwd, onWarning }: SkillholdOptions): Machine {
  return thisMachine({
    env: data === undefined ? env : { ...env, [DATA_VARIABLE]: data },
    ...present({ cwd, warn: onWarning }),
  });
}

function choiceOf(options: SkillholdOptions): StackChoice {
  const { runtime, roots: root, store, mcp, gateways, trustProject, governed, agent, user, allow } = options;
  return { runtime, ...present({ root, store, mcp, gateways, trustProject, governed, agent, user, allow }) };
}

function watchOf({ watch = false }: SkillholdOptions, machine: Machine): LiveReloadOptions | undefined {
  if (watch === false) return undefined;
  const onError = (error: unknown) => machine.warn(error instanceof Error ? error.message : String(error));
  return watch === true ? { onError } : watch;
}
