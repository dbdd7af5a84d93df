import { defaultLimits, type Limits, type SkillEntry, SkillError } from "@skillhold/protocol";
import type { Catalogue } from "../catalogue/index.ts";
import type { ByteRange, Library, SearchResult, SkillContent } from "../library/library.ts";
import type { Viewer } from "../library/viewer.ts";
import type { GuardOptions, ToolVerdict } from "../policy/index.ts";
import type {
  CallOptions,
  ScriptOptions,
  ScriptRun,
  ToolAnswer,
  ToolArgs,
  ToolCatalogue,
} from "../run/index.ts";
import {
  type Activation,
  activatedEvent,
  activationOf,
  type HandoverRecord,
  type Invoker,
  isRepeat,
} from "./activation.ts";
import { type ActivatedSkill, writeRepeat } from "./activation-text.ts";
import { prepareHandover } from "./handover.ts";
import type { SessionPorts, SkillPublisher } from "./port.ts";
import type { Published } from "./publication.ts";
import { explainRefusal, hiddenReason, type Request, withAdvice } from "./refusal.ts";
import { readSessionResource, type SessionResource } from "./resource.ts";
import { type CatalogueRequest, sessionCatalogue } from "./session-catalogue.ts";
import { SessionGuard } from "./session-guard.ts";
import { SessionLog } from "./session-log.ts";
import { publishForSession } from "./session-publish.ts";
import { type RunUse, SessionRuns } from "./session-run.ts";
import { runSlash, type SlashResult } from "./slash.ts";
import { type ToolContext, toolContextOf } from "./tool-context.ts";

export interface SessionOptions {
  /** The task that the session starts with; `beginTask` goes on to another. */
  readonly task?: string;
  /** Whether the agent can open files by itself; it is then told where a skill's folder is. */
  readonly hasFileSystem?: boolean;
  /** Whether files deeper than one folder may be read. They may, unless this is false. */
  readonly allowNested?: boolean;
  /** Ids that stand in the catalogue before all others. */
  readonly pins?: readonly string[];
  /** What the active skills' allowed-tools mean for the agent's tools, and how the host calls its own. */
  readonly guard?: GuardOptions;
  readonly limits?: Limits;
}

export interface ActivateOptions {
  /** What the user typed after the skill's name. */
  readonly args?: string;
  /** Hand the text over even if the session has it. */
  readonly again?: boolean;
  /** Who starts it, when it is not the one whom the session's viewer names. Never taken from a model. */
  readonly invoker?: Invoker;
  /** Refuse a text that costs more, before anything is recorded. */
  readonly maxTokens?: number;
}

export interface Deactivation {
  readonly id: string;
  readonly wasActive: boolean;
}

/** Starts one agent's use of a library. */
export async function openSession(
  library: Library,
  viewer: Viewer,
  ports: SessionPorts,
  options: SessionOptions = {},
): Promise<Session> {
  const log = new SessionLog(ports, options.task);
  await log.opened(viewer);
  const runs = new SessionRuns(library, ports, log, options.limits ?? defaultLimits);
  return new Session(library, viewer, options, log, runs, ports.publisher);
}

/**
 * One agent's use of a library: what it was given, and the record of it. Nothing is handed over before its record
 * is made, and when the record fails, nothing is.
 */
export class Session {
  readonly id: string;
  readonly viewer: Viewer;
  readonly limits: Limits;
  readonly #library: Library;
  readonly #options: SessionOptions;
  readonly #log: SessionLog;
  readonly #runs: SessionRuns;
  readonly #guard: SessionGuard;
  readonly #publisher: SkillPublisher | undefined;
  readonly #active = new Map<string, Activation>();
  #isClosed = false;
  #turn: Promise<unknown> = Promise.resolve();
  readonly #reads = new Set<Promise<unknown>>();
  #closing: Promise<unknown> = Promise.resolve();

  constructor(
    library: Library,
    viewer: Viewer,
    options: SessionOptions,
    log: SessionLog,
    runs: SessionRuns,
    publisher?: SkillPublisher,
  ) {
    this.id = log.session;
    this.viewer = viewer;
    this.limits = options.limits ?? defaultLimits;
    this.#library = library;
    this.#options = options;
    this.#log = log;
    this.#runs = runs;
    this.#publisher = publisher;
    this.#guard = new SessionGuard(options.guard, log);
  }

  list(): Promise<readonly SkillEntry[]> {
    return this.#whileOpen(() => this.#library.list(this.viewer));
  }

  search(query: string, limit?: number): Promise<readonly SearchResult[]> {
    const options = limit === undefined ? {} : { limit };
    return this.#whileOpen(() => this.#library.search(this.viewer, query, options));
  }

  /** Level 1: what the agent is told about the skills that exist for it. */
  catalogue(request: CatalogueRequest = {}): Promise<Catalogue> {
    const { pins = [], hasFileSystem = false } = this.#options;
    const settings = { pinned: pins, locations: hasFileSystem, limits: this.limits };
    return this.#whileOpen(() => sessionCatalogue(request, settings, this.viewer, this.#library));
  }

  /** Level 2. Hands over a skill's instructions and records that it did; a repetition is answered by a note. */
  activate(id: string, options: ActivateOptions = {}): Promise<ActivatedSkill> {
    return this.#inTurn(() => this.#activate(id, options));
  }

  /** Ends the use of a skill. What it allowed or forbade ends with it; reading it later starts it anew. */
  deactivate(id: string): Promise<Deactivation> {
    return this.#inTurn(async () => {
      this.#rejectClosed();
      const before = this.#active.get(id);
      if (before === undefined) return { id, wasActive: false };
      await this.#log.record({ type: "skill.deactivated", skill: before.skill, hash: before.treeHash });
      this.#active.delete(id);
      return { id, wasActive: true };
    });
  }

  /** Level 3. One bundled file or a part of it; a skill need not be active, only visible. */
  resource(id: string, path: string, range?: ByteRange): Promise<SessionResource> {
    return this.#whileOpen(() => this.#resource(id, path, range));
  }

  /** Whether this session can run what skills bring along at all. */
  get canRun(): boolean {
    return this.#runs.isPossible;
  }

  /** Runs a script of a skill, if policy and approvals let it; the skill need not be active, only visible. */
  run(id: string, script: string, options: ScriptOptions = {}): Promise<ScriptRun> {
    return this.#whileOpen(async () => {
      const call = { tool: "run_skill_script", input: { skill_id: id, script } };
      await this.#guard.rejectBlocked(call, this.active());
      return await this.#running("run_script", id, script, (use) => this.#runs.run(use, script, options));
    });
  }

  /** The tools that a skill declares. To know them its modules are run, so that this needs the same leave as a call. */
  tools(id: string, signal?: AbortSignal): Promise<ToolCatalogue> {
    return this.#whileOpen(() =>
      this.#running("call_tool", id, undefined, (use) => this.#runs.tools(use, signal)),
    );
  }

  /** Calls a tool that a skill declares, by its own name or as `<id>__<tool>`. */
  callTool(id: string, tool: string, args: ToolArgs = {}, options: CallOptions = {}): Promise<ToolAnswer> {
    return this.#whileOpen(async () => {
      await this.#guard.rejectBlocked({ tool, input: args, owner: id }, this.active());
      return await this.#running("call_tool", id, tool, (use) =>
        this.#runs.callTool(use, tool, args, options),
      );
    });
  }

  get canPublish(): boolean {
    return this.#publisher !== undefined;
  }

  /** Publishes a skill that the agent has written. */
  publish(path: string): Promise<Published> {
    return this.#whileOpen(() => publishForSession(path, this.viewer, this.#publisher, this.#log));
  }

  /** Asks the active skills whether a tool may be called. A call that one of them blocks is recorded. */
  async guard(tool: string, input: unknown, owner?: string): Promise<ToolVerdict> {
    const call = { tool, input, ...(owner === undefined ? {} : { owner }) };
    return await this.#guard.judge(call, this.active());
  }

  /** The skills in use, in the order in which they were last handed over. */
  active(): readonly Activation[] {
    return [...this.#active.values()];
  }

  toolContext(): ToolContext {
    return toolContextOf(this.id, this.viewer, this.#log.task, this.active());
  }

  /** What is recorded from now on belongs to this task. */
  beginTask(task: string | undefined): void {
    this.#log.task = task;
  }

  /** Carries out what a user typed, or answers undefined when it is not a command. */
  async slash(line: string): Promise<SlashResult | undefined> {
    const viewer: Viewer = { ...this.viewer, invoker: "user" };
    return await runSlash(line, {
      list: () => this.#whileOpen(() => this.#library.list(viewer)),
      activate: (id, args) => this.activate(id, { args, invoker: "user" }),
      refused: (name) => this.#whileOpen(() => this.#recordHidden(name, viewer)),
    });
  }

  /** Ends the session after what is under way; closing it twice is closing it once. */
  close(): Promise<void> {
    const reads = [...this.#reads];
    this.#runs.stop();
    const result = this.#inTurn(async () => {
      await Promise.all(reads);
      await this.#runs.close();
      if (this.#isClosed) return;
      await this.#log.record({ type: "session.closed" });
      this.#isClosed = true;
      this.#active.clear();
    });
    // If it fails, the one who closes is told, and the session is still open.
    this.#closing = result.catch(() => this.#runs.resume());
    return result;
  }

  async #activate(id: string, options: ActivateOptions): Promise<ActivatedSkill> {
    this.#rejectClosed();
    const { args = "", again = false, maxTokens = Number.POSITIVE_INFINITY } = options;
    const viewer = this.#viewerFor(id, options.invoker);
    const content = await this.#guarded({ act: "activate", skill: id }, viewer, () =>
      this.#library.read(viewer, id),
    );
    if (!again && isRepeat(this.#active.get(content.entry.id), content, args)) return writeRepeat(content);
    const { hasFileSystem = false } = this.#options;
    const lacks = await this.#runs.warnings(viewer, content.entry.id);
    const world = { viewer, lacks, active: this.#active, limits: this.limits };
    const handover = { content, args, hasFileSystem, maxTokens, ...world };
    const { skill, record } = await prepareHandover(handover, this.#library);
    await this.#recordActivation(content, viewer.invoker ?? "model", record);
    return skill;
  }

  async #resource(id: string, path: string, range: ByteRange | undefined): Promise<SessionResource> {
    const viewer = this.#viewerFor(id);
    const { allowNested = true } = this.#options;
    const read = { id, path, range, allowNested, before: this.#active.get(id) };
    const resource = await this.#guarded({ act: "read_resource", skill: id, path }, viewer, () =>
      readSessionResource(read, viewer, this.#library),
    );
    const { skill, treeHash: hash, digest, start, length } = resource;
    const part = { path: resource.path, digest, start, length };
    await this.#log.record({ type: "skill.resource_read", skill, hash, ...part });
    return resource;
  }

  async #recordActivation(content: SkillContent, invoker: Invoker, handover: HandoverRecord): Promise<void> {
    const at = this.#log.now();
    const { args } = handover;
    const activation = activationOf(content, { session: this.id, task: this.#log.task, at, invoker, args });
    await this.#log.record(activatedEvent(activation, handover), at);
    // Deleted first, so that the order is that of the last handover.
    this.#active.delete(activation.skill);
    this.#active.set(activation.skill, activation);
  }

  /** A skill in use is read for whoever started it: the files of one that a user started are for the model as well. */
  #viewerFor(id: string, invoker?: Invoker): Viewer {
    const chosen = invoker ?? this.#active.get(id)?.invoker ?? this.viewer.invoker ?? "model";
    return { ...this.viewer, invoker: chosen };
  }

  /** Runs something of a skill. What fails after it has begun is no refusal, and has a record of its own. */
  #running<T>(
    act: Request["act"],
    skill: string,
    path: string | undefined,
    work: (use: RunUse) => Promise<T>,
  ): Promise<T> {
    const viewer = this.#viewerFor(skill);
    const run = this.#log.nextId();
    const request = { act, skill, run, ...(path === undefined ? {} : { path }) };
    return this.#guarded(request, viewer, (begin) => work({ viewer, skill, run, begin }));
  }

  /** Does what goes through the gate; what is refused is recorded with its reason and thrown with advice. */
  async #guarded<T>(request: Request, viewer: Viewer, work: (begin: () => void) => Promise<T>): Promise<T> {
    let hasBegun = false;
    try {
      return await work(() => {
        hasBegun = true;
      });
    } catch (error) {
      if (!(error instanceof SkillError) || hasBegun) throw error;
      const refusal = await explainRefusal(request, error, viewer, this.#library);
      await this.#log.record({ type: "skill.denied", ...refusal });
      throw await withAdvice(request, error, viewer, this.#library);
    }
  }

  /** A user's misspelling is nobody's refusal; asking for a skill that is hidden is one. */
  async #recordHidden(skill: string, viewer: Viewer): Promise<void> {
    const reason = await hiddenReason(skill, viewer, this.#library);
    if (reason === undefined) return;
    const message = "It is not open to the user.";
    await this.#log.record({ type: "skill.denied", act: "activate", skill, reason, message });
  }

  /** One change at a time, so that of two equal requests the second finds what the first has done. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    // A failure is told to the one who asked; the next in turn starts all the same.
    this.#turn = result.catch(() => {});
    return result;
  }

  /**
   * Reads run side by side. Closing waits for those that were asked for before it, and those after it wait for it.
   * Contract: `read` waits for nothing that is in turn, which may be waiting for it.
   */
  #whileOpen<T>(read: () => Promise<T>): Promise<T> {
    const result = this.#closing.then(() => {
      this.#rejectClosed();
      return read();
    });
    // A failure is told to the one who asked.
    const settled: Promise<unknown> = result.then(
      () => this.#reads.delete(settled),
      () => this.#reads.delete(settled),
    );
    this.#reads.add(settled);
    return result;
  }

  #rejectClosed(): void {
    if (!this.#isClosed) return;
    throw new SkillError("USAGE", "The session is closed.", { hint: "Open a new session." });
  }
}
