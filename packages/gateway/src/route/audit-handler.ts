import { SkillError } from "@skillhold/protocol/error";
import { type Recovered, type ReplayStep, replaySession, verifyAudit } from "@skillhold/registry/audit";
import type { Call, Handlers } from "../http/handler.ts";
import { attachment } from "../skill/file-response.ts";
import { type EventFilter, streamEvents } from "./event-export.ts";
import { SharedLog } from "./shared-log.ts";

const PAGE_SIZE = 100;

export const auditHandlers: Pick<Handlers, "listEvents" | "exportEvents" | "verifyAudit" | "replaySession"> =
  {
    listEvents: async ({ query, principal }, context) => {
      const { after, limit = PAGE_SIZE, order = "oldest" } = query;
      const start = order === "newest" ? { before: after } : { after };
      const log = new SharedLog(principal, context);
      const events = await log.listEvents({ ...filterOf(query), ...start, order, limit });
      return { data: { events, last: await log.lastEvent() } };
    },
    exportEvents: async ({ query, principal }, context) => {
      const { format = "jsonl" } = query;
      return {
        bytes: streamEvents(filterOf(query), format, new SharedLog(principal, context)),
        type: format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson",
        headers: { "content-disposition": attachment(`activity.${format}`) },
      };
    },
    verifyAudit: async ({ signal }, context) => {
      const verify = context.verifyAudit ?? (() => verifyAudit(context.registry.store, { keys: [], signal }));
      const { isSound, ...report } = await verify(signal);
      return { data: { ok: isSound, ...report } };
    },
    replaySession: async ({ params }, { registry: { store, limits } }) => {
      if ((await store.listEvents({ session: params.session, order: "oldest", limit: 1 })).length === 0)
        throw new SkillError("SESSION_NOT_FOUND", `The audit log has no session ${params.session}.`, {
          hint: "`GET /v1/audit?type=session.opened` lists the sessions.",
        });
      const { steps, ...replay } = await replaySession(params.session, { store, limits });
      return { data: { ...replay, steps: steps.map(withoutBytes) } };
    },
  };

function filterOf({
  skill,
  session,
  agent,
  person,
  from,
  to,
  type: types,
}: Call<"exportEvents">["query"]): EventFilter {
  return { skill, session, agent, person, from, to, types };
}

/** Shows text as text, and binary content by its size. */
function withoutBytes(step: ReplayStep): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(step).map(([field, value]) => [field, isRecovered(value) ? shown(value) : value]),
  );
}

function isRecovered(value: unknown): value is Recovered {
  return typeof value === "object" && value !== null && "isAvailable" in value;
}

const MAX_SHOWN = 256 * 1024;

function shown(recovered: Recovered): Readonly<Record<string, unknown>> {
  if (!recovered.isAvailable) return { ...recovered };
  const { bytes, ...rest } = recovered;
  const text = Buffer.from(bytes).toString();
  const isText = bytes.length <= MAX_SHOWN && Buffer.from(text).equals(bytes);
  return { ...rest, bytes: bytes.length, ...(isText ? { text } : {}) };
}
