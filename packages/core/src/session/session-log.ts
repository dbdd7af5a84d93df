import type { SkillEvent } from "@skillhold/protocol";
import type { Viewer } from "../library/viewer.ts";
import type { RunLog, Unplaced } from "../run/index.ts";
import type { SessionPorts } from "./port.ts";

/** Places what happens in a session: adds the session, its task and the time, and hands it to the audit. */
export class SessionLog implements RunLog {
  readonly session: string;
  /** What is recorded from now on belongs to this task. */
  task: string | undefined;
  readonly #ports: SessionPorts;

  constructor(ports: SessionPorts, task: string | undefined) {
    this.session = ports.ids.next();
    this.task = task;
    this.#ports = ports;
  }

  async opened({ runtime, agent, user }: Viewer): Promise<void> {
    await this.record({
      type: "session.opened",
      runtime,
      ...(agent === undefined ? {} : { agent }),
      ...(user === undefined ? {} : { user }),
    });
  }

  async record(event: Unplaced<SkillEvent>, at = this.now()): Promise<void> {
    const task = this.task === undefined ? {} : { task: this.task };
    // Each member of the union is the same member without these fields, which are put back here.
    const placed = { ...event, at: at.toISOString(), session: this.session, ...task } as SkillEvent;
    await this.#ports.audit.record(placed);
  }

  nextId(): string {
    return this.#ports.ids.next();
  }

  now(): Date {
    return this.#ports.clock.now();
  }
}
