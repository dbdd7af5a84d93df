import type { SkillEvent } from "@skillhold/protocol";
import type { Repetition } from "../record/proposal.ts";
import type { RegistryReader, StoredEvent } from "../record/registry-store.ts";
import type { PromotionPacket } from "./packet.ts";

/** One session of an agent, as far as the log tells its workflow. */
export interface LoggedSession {
  readonly id: string;
  readonly task: string | undefined;
  /** Skills, scripts and tools in order, without arguments. */
  readonly shape: string;
  readonly steps: readonly LoggedStep[];
  /** Whether every run ended well. */
  readonly isOk: boolean;
}

export interface LoggedStep {
  readonly skill: string;
  /** The script or tool; undefined for a skill that was read. */
  readonly target: string | undefined;
  readonly args: readonly string[];
}

export interface CheckedRepetition extends Repetition {
  /** The sessions of the workflow, newest first. */
  readonly sessions: readonly LoggedSession[];
}

/** How many sessions of an agent are compared. */
const MOST_SESSIONS = 200;
const PAGE = 500;

/**
 * Compares the claimed repetition with the audit log. Named sessions must be sessions of this agent that ended well and have
 * the same shape; one that is not contradicts the claim. Without names, the most frequent shape of the agent's sessions
 * counts. A workflow that the log does not contain is only claimed, unless the agent has had fewer sessions than it claims.
 */
export async function checkRepetition(
  agent: string,
  { count, workflow, sessions: named }: PromotionPacket,
  reader: RegistryReader,
): Promise<CheckedRepetition> {
  const own = await listSessions(agent, reader);
  const claim = { workflow, claimed: count };
  if (named !== undefined) {
    const found = own.filter(({ id, isOk }) => isOk && named.includes(id));
    const group = largestGroup(found);
    const isWhole = named.length >= count && group.length === named.length;
    return { ...claim, found: group.length, verdict: isWhole ? "proved" : "contradicted", sessions: group };
  }
  const group = largestGroup(own.filter(({ isOk }) => isOk));
  if (group.length >= count) return { ...claim, found: group.length, verdict: "proved", sessions: group };
  const verdict = own.length < count ? "contradicted" : "claimed";
  return { ...claim, found: group.length, verdict, sessions: group };
}

/** The sessions with the most frequent shape. A session without steps has no workflow. */
function largestGroup(sessions: readonly LoggedSession[]): readonly LoggedSession[] {
  const groups = new Map<string, LoggedSession[]>();
  for (const session of sessions) {
    if (session.shape === "") continue;
    groups.set(session.shape, [...(groups.get(session.shape) ?? []), session]);
  }
  return [...groups.values()].reduce((best, group) => (group.length > best.length ? group : best), []);
}

/** Newest first. */
async function listSessions(agent: string, reader: RegistryReader): Promise<readonly LoggedSession[]> {
  const sessions: LoggedSession[] = [];
  let before: number | undefined;
  while (sessions.length < MOST_SESSIONS) {
    const page = await reader.listEvents({ order: "newest", limit: PAGE, before, types: ["session.opened"] });
    for (const { event } of page)
      if (event.type === "session.opened" && event.agent === agent && sessions.length < MOST_SESSIONS)
        sessions.push(readSession(event, await reader.eventsOfSession(event.session)));
    before = page.at(-1)?.seq;
    if (page.length < PAGE) break;
  }
  return sessions;
}

type Opened = Extract<SkillEvent, { readonly type: "session.opened" }>;

function readSession({ session: id, task }: Opened, events: readonly StoredEvent[]): LoggedSession {
  const args = new Map<string, readonly string[]>();
  const steps: LoggedStep[] = [];
  let isOk = true;
  for (const { event } of events) {
    if (event.type === "run.requested") args.set(event.run, event.args);
    if (event.type === "skill.activated") steps.push({ skill: event.skill, target: undefined, args: [] });
    if (event.type !== "skill.script_executed" && event.type !== "skill.tool_called") continue;
    const hasFailed = event.type === "skill.tool_called" ? event.isError : event.exitCode !== 0;
    if (hasFailed || event.outcome !== "exited") isOk = false;
    steps.push({ skill: event.skill, target: event.target, args: args.get(event.run) ?? [] });
  }
  const shape = steps.map(({ skill, target }) => `${skill}/${target ?? ""}`).join("\n");
  return { id, task, shape, steps, isOk };
}
