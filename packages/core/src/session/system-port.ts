import { randomUUID } from "node:crypto";
import type { AuditSink } from "../port.ts";
import type { SessionPorts } from "./port.ts";

/** The machine's clock and random ids. Without a sink the records of use go nowhere. */
export function systemPorts(audit: AuditSink = { record: () => {} }): SessionPorts {
  return { clock: { now: () => new Date() }, ids: { next: () => randomUUID() }, audit };
}
