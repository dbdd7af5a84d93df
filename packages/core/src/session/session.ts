import { defaultLimits, type Limits, type SkillEntry, SkillError } from "@skillhold/protocol";
import { ALL_TOOLS, type Approval, type ApprovalCall, type ApprovalGift } from "../approval/index.ts";
import { SerialQueue } from "../async/index.ts";
import type { ByteRange, Library, SearchResult, SkillContent, SkillFile } from "../library/library.ts";
import type { Viewer } from "../library/viewer.ts";
import type {
  CallOptions,
  Clearance,
  ClearanceTarget,
  ScriptInput,
  ScriptOptions,
  ScriptRun,
  ToolAnswer,
  ToolArgs,
  ToolCatalogue,
} from "../run/index.ts";
import {
  type ActivateOptions,
  type Activation,
  type ActivationRecord,
  activatedEvent,
  activationOf,
  type Deactivation,
  type Invoker,
  isRepeat,
  prepareActivation,
} from "./activation.ts";
import { type ActivatedSkill, type RepeatNote, writeRepeat } from "./activation-text.ts";
import { bindSkill } from "./bound-skill.ts";
import { explainDenial, hiddenReason, type Request, withHint } from "./denial.ts";
import type { InlineFile, SessionPorts, SkillPublisher } from "./port.ts";
import type { Published } from "./publication.ts";
import { readSessionResource, type SessionResource } from "./resource.ts";
import {
  type CatalogueRequest,
  type SessionCatalogue,
  sessionCatalogue,
  useCounts,
} from "./session-catalogue.ts";
import { SessionGuard, type SettledVerdict, settle, toolBlocked } from "./session-guard.ts";
import { type Recorded, SessionLog } from "./session-log.ts";
import type { SessionManifest, SessionOptions } from "./session-option.ts";
import { SessionProposals } from "./session-proposal.ts";
import { publishForSession } from "./session-publish.ts";
import { type RunUse, SessionRuns } from "./session-run.ts";
import { runSlash, type SlashResult } from "./slash.ts";
import {
  parseSessionSnapshot,
  type ResumedState,
  type Resumption,
  restoreActivations,
  type SessionSnapshot,
  takeSnapshot,
} from "./snapshot.ts";
import { type ToolContext, toolContextOf } from "./tool-context.ts";

/** Opens a session: one agent's use of a library. */
export async function openSession(
  library: Library,
  viewer: Viewer,
  ports: SessionPorts,
  options: SessionOptions = {},
): Promise<Session> {
  const snapshot = options.resume === undefined ? undefined : parseSessionSnapshot(options.resume);
  const log = new SessionLog(ports, options.task ?? snapshot?.task);
  const resumed =
    snapshot === undefined ? undefined : await restoreActivations(snapshot, log.session, viewer, library);
  await log.opened(viewer, resumed?.resumption);
  const runs = new SessionRuns(library, ports, log, options.limits ?? defaultLimits);
  const session = new Session(library, viewer, options, log, runs, ports, resumed);
  try {
    if (options.manifest !== undefined) await session.bind(options.manifest);
    return session;
  } catch (error) {
    // A session that cannot be opened completely is closed, so that its record ends.
    await session.close();
    throw error;
  }
}

/**
 * One agent's use of a library, and the record of it. Skill content leaves a session only through `SessionLog.disclose`,
 * so its record is written first, and a failed record returns no content.
 */
export class Session implements AsyncDisposable {
  readonly id: string;
  readonly viewer: Viewer;
  readonly limits: Limits;
  /** Set for a session that continues an earlier one: the activations that it has and those that it dropped. */
  readonly resumed: Resumption | undefined;
  readonly #library: Library;
  readonly #options: SessionOptions;
  readonly #log: SessionLog;
  readonly #runs: SessionRuns;
  readonly #guard: SessionGuard;
  readonly #publisher: SkillPublisher | undefined;
  /** Proposals for changes and new skills. The skills themselves do not change. */
  readonly proposals: SessionProposals;
  readonly #uses: NonNullable<SessionPorts["uses"]>;
  readonly #active = new Map<string, Activation>();
  #instructions = "";
  #isClosed = false;
  /** Runs changes one at a time, so that the second of two equal requests sees the result of the first. */
  readonly #turns = new SerialQueue();
  readonly #reads = new Set<Promise<unknown>>();
  #closing: Promise<unknown> = Promise.resolve();

  constructor(
    library: Library,
    viewer: Viewer,
    options: SessionOptions,
    log: SessionLog,
    runs: SessionRuns,
    ports: Pick<SessionPorts, "publisher" | "proposer" | "uses"> = {},
    resumed?: ResumedState,
  ) {
    this.id = log.session;
    this.viewer = viewer;
    this.limits = options.limits ?? defaultLimits;
    this.#library = library;
    this.#options = options;
    this.#log = log;
    this.#runs = runs;
    const { publisher, proposer, uses = async () => new Map() } = ports;
    this.#publisher = publisher;
    const search = async (text: string) =>
      (await library.search(viewer, text.slice(0, 1000), { limit: 5 })).map(({ entry }) => entry);
    const open = <T>(work: () => Promise<T>) => this.#whileOpen(work);
    this.proposals = new SessionProposals(viewer, proposer, log, { limits: this.limits, search, open });
    // Read once, because a catalogue that changes with each use would invalidate the client's prompt cache.
    let known: ReturnType<typeof uses> | undefined;
    this.#uses = () => (known ??= uses());
    this.#guard = new SessionGuard(options.guard, log);
    this.resumed = resumed?.resumption;
    for (const activation of resumed?.active ?? []) {
      this.#active.set(activation.skill, activation);
      this.proposals.gave(activation);
    }
  }

  list(): Promise<readonly SkillEntry[]> {
    return this.#whileOpen(() => this.#library.list(this.viewer));
  }

  search(query: string, limit?: number): Promise<readonly SearchResult[]> {
    return this.#whileOpen(async () => {
      const options = { uses: useCounts(await this.#uses()), ...(limit === undefined ? {} : { limit }) };
      return await this.#library.search(this.viewer, query, options);
    });
  }

  /** Level 1: the list of visible skills, as text for the agent. */
  catalogue(request: CatalogueRequest = {}): Promise<SessionCatalogue> {
    const { pins = [], hasFileSystem = false, manifest } = this.#options;
    const pinned = [...new Set([...pins, ...(manifest?.pins ?? [])])];
    const settings = { pinned, locations: hasFileSystem, limits: this.limits, uses: this.#uses };
    return this.#whileOpen(() => sessionCatalogue(request, settings, this.viewer, this.#library));
  }

  /** The whole system prompt of a workspace; undefined for an agent with a catalogue. */
  async composedPrompt(): Promise<string | undefined> {
    return await this.#options.compose?.(this);
  }

  /** The text of the skills that the manifest uses, then its instructions; for the system prompt. */
  get instructions(): string {
    return this.#instructions;
  }

  /** Activates the skills that a manifest uses, in order. `openSession` calls it. */
  async bind({ id, usesSkills, instructions = "" }: SessionManifest): Promise<void> {
    const texts: string[] = [];
    for (const skill of usesSkills) texts.push((await bindSkill(skill, id, this)).text);
    this.#instructions = [...texts, instructions]
      .map((text) => text.trim())
      .filter((text) => text !== "")
      .join("\n\n");
  }

  /** Level 2. Records an activation and returns the skill's instructions; a repeated activation returns a note. */
  activate(id: string, options: ActivateOptions = {}): Promise<Recorded<ActivatedSkill> | RepeatNote> {
    return this.#turns.run(() => this.#activate(id, options));
  }

  /** Ends an activation, and its tool restrictions with it. */
  deactivate(id: string): Promise<Deactivation> {
    return this.#turns.run(async () => {
      this.#rejectClosed();
      const before = this.#active.get(id);
      if (before === undefined) return { id, wasActive: false };
      await this.#log.record({ type: "skill.deactivated", skill: before.skill, hash: before.treeHash });
      this.#active.delete(id);
      return { id, wasActive: true };
    });
  }

  /** Level 3. Records a read and returns one bundled file or a part of it. The skill must be visible, not active. */
  resource(id: string, path: string, range?: ByteRange): Promise<Recorded<SessionResource>> {
    return this.#whileOpen(() => this.#resource(id, path, range));
  }

  /** The names, sizes and digests of a skill's files; their content comes from `resource`. */
  files(id: string): Promise<readonly SkillFile[]> {
    return this.#whileOpen(() => this.#library.files(this.#viewerFor(id), id));
  }

  /** Calls back when skills of the library change, whether this session sees them or not. Returns the way to stop. */
  onChange(listener: () => void): () => void {
    return this.#library.onChange(() => listener());
  }

  /** Whether this session can run scripts and declared tools. */
  get canRun(): boolean {
    return this.#runs.isPossible;
  }

  /** Runs a script of a skill, subject to policy and approval. The skill must be visible, not active. */
  run(id: string, script: string, options: ScriptOptions = {}): Promise<ScriptRun> {
    return this.#whileOpen(async () => {
      const call = { tool: "run_skill_script", input: { skill_id: id, script } };
      await this.#guard.rejectBlocked(call, this.active());
      const start = (use: RunUse) => this.#runs.run(use, script, options);
      return this.proposals.ran(await this.#running("run_script", id, script, start));
    });
  }

  /** The tools that a skill declares. Listing them runs the skill's modules, so it needs the same permission as a call. */
  tools(id: string, options: CallOptions = {}): Promise<ToolCatalogue> {
    return this.#whileOpen(() =>
      this.#running("call_tool", id, undefined, (use) => this.#runs.tools(use, options)),
    );
  }

  /**
   * Whether a run could start now: allowed, to be approved first, or denied. Writes no record and starts no skill code,
   * so a host can ask its own user before the run. Everything may change until the run, which decides again.
   */
  clearance(id: string, target: { readonly script: string }, input?: ScriptInput): Promise<Clearance>;
  clearance(id: string, target: ClearanceTarget, input?: ToolArgs): Promise<Clearance>;
  clearance(id: string, target: ClearanceTarget, input: ScriptInput | ToolArgs = {}): Promise<Clearance> {
    return this.#whileOpen(() => this.#clearance(id, target, input));
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

  /** Whether `publish` takes the files of a skill instead of its folder. */
  get publishesFiles(): boolean {
    return this.#publisher !== undefined && "publishFiles" in this.#publisher;
  }

  /** Publishes a skill that the agent wrote: a folder of its workspace, or files. */
  publish(skill: string | readonly InlineFile[]): Promise<Published> {
    return this.#whileOpen(() => publishForSession(skill, this.viewer, this.#publisher, this.#log));
  }

  /**
   * Checks a tool call against the active skills. A command that a skill names too broadly, such as `Bash(git:*)`, needs an
   * approval, which is remembered by the first words of the command for this content. A blocked call is recorded.
   */
  async guard(
    tool: string,
    input: unknown,
    owner?: string,
    options: ApprovalCall = {},
  ): Promise<SettledVerdict> {
    const call = { tool, input, ...(owner === undefined ? {} : { owner }) };
    return await this.#guard.judge(call, this.active(), (asked, skill) =>
      this.#runs.approveCommand(asked, skill, this.viewer, options),
    );
  }

  /**
   * Approves a run of the current content before a run asks for it. Undefined when the policy needs no approval. Never
   * called for a model.
   */
  approve(id: string, target: ClearanceTarget, gift: ApprovalGift): Promise<Approval | undefined> {
    return this.#whileOpen(async () => {
      const cleared = await this.#clearance(id, target, {});
      if (cleared.verdict === "deny") throw cleared.error;
      return cleared.request === undefined ? undefined : await this.#runs.approve(cleared.request, gift);
    });
  }

  /** The active skills, ordered by their last activation. */
  active(): readonly Activation[] {
    return [...this.#active.values()];
  }

  /** The state to continue from in another process, as plain JSON. Pass it as `resume` of `openSession`. */
  snapshot(): SessionSnapshot {
    return takeSnapshot(this.id, this.#log.task, this.active());
  }

  toolContext(): ToolContext {
    return toolContextOf(this.id, this.viewer, this.#log.task, this.active());
  }

  /** Later events belong to this task. */
  beginTask(task: string | undefined): void {
    this.#log.task = task;
  }

  /** Runs a slash command that a user typed. Undefined when the line is not a command. */
  async slash(line: string): Promise<SlashResult | undefined> {
    const viewer: Viewer = { ...this.viewer, invoker: "user" };
    return await runSlash(line, {
      list: () => this.#whileOpen(() => this.#library.list(viewer)),
      activate: (id, args) => this.activate(id, { args, invoker: "user" }),
      denied: (name) => this.#whileOpen(() => this.#recordHidden(name, viewer)),
    });
  }

  /** Closes the session after pending calls. Closing again has no effect. */
  close(): Promise<void> {
    const reads = [...this.#reads];
    this.#runs.stop();
    const result = this.#turns.run(async () => {
      await Promise.all(reads);
      await this.#runs.close();
      if (this.#isClosed) return;
      await this.#log.record({ type: "session.closed" });
      this.#isClosed = true;
      this.#active.clear();
    });
    // If closing fails, the caller gets the error and the session stays open.
    this.#closing = result.catch(() => this.#runs.resume());
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #clearance(id: string, target: ClearanceTarget, input: ScriptInput | ToolArgs): Promise<Clearance> {
    const viewer = this.#viewerFor(id);
    const use = { viewer, skill: id, run: this.#log.nextId(), begin: () => {} };
    try {
      const blocked = this.#blockedTarget(id, target, input);
      if (blocked !== undefined) throw blocked;
      if ("script" in target) return await this.#runs.clearScript(use, target.script, input);
      // The overloads give every other target the arguments of a tool.
      const args = input as ToolArgs;
      const tool = "tool" in target ? target.tool : "all" in target ? ALL_TOOLS : undefined;
      return await this.#runs.clearTool(use, tool, args);
    } catch (error) {
      if (!(error instanceof SkillError)) throw error;
      return { verdict: "deny", error };
    }
  }

  #blockedTarget(id: string, target: ClearanceTarget, input: ScriptInput | ToolArgs): SkillError | undefined {
    if ("list" in target || "all" in target) return undefined;
    const call =
      "script" in target
        ? { tool: "run_skill_script", input: { skill_id: id, script: target.script } }
        : { tool: target.tool, input, owner: id };
    const verdict = settle(this.#guard.decide(call, this.active()));
    return verdict.verdict === "blocked" ? toolBlocked(verdict) : undefined;
  }

  async #activate(id: string, options: ActivateOptions): Promise<Recorded<ActivatedSkill> | RepeatNote> {
    this.#rejectClosed();
    const { args = "", again = false, maxTokens = Number.POSITIVE_INFINITY } = options;
    const viewer = this.#viewerFor(id, options.invoker);
    const content = await this.#guarded({ act: "activate", skill: id }, viewer, () =>
      this.#library.read(viewer, id),
    );
    if (!again && isRepeat(this.#active.get(content.entry.id), content, args)) return writeRepeat(content);
    const { hasFileSystem = false } = this.#options;
    const missing = await this.#runs.warnings(viewer, content.entry.id);
    const state = { viewer, missing, active: this.#active, limits: this.limits };
    const request = { content, args, hasFileSystem, maxTokens, ...state };
    const { skill, record } = await prepareActivation(request, this.#library);
    return await this.#discloseActivation(skill, content, viewer.invoker, record);
  }

  async #resource(
    id: string,
    path: string,
    range: ByteRange | undefined,
  ): Promise<Recorded<SessionResource>> {
    const viewer = this.#viewerFor(id);
    const { allowNested = true } = this.#options;
    const read = { id, path, range, allowNested, before: this.#active.get(id) };
    const resource = await this.#guarded({ act: "read_resource", skill: id, path }, viewer, () =>
      readSessionResource(read, viewer, this.#library),
    );
    const { skill, treeHash: hash, digest, start, length } = resource;
    const part = { path: resource.path, digest, start, length };
    return await this.#log.disclose(resource, { type: "skill.resource_read", skill, hash, ...part });
  }

  async #discloseActivation(
    text: ActivatedSkill,
    content: SkillContent,
    invoker: Invoker,
    record: ActivationRecord,
  ): Promise<Recorded<ActivatedSkill>> {
    const at = this.#log.now();
    const { args } = record;
    const activation = activationOf(content, { session: this.id, task: this.#log.task, at, invoker, args });
    const disclosed = await this.#log.disclose(text, activatedEvent(activation, record), at);
    // Deleted first, so that the map keeps the order of the last activation.
    this.#active.delete(activation.skill);
    this.#active.set(activation.skill, activation);
    this.proposals.gave(activation);
    return disclosed;
  }

  /** An active skill is read as its invoker: the model may read the files of a skill that a user activated. */
  #viewerFor(id: string, invoker?: Invoker): Viewer & { readonly invoker: Invoker } {
    const own = this.viewer.invoker === "user" ? "user" : "model";
    return { ...this.viewer, invoker: invoker ?? this.#active.get(id)?.invoker ?? own };
  }

  /** Runs a script or tool. A failure after `begin` is not a denial; the runner records it. */
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

  /** Runs gated work. A denial is recorded with its reason, then thrown with a hint. */
  async #guarded<T>(request: Request, viewer: Viewer, work: (begin: () => void) => Promise<T>): Promise<T> {
    let hasBegun = false;
    try {
      return await work(() => {
        hasBegun = true;
      });
    } catch (error) {
      if (!(error instanceof SkillError) || hasBegun) throw error;
      const denial = await explainDenial(request, error, viewer, this.#library);
      await this.#log.record({ type: "skill.denied", ...denial });
      throw await withHint(request, error, viewer, this.#library);
    }
  }

  /** A misspelled name is not recorded; a request for a hidden skill is a denial. */
  async #recordHidden(skill: string, viewer: Viewer): Promise<void> {
    const reason = await hiddenReason(skill, viewer, this.#library);
    if (reason === undefined) return;
    const message = `The skill ${skill.slice(0, 128)} is hidden from the user.`;
    await this.#log.record({ type: "skill.denied", act: "activate", skill, reason, message });
  }

  /**
   * Reads run concurrently. Closing waits for earlier reads, and later reads wait for the close.
   * Contract: `read` does not wait for a queued change, which may be waiting for it.
   */
  #whileOpen<T>(read: () => Promise<T>): Promise<T> {
    const result = this.#closing.then(() => {
      this.#rejectClosed();
      return read();
    });
    // The caller gets the failure.
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
