import { randomBytes } from "node:crypto";
import { createRequestStateCodec, type RequestStateCodec } from "@modelcontextprotocol/server";
import type { LibraryChange, Viewer } from "@skillhold/core/library";
import {
  type AgentTool,
  type DeclaredToolList,
  declaredTools,
  findSkillTool,
  type Session,
  skillTools,
} from "@skillhold/core/session";
import type { SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { LRUCache } from "lru-cache";
import { ClientAsker } from "./client-asker.ts";
import { declaredToolTools } from "./declared-tool.ts";
import type { McpSkills } from "./port.ts";
import type { QuestionState } from "./question.ts";
import { isOwn, type ServedSkill, ServedSkills } from "./served-skill.ts";

export interface ConnectionOptions {
  /** The caller: only the caller that got a question can answer it. */
  readonly caller?: string;
  /** The key that seals the state of questions; connections that may receive the answer share it. */
  readonly stateKey?: Uint8Array;
  /** Shared by connections, because verdicts depend on content alone. */
  readonly served?: ServedSkills;
  /** Whether several conversations use the connection. A result can then not refer to an earlier one. */
  readonly isShared?: boolean;
  /** Wraps each call, to limit concurrent calls. */
  readonly attend?: <T>(work: () => Promise<T>) => Promise<T>;
}

/** The number of served skills that a connection caches. */
const MAX_SERVED = 256;

/** One client's session and its loaded skill tools. Several protocol servers may share a connection. */
export class McpConnection {
  readonly skills: McpSkills;
  readonly session: Session;
  readonly asker: ClientAsker;
  readonly states: RequestStateCodec<QuestionState>;
  readonly isShared: boolean;
  readonly #served: ServedSkills;
  readonly #own: readonly AgentTool[];
  readonly #loading: readonly AgentTool[];
  readonly #loaded = new Map<string, readonly AgentTool[]>();
  readonly #lastServed = new LRUCache<string, ServedSkill>({ max: MAX_SERVED });
  readonly #listeners = new Set<() => void>();
  readonly #attend: NonNullable<ConnectionOptions["attend"]>;
  #calls = 0;

  constructor(skills: McpSkills, session: Session, asker: ClientAsker, options: ConnectionOptions) {
    const { caller = "", stateKey = randomBytes(32), isShared = false } = options;
    this.skills = skills;
    this.session = session;
    this.asker = asker;
    this.isShared = isShared;
    this.#attend = options.attend ?? ((work) => work());
    this.#served = options.served ?? new ServedSkills(session.limits);
    const off: readonly string[] = skills.off ?? [];
    this.#own = skillTools(session).filter(({ name }) => !off.includes(name));
    this.#loading = declaredToolTools(this).filter(({ name }) => !off.includes(name));
    this.states = createRequestStateCodec({
      key: stateKey,
      ttlSeconds: Math.ceil(session.limits.approvalAnswerMs / 1000),
      bind: (ctx) => `${ctx.mcpReq.method}\0${caller}`,
    });
  }

  static async open(skills: McpSkills, options: ConnectionOptions = {}): Promise<McpConnection> {
    const asker = new ClientAsker();
    return new McpConnection(skills, await skills.openSession(asker.over, asker.waitFor), asker, options);
  }

  /** Whether a client waits for a result. */
  get isBusy(): boolean {
    return this.#calls > 0;
  }

  /** Runs expensive work, such as a tool call, within the limit of concurrent calls. */
  attend<T>(work: () => Promise<T>): Promise<T> {
    return this.occupy(() => this.#attend(work));
  }

  /** Runs work that a client waits for. The connection is not evicted meanwhile. */
  async occupy<T>(work: () => Promise<T>): Promise<T> {
    this.#calls += 1;
    try {
      return await work();
    } finally {
      this.#calls -= 1;
    }
  }

  get viewer(): Viewer {
    return this.skills.viewer;
  }

  /** The offered tools. A skill's own tools appear after they are loaded, because loading runs the skill's code. */
  async listTools(): Promise<readonly AgentTool[]> {
    const loading = this.session.canRun && (await this.#hasDeclared()) ? this.#loading : [];
    const declared: AgentTool[] = [];
    for (const [id, tools] of this.#loaded) if (await this.#isVisible(id)) declared.push(...tools);
    return [...this.#own, ...loading, ...declared];
  }

  /** Finds a tool by name or alias, and loads the tools of its skill if needed. */
  async findTool(name: string, signal?: AbortSignal): Promise<AgentTool | undefined> {
    const found = findSkillTool([...this.#own, ...this.#loading, ...this.#declared()], name);
    const owner = found === undefined ? ownerOf(name) : undefined;
    if (owner === undefined || !this.session.canRun) return found;
    if ((await this.skills.library.find(this.viewer, owner)) === undefined) return undefined;
    return (await this.loadTools(owner, signal)).tools.find((tool) => tool.name === name);
  }

  /** Loads the declared tools of a skill. This runs the skill's code and may need an approval. */
  async loadTools(id: string, signal?: AbortSignal): Promise<DeclaredToolList> {
    const listed = await declaredTools(this.session, [id], { signal });
    const [problem] = listed.problems.flatMap(({ cause }) => (cause === undefined ? [] : [cause]));
    if (problem !== undefined) throw problem;
    this.#loaded.set(id, listed.tools);
    for (const listener of this.#listeners) listener();
    return listed;
  }

  /** Calls the listener when the callable tools change; returns the function that stops it. */
  onToolChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Drops the loaded tools of changed skills. */
  forget({ changed, removed, broken }: LibraryChange): void {
    for (const id of [...changed, ...removed, ...broken.map(({ id }) => id)]) this.#loaded.delete(id);
  }

  /** The skills of this library, without those of other servers. */
  async listOwn(): Promise<readonly SkillEntry[]> {
    return (await this.skills.library.list(this.viewer)).filter(isOwn);
  }

  /** The skill as the skills extension serves it; undefined when it cannot be served or is not visible. */
  async findServed(id: string): Promise<ServedSkill | undefined> {
    this.#lastServed.delete(id);
    try {
      const verdict = await this.#served.judge(id, this.viewer, this.skills.library);
      if ("unserved" in verdict) return undefined;
      this.#remember(id, verdict.served);
      return verdict.served;
    } catch (error) {
      if (error instanceof SkillError) return undefined;
      throw error;
    }
  }

  /** The last served state. Contract: the caller compares the tree hash, because the skill may have changed. */
  lastServed(id: string): ServedSkill | undefined {
    return this.#lastServed.get(id);
  }

  /** Records a denied read of a skill that does not exist for the viewer. */
  async recordDenied(id: string, path: string): Promise<void> {
    if ((await this.skills.library.find(this.viewer, id)) !== undefined) return;
    try {
      await this.session.resource(id, path);
    } catch (error) {
      if (!(error instanceof SkillError)) throw error;
    }
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    this.#loaded.clear();
    await this.session.close();
  }

  async #hasDeclared(): Promise<boolean> {
    return (await this.skills.library.list(this.viewer)).some(({ type }) => type !== "context");
  }

  /** A loaded skill may be hidden by now. A skill that a user activated is also visible to the model. */
  async #isVisible(id: string): Promise<boolean> {
    const { invoker = this.viewer.invoker } = this.session.active().find(({ skill }) => skill === id) ?? {};
    const viewer = invoker === undefined ? this.viewer : { ...this.viewer, invoker };
    return (await this.skills.library.find(viewer, id)) !== undefined;
  }

  #remember(id: string, served: ServedSkill): void {
    this.#lastServed.set(id, served);
  }

  #declared(): readonly AgentTool[] {
    return [...this.#loaded.values()].flat();
  }
}

/** The skill that a tool name belongs to. Ids have no underscore; the id `mcp` gets a hyphen in tool names. */
function ownerOf(name: string): string | undefined {
  return /^([a-z0-9]+(?:-[a-z0-9]+)*)-?__/.exec(name)?.[1];
}
