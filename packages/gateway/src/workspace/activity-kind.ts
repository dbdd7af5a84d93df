import type { Actor } from "@skillhold/protocol";
import type { AgentRecord } from "@skillhold/registry/record";
import type { z } from "zod";
import type { Principal } from "../auth/principal.ts";
import { promoteFor, viewOf } from "../promotion/promote-agent.ts";
import type { CatalogueContext } from "../running-context.ts";

/** An activity that was recorded in the audit log. */
export interface RecordedActivity {
  /** Its id in the audit log. */
  readonly id: string;
  readonly kind: string;
  readonly summary: string;
  /** The other fields as sent: `method`, `request_body`, `metadata` and so on. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The agent whose workspace sent it. */
  readonly agent: AgentRecord;
  readonly by: Actor;
  readonly principal: Principal;
}

/** Returns fields for the response, or undefined. Throws a SkillError to refuse the activity. */
export type ActivityHandler = (
  activity: RecordedActivity,
  context: CatalogueContext,
) => Promise<Readonly<Record<string, z.core.util.JSONType>> | undefined>;

/** A packet in `request_body` or `metadata.memory_packet` becomes a proposal. */
const promoteActivity: ActivityHandler = async ({ agent, body, principal }, context) => {
  const { memory_packet: packet } = readFields(body["metadata"]);
  return viewOf(await promoteFor(agent.key, body["request_body"] ?? packet, principal, context));
};

function readFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** The handlers of activities by `activity_type`. Other types are recorded only. */
export const activityHandlers: ReadonlyMap<string, ActivityHandler> = new Map([
  ["skill_promotion", promoteActivity],
]);
