import type { SkillEvent } from "@skillhold/protocol";
import { runtimeName, type Viewer } from "../library/viewer.ts";
import type { RunLog, Unplaced } from "../run/index.ts";
import type { SessionPorts } from "./port.ts";
import type { Resumption } from "./snapshot.ts";

/** The events that record a disclosure of skill content. */
type DisclosureEvent = Extract<SkillEvent, { readonly type: "skill.activated" | "skill.resource_read" }>;

declare const recorded: unique symbol;

/** Skill content whose disclosure is in the audit log. Only `SessionLog.disclose` makes one. */
export type Recorded<T> = T & { readonly [recorded]: true };

/** Adds the session, its task and the time to each event, and writes it to the audit. */
export class SessionLog implements RunLog {
  readonly session: string;
  /** The task of the events that follow. */
  task: string | undefined;
  readonly #ports: SessionPorts;

  constructor(ports: SessionPorts, task: string | undefined) {
    this.session = ports.ids.next();
    this.task = task;
    this.#ports = ports;
  }

  async opened(viewer: Viewer, resumed?: Resumption): Promise<void> {
    const { agent, user } = viewer;
    await this.record({
      type: "session.opened",
      runtime: runtimeName(viewer),
      ...(agent === undefined ? {} : { agent }),
      ...(user === undefined ? {} : { user }),
      ...(resumed === undefined ? {} : { resumed }),
    });
  }

  async record(event: Unplaced<SkillEvent>, at = this.now()): Promise<void> {
    const task = this.task === undefined ? {} : { task: this.task };
    // `Unplaced` takes these fields off each member of the union, and they are added back here.
    const placed = { ...event, at: at.toISOString(), session: this.session, ...task } as SkillEvent;
    await this.#ports.audit.record(placed);
  }

  /** Records the disclosure of skill content, then returns the content. If the record fails, no content is returned. */
  async disclose<T extends object>(
    content: T,
    event: Unplaced<DisclosureEvent>,
    at = this.now(),
  ): Promise<Recorded<T>> {
    await this.record(event, at);
    // The event is in the log, which is the meaning of the brand.
    return content as Recorded<T>;
  }

  nextId(): string {
    return this.#ports.ids.next();
  }

  now(): Date {
    return this.#ports.clock.now();
  }
}
