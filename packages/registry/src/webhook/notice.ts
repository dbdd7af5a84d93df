import type { SkillEvent, WebhookTopic } from "@skillhold/protocol";
import type { Proposal } from "../record/proposal.ts";

type ProposalEvent = Extract<SkillEvent, { readonly proposal: string; readonly state: string }>;
type QuestionEvent = Extract<SkillEvent, { readonly type: "approval.asked" }>;
type NoticedEvent = ProposalEvent | QuestionEvent;

/** The events that webhooks are notified of. */
export const noticedTypes = [
  "proposal.created",
  "proposal.reviewed",
  "proposal.withdrawn",
  "proposal.stale",
  "proposal.rebased",
  "proposal.applied",
  "approval.asked",
] as const satisfies readonly NoticedEvent["type"][];

/** The body of a notification: ids, titles and a link. It has no content of a skill and no text of its author. */
export interface Notice {
  readonly type: string;
  /** The time of the event. */
  readonly timestamp: string;
  readonly data: {
    readonly title: string;
    readonly skill?: string;
    readonly proposal?: string;
    readonly question?: string;
    readonly state?: string;
    readonly kind?: string;
    readonly decision?: string;
    readonly by?: { readonly user: string; readonly agent?: string | undefined };
    readonly link?: string;
  };
}

/** The topics that an event belongs to. */
export function topicsOf(event: SkillEvent, proposal: Proposal | undefined): readonly WebhookTopic[] {
  if (event.type === "approval.asked") return ["approvals"];
  if (!isOfProposal(event)) return [];
  return proposal?.origin === "promotion" ? ["proposals", "promotions"] : ["proposals"];
}

/** The notification of an event. `address` is that of the console. */
export function noticeOf(event: NoticedEvent, address: string | undefined): Notice {
  const { type, at: timestamp, skill } = event;
  const link = (path: string) => (address === undefined ? {} : { link: `${address}${path}` });
  if (event.type === "approval.asked") {
    const { question, act } = event;
    const title = `A run of ${skill} waits for an approval`;
    return { type, timestamp, data: { title, skill, question, kind: act, ...link("/approvals") } };
  }
  const { proposal, state, by } = event;
  const data = {
    title: titleOf(event),
    ...{ skill, proposal, state },
    ...("kind" in event ? { kind: event.kind } : {}),
    ...("decision" in event ? { decision: event.decision } : {}),
    by: { user: by.user, agent: by.agent },
    ...link(`/proposals/${proposal}`),
  };
  return { type, timestamp, data };
}

export function testNotice(name: string, at: string): Notice {
  return { type: "test", timestamp: at, data: { title: `A test of the webhook ${name}` } };
}

export function isNoticed(event: SkillEvent): event is NoticedEvent {
  return (noticedTypes as readonly string[]).includes(event.type);
}

function isOfProposal(event: SkillEvent): event is ProposalEvent {
  return isNoticed(event) && event.type !== "approval.asked";
}

const titles: Readonly<Record<ProposalEvent["type"], (skill: string) => string>> = {
  "proposal.created": (skill) => `A proposal for ${skill} waits for a review`,
  "proposal.reviewed": (skill) => `A proposal for ${skill} was reviewed`,
  "proposal.withdrawn": (skill) => `A proposal for ${skill} was withdrawn`,
  "proposal.stale": (skill) => `A proposal for ${skill} must be rebased`,
  "proposal.rebased": (skill) => `A proposal for ${skill} was rebased and waits for a review`,
  "proposal.applied": (skill) => `A proposal for ${skill} was applied`,
};

function titleOf({ type, skill }: ProposalEvent): string {
  return titles[type](skill);
}
