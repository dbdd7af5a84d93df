import { setImmediate as nextTurn } from "node:timers/promises";
import { SerialQueue } from "@skillhold/core/async";
import { pause, type Timers } from "@skillhold/core/port";
import {
  BackgroundCheck,
  type BackgroundItem,
  type CheckEvent,
  canInstall,
} from "@skillhold/deps/environment";
import type { Actor, SkillEvent } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { DependencyEvent } from "@skillhold/protocol/http";
import { followEvents } from "@skillhold/registry/audit";
import type { RegisteredSkill, RegistryStore } from "@skillhold/registry/record";
import { settleMissing } from "@skillhold/registry/release";
import type { GatewayContext } from "../gateway-context.ts";
import { checkRequestOf, findStored, isChecked, type StoredSkillPorts } from "./stored-skill.ts";

/** The result of a dependency check. */
export interface CheckedSkill {
  readonly skill: string;
  /** Whether no dependency is known to be missing. */
  readonly ok: boolean;
  readonly missing: readonly string[];
  /** Set when dependencies are missing and cannot be installed here. */
  readonly isUnsupported?: true;
  /** Why the check failed. */
  readonly error?: string;
}

export type SkillChecksPorts = StoredSkillPorts & Pick<GatewayContext, "progress" | "log" | "timers">;

interface Waiter {
  /** Whether a check started after the request. */
  hasStarted: boolean;
  readonly result: PromiseWithResolvers<CheckedSkill>;
}

type CheckedEvent = CheckEvent & { readonly type: "skill.deps.checked" };

/**
 * Checks the dependencies of skills in the background: after the start of all skills that have some, then of each skill
 * that is published, restored or enabled. A result is stored in the registry before it is published.
 */
export class SkillChecks {
  readonly #ports: SkillChecksPorts;
  readonly #background: BackgroundCheck;
  readonly #stop = new AbortController();
  readonly #waiters = new Map<string, Waiter[]>();
  /** The records of the skills that are being checked. */
  readonly #rows = new Map<string, RegisteredSkill>();
  /** Stores and publishes results one at a time, in the order of the checks. */
  readonly #publishing = new SerialQueue();
  #rescan: Promise<readonly CheckedSkill[]> | undefined;
  #following: Promise<void> | undefined;

  constructor(ports: SkillChecksPorts) {
    this.#ports = ports;
    this.#background = new BackgroundCheck({
      ...ports.dependencies,
      signal: this.#stop.signal,
      onEvent: (event) => this.#receive(event),
      onProblem: (error) => ports.log({ level: "error", event: "deps.failed", error }),
    });
  }

  /** Starts the background checks; `close` ends them. */
  start(): void {
    this.#following ??= this.#follow();
  }

  /** Checks these skills now; resolves when the results are stored. */
  async check(ids: readonly string[]): Promise<readonly CheckedSkill[]> {
    if (this.#stop.signal.aborted) throw shuttingDown();
    const results = ids.map((id) => this.#wait(id));
    await this.#add(ids);
    return await Promise.all(results);
  }

  async #add(ids: readonly string[]): Promise<void> {
    const installable = await canInstall(this.#ports.dependencies);
    this.#background.add(ids.map((id) => this.#itemOf(id, installable)));
  }

  /** Checks all enabled skills. Calls during a rescan share its result. */
  rescan(): Promise<readonly CheckedSkill[]> {
    this.#rescan ??= this.#listChecked()
      .then((ids) => this.check(ids))
      .finally(() => {
        this.#rescan = undefined;
      });
    return this.#rescan;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#background.idle();
    await this.#publishing.idle();
    await this.#following;
    for (const waiter of [...this.#waiters.values()].flat()) waiter.result.reject(shuttingDown());
    this.#waiters.clear();
  }

  async #follow(): Promise<void> {
    const { registry, log, timers } = this.#ports;
    const { signal } = this.#stop;
    const onProblem = (error: unknown) => log({ level: "warning", event: "deps.feed_failed", error });
    const list = () => registry.store.listDependent();
    await followChanges({ signal, onProblem, list, timers }, registry.store, (ids) => this.#add(ids));
  }

  /** Read in pages, so that other work gets its turn. */
  async #listChecked(): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = await this.#ports.registry.store.listSkills({ limit: SKILLS_PER_PAGE, after });
      ids.push(...page.filter(isChecked).map(({ id }) => id));
      if (page.length < SKILLS_PER_PAGE) return ids;
      after = page.at(-1)?.id;
      await nextTurn();
    }
  }

  #itemOf(id: string, canInstall: boolean): BackgroundItem {
    return {
      id,
      effect: { path: "publish", canInstall },
      prepare: async () => {
        const stored = await findStored(id, this.#ports);
        if (stored === undefined) throw new SkillError("SKILL_NOT_FOUND", `There is no enabled skill ${id}.`);
        this.#rows.set(id, stored.row);
        return await checkRequestOf(stored, this.#ports);
      },
    };
  }

  #wait(id: string): Promise<CheckedSkill> {
    const waiter = { hasStarted: false, result: Promise.withResolvers<CheckedSkill>() };
    this.#waiters.set(id, [...(this.#waiters.get(id) ?? []), waiter]);
    return waiter.result.promise;
  }

  #receive(event: CheckEvent): void {
    if (event.type === "skill.deps.complete") return;
    const { skill } = event;
    const waiters = this.#waiters.get(skill) ?? [];
    if (event.type === "skill.deps.checking") {
      for (const waiter of waiters) waiter.hasStarted = true;
      this.#enqueue(async () => this.#publish({ type: event.type, slug: skill }));
      return;
    }
    const [current, later] = [
      waiters.filter((each) => each.hasStarted),
      waiters.filter((each) => !each.hasStarted),
    ];
    if (later.length === 0) this.#waiters.delete(skill);
    else this.#waiters.set(skill, later);
    const row = this.#rows.get(skill);
    this.#rows.delete(skill);
    this.#enqueue(async () => {
      const checked = await this.#store(event, row);
      this.#publish({ type: event.type, slug: skill, ok: checked.ok, missing: checked.missing });
      for (const { result } of current) result.resolve(checked);
    });
  }

  #publish(event: DependencyEvent): void {
    this.#ports.progress.publish(event);
  }

  /** Contract: the task does not reject. */
  #enqueue(task: () => Promise<void>): void {
    void this.#publishing.run(task);
  }

  /** A check without a result, or a result that cannot be stored, leaves the skill's record unchanged. */
  async #store(
    { skill, state, error }: CheckedEvent,
    row: RegisteredSkill | undefined,
  ): Promise<CheckedSkill> {
    if (row === undefined || state === undefined)
      return resultOf(skill, row, error ?? `The dependencies of ${skill} were not checked.`);
    if (state.state === "unknown") return resultOf(skill, row, state.warnings.join(" "));
    try {
      const options = { by: systemActor, isArchived: row.isSystem };
      const stored = await settleMissing(row, state.missing, options, this.#ports.registry);
      const { isUnsupported } = state;
      return { ...resultOf(skill, stored ?? row), ...(isUnsupported === true ? { isUnsupported } : {}) };
    } catch (failure) {
      this.#ports.log({ level: "error", event: "deps.not_kept", error: failure, fields: { skill } });
      return resultOf(skill, row, failure instanceof Error ? failure.message : String(failure));
    }
  }
}

/** The actor of background checks. */
const systemActor: Actor = { user: "system", role: "system" };

function resultOf(skill: string, row: RegisteredSkill | undefined, error?: string): CheckedSkill {
  const missing = row?.missing ?? [];
  return { skill, ok: missing.length === 0, missing, ...(error === undefined ? {} : { error }) };
}

function shuttingDown(): SkillError {
  return new SkillError("SHUTTING_DOWN", "The gateway is shutting down.");
}

interface ChangeFeedOptions {
  readonly timers: Timers;
  readonly signal: AbortSignal;
  /** Lists the skills that have dependencies. */
  readonly list: () => Promise<readonly string[]>;
  /** Called when the log cannot be read, before the retry. */
  readonly onProblem: (error: unknown) => void;
}

/** A page takes a few milliseconds. */
const SKILLS_PER_PAGE = 1000;

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/**
 * Reports the listed skills once, then each skill whose content or use changes. After a failure to read the log, the list
 * is reported again, because changes may have been missed.
 */
async function followChanges(
  { signal, list, onProblem, timers }: ChangeFeedOptions,
  store: Pick<RegistryStore, "eventsAfter" | "lastEvent" | "onCommit">,
  onChange: (ids: readonly string[]) => Promise<void>,
): Promise<void> {
  for (let waitMs = FIRST_WAIT_MS; !signal.aborted; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      // The event number is read before the list: a commit in between is reported twice, and never missed.
      const last = await store.lastEvent();
      await onChange(await list());
      for await (const { event } of followEvents(last, { signal }, store)) {
        waitMs = FIRST_WAIT_MS;
        const id = changedSkill(event);
        if (id !== undefined) await onChange([id]);
      }
    } catch (error) {
      if (signal.aborted) return;
      onProblem(error);
    }
    await pause(waitMs, timers, { signal, isBackground: true });
  }
}

/** The skill that has new content or is in use again. */
function changedSkill(event: SkillEvent): string | undefined {
  switch (event.type) {
    case "skill.published":
    case "skill.rolled_back":
    case "skill.restored":
      return event.skill;
    case "skill.toggled":
      return event.isEnabled && event.scope === "registry" ? event.skill : undefined;
    default:
      return undefined;
  }
}
