import { BackgroundCheck, type BackgroundItem, type CheckEvent } from "@skillhold/deps/environment";
import type { Actor } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { DependencyEvent } from "@skillhold/protocol/http";
import type { RegisteredSkill } from "@skillhold/registry/record";
import { settleMissing } from "@skillhold/registry/release";
import type { GatewayContext } from "../gateway-context.ts";
import { followChanges } from "./change-feed.ts";
import { checkRequestOf, findStored, isChecked, type StoredSkillPorts } from "./stored-skill.ts";

/** What is known of a skill after it was looked at. */
export interface CheckedSkill {
  readonly skill: string;
  /** Whether nothing is known to be missing. */
  readonly ok: boolean;
  readonly missing: readonly string[];
  /** Why it could not be looked at. */
  readonly error?: string;
}

export type SkillChecksPorts = StoredSkillPorts & Pick<GatewayContext, "progress" | "log">;

interface Waiter {
  /** Set when a check has begun after it was asked for. */
  hasBegun: boolean;
  readonly answer: PromiseWithResolvers<CheckedSkill>;
}

type Checked = CheckEvent & { readonly type: "skill.deps.checked" };

/**
 * Looks at what skills need, in the background: all of them after the start, and those that were published or switched
 * on, by whomever, from then on. What was found is kept in the registry before it is told.
 */
export class SkillChecks {
  readonly #ports: SkillChecksPorts;
  readonly #background: BackgroundCheck;
  readonly #stop = new AbortController();
  readonly #waiters = new Map<string, Waiter[]>();
  /** The rows that are being looked at. */
  readonly #rows = new Map<string, RegisteredSkill>();
  /** Keeping and telling come one after the other, in the order of the checks. */
  #telling: Promise<void> = Promise.resolve();
  #rescan: Promise<readonly CheckedSkill[]> | undefined;
  #following: Promise<void> | undefined;

  constructor(ports: SkillChecksPorts) {
    this.#ports = ports;
    this.#background = new BackgroundCheck({
      ...ports.dependencies,
      signal: this.#stop.signal,
      onEvent: (event) => this.#hear(event),
      onProblem: (error) => ports.log({ level: "error", event: "deps.failed", error }),
    });
  }

  /** Nobody waits for this. */
  start(): void {
    this.#following ??= this.#follow();
  }

  /** Looks at these now, and resolves when what was found is kept. */
  async check(ids: readonly string[]): Promise<readonly CheckedSkill[]> {
    if (this.#stop.signal.aborted) throw calledOff();
    const answers = ids.map((id) => this.#wait(id));
    this.#background.add(...ids.map((id) => this.#itemOf(id)));
    return await Promise.all(answers);
  }

  /** Looks at all that are switched on. Those who ask meanwhile get the same answer. */
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
    await this.#telling;
    await this.#following;
    for (const waiter of [...this.#waiters.values()].flat()) waiter.answer.reject(calledOff());
    this.#waiters.clear();
  }

  async #follow(): Promise<void> {
    const { registry, log } = this.#ports;
    const { signal } = this.#stop;
    const onProblem = (error: unknown) => log({ level: "warning", event: "deps.feed_failed", error });
    const list = () => this.#listChecked();
    await followChanges({ signal, onProblem, list }, registry.store, (ids) =>
      this.#background.add(...ids.map((id) => this.#itemOf(id))),
    );
  }

  async #listChecked(): Promise<readonly string[]> {
    return (await this.#ports.registry.store.listSkills()).filter(isChecked).map(({ id }) => id);
  }

  #itemOf(id: string): BackgroundItem {
    return {
      id,
      effect: { path: "publish" },
      prepare: async () => {
        const stored = await findStored(id, this.#ports);
        if (stored === undefined) throw new SkillError("SKILL_NOT_FOUND", `There is no skill ${id} in use.`);
        this.#rows.set(id, stored.row);
        return await checkRequestOf(stored, this.#ports);
      },
    };
  }

  #wait(id: string): Promise<CheckedSkill> {
    const waiter = { hasBegun: false, answer: Promise.withResolvers<CheckedSkill>() };
    this.#waiters.set(id, [...(this.#waiters.get(id) ?? []), waiter]);
    return waiter.answer.promise;
  }

  #hear(event: CheckEvent): void {
    if (event.type === "skill.deps.complete") return;
    const { skill } = event;
    const waiters = this.#waiters.get(skill) ?? [];
    if (event.type === "skill.deps.checking") {
      for (const waiter of waiters) waiter.hasBegun = true;
      this.#then(async () => this.#tell({ type: event.type, slug: skill }));
      return;
    }
    const [served, later] = [
      waiters.filter((each) => each.hasBegun),
      waiters.filter((each) => !each.hasBegun),
    ];
    if (later.length === 0) this.#waiters.delete(skill);
    else this.#waiters.set(skill, later);
    const row = this.#rows.get(skill);
    this.#rows.delete(skill);
    this.#then(async () => {
      const checked = await this.#keep(event, row);
      this.#tell({ type: event.type, slug: skill, ok: checked.ok, missing: checked.missing });
      for (const { answer } of served) answer.resolve(checked);
    });
  }

  #tell(event: DependencyEvent): void {
    this.#ports.progress.tell(event);
  }

  /** Contract: the work does not reject. */
  #then(work: () => Promise<void>): void {
    this.#telling = this.#telling.then(work);
  }

  /** What cannot be found out, or cannot be kept, changes nothing: then what is said of the skill is what was said before. */
  async #keep({ skill, state, error }: Checked, row: RegisteredSkill | undefined): Promise<CheckedSkill> {
    if (row === undefined || state === undefined) return said(skill, row, error ?? "It was not looked at.");
    if (state.state === "unknown") return said(skill, row, state.warnings.join(" "));
    try {
      const options = { by: systemActor, isArchived: row.isSystem };
      const kept = await settleMissing(row, state.missing, options, this.#ports.registry);
      return said(skill, kept ?? row);
    } catch (failure) {
      this.#ports.log({ level: "error", event: "deps.not_kept", error: failure, fields: { skill } });
      return said(skill, row, failure instanceof Error ? failure.message : String(failure));
    }
  }
}

/** What nobody asked for by name is done in the name of the system. */
const systemActor: Actor = { user: "system", role: "system" };

function said(skill: string, row: RegisteredSkill | undefined, error?: string): CheckedSkill {
  const missing = row?.missing ?? [];
  return { skill, ok: missing.length === 0, missing, ...(error === undefined ? {} : { error }) };
}

function calledOff(): SkillError {
  return new SkillError("SHUTTING_DOWN", "The gateway is shutting down.");
}
