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
import { ClientAsker } from "./client-asker.ts";
import { loadingTool } from "./loading-tool.ts";
import type { McpSkills } from "./port.ts";
import type { QuestionState } from "./question.ts";
import { isOwn, type ServedSkill, ServedSkills } from "./served-skill.ts";

export interface ConnectionOptions {
  /** Who is at the other end; what one was asked another cannot answer. */
  readonly caller?: string;
  /** Seals what goes out with a question; the same for all connections that may be given the answer. */
  readonly stateKey?: Uint8Array;
  /** Shared by connections, since it is about contents. */
  readonly served?: ServedSkills;
  /**
   * Whether several conversations may use it that do not know of each other. To say of a text that it stands above is
   * then not possible.
   */
  readonly isShared?: boolean;
  /** Put around each call, to bound how many there are. */
  readonly attend?: <T>(work: () => Promise<T>) => Promise<T>;
}

/** How many skills of a connection are remembered as they were served. */
const REMEMBERED = 256;

/** One client's use of skills: its session, and the tools of skills that it has loaded. Several servers may be over it. */
export class McpConnection {
  readonly skills: McpSkills;
  readonly session: Session;
  readonly asker: ClientAsker;
  readonly states: RequestStateCodec<QuestionState>;
  readonly isShared: boolean;
  readonly #served: ServedSkills;
  readonly #own: readonly AgentTool[];
  readonly #loading: AgentTool = loadingTool(this);
  readonly #loaded = new Map<string, readonly AgentTool[]>();
  readonly #lastServed = new Map<string, ServedSkill>();
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
    this.#own = skillTools(session, skills.off === undefined ? {} : { off: skills.off });
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

  /** Whether a client waits for something. */
  get isBusy(): boolean {
    return this.#calls > 0;
  }

  /** Does work of some size for a client, such as a call of a tool, within the bounds that there are for calls. */
  attend<T>(work: () => Promise<T>): Promise<T> {
    return this.occupy(() => this.#attend(work));
  }

  /** Does what a client waits for: nobody closes the connection meanwhile to make room. */
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

  /** The tools that are offered. To know those of a skill it has to be run, so that they are there once it is loaded. */
  async listTools(): Promise<readonly AgentTool[]> {
    const loading = this.session.canRun && (await this.#hasDeclared()) ? [this.#loading] : [];
    const declared: AgentTool[] = [];
    for (const [id, tools] of this.#loaded) if (await this.#isVisible(id)) declared.push(...tools);
    return [...this.#own, ...loading, ...declared];
  }

  /** A tool by a name that was listed at some time, or by an alias. One of a skill may have to be loaded for it. */
  async findTool(name: string, signal?: AbortSignal): Promise<AgentTool | undefined> {
    const found = findSkillTool([...this.#own, this.#loading, ...this.#declared()], name);
    const owner = found === undefined ? ownerOf(name) : undefined;
    if (owner === undefined || !this.session.canRun) return found;
    if ((await this.skills.library.find(this.viewer, owner)) === undefined) return undefined;
    return (await this.loadTools(owner, signal)).tools.find((tool) => tool.name === name);
  }

  /** Loads the tools that a skill declares, which runs it; with the leave that this takes. */
  async loadTools(id: string, signal?: AbortSignal): Promise<DeclaredToolList> {
    const listed = await declaredTools(this.session, [id], signal);
    const [refusal] = listed.problems.flatMap(({ cause }) => (cause === undefined ? [] : [cause]));
    if (refusal !== undefined) throw refusal;
    this.#loaded.set(id, listed.tools);
    for (const listener of this.#listeners) listener();
    return listed;
  }

  /** Calls back when other tools can be called than before; returns the way to stop. */
  onToolChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What is loaded of skills that are other ones now is no longer known. */
  forget({ changed, removed, broken }: LibraryChange): void {
    for (const id of [...changed, ...removed, ...broken.map(({ id }) => id)]) this.#loaded.delete(id);
  }

  /** The skills that may be served as such, if they can be. */
  async listOwn(): Promise<readonly SkillEntry[]> {
    return (await this.skills.library.list(this.viewer)).filter(isOwn);
  }

  /** The skill as the skills extension serves it; undefined where it does not, or the viewer sees none of this id. */
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

  /** As it was served last. Contract: whoever uses it makes sure by the tree hash that the skill is still the same. */
  lastServed(id: string): ServedSkill | undefined {
    return this.#lastServed.get(id);
  }

  /** Has it recorded that a file was asked for which does not exist for the viewer. */
  async refuse(id: string, path: string): Promise<void> {
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

  /** What was loaded may be another's by now. A skill that a user has started is there for the model as well. */
  async #isVisible(id: string): Promise<boolean> {
    const { invoker = this.viewer.invoker } = this.session.active().find(({ skill }) => skill === id) ?? {};
    const viewer = invoker === undefined ? this.viewer : { ...this.viewer, invoker };
    return (await this.skills.library.find(viewer, id)) !== undefined;
  }

  #remember(id: string, served: ServedSkill): void {
    this.#lastServed.set(id, served);
    const [oldest] = this.#lastServed.keys();
    if (this.#lastServed.size > REMEMBERED && oldest !== undefined) this.#lastServed.delete(oldest);
  }

  #declared(): readonly AgentTool[] {
    return [...this.#loaded.values()].flat();
  }
}

/** The skill that a tool of this name is of: an id has no underscore, and the one named `mcp` ends with a hyphen there. */
function ownerOf(name: string): string | undefined {
  return /^([a-z0-9]+(?:-[a-z0-9]+)*)-?__/.exec(name)?.[1];
}
