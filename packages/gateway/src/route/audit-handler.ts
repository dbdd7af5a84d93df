import { SkillError } from "@skillhold/protocol/error";
import { type Recovered, type ReplayStep, replaySession, verifyAudit } from "@skillhold/registry/audit";
import type { Handlers } from "../http/handler.ts";

const PAGE_SIZE = 100;

export const auditHandlers: Pick<Handlers, "listEvents" | "verifyAudit" | "replaySession"> = {
  listEvents: async ({ query }, { registry: { store } }) => {
    const { after, limit = PAGE_SIZE, order = "oldest", skill, session, type: types } = query;
    const from = order === "newest" ? { before: after } : { after };
    const events = await store.listEvents({ ...from, order, limit, skill, session, types });
    return { data: { events, last: await store.lastEvent() } };
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
