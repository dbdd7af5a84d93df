import { type Digest, type Limits, SkillError } from "@skillhold/protocol";
import { neutralText } from "../catalogue/index.ts";
import { type AuditSink, type Clock, type Ids, systemTimers, type Timers } from "../port.ts";
import type {
  Approval,
  ApprovalAnswer,
  ApprovalCall,
  ApprovalGift,
  ApprovalRequest,
  ApprovalScope,
  ApprovalStore,
  Asker,
} from "./approval.ts";
import { approvalKey, coveringKeys, requestKey } from "./approval-key.ts";
import { approvalRequired, askInTime, interrupted } from "./ask.ts";
import { summarizeRequest } from "./describe.ts";
import { revokeChanged } from "./revoke-approval.ts";

export interface ApprovalPorts {
  readonly store: ApprovalStore;
  /** Without an asker, only stored approvals apply. */
  readonly asker?: Asker;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: AuditSink;
  readonly limits: Pick<Limits, "approvalAnswerMs" | "approvalMs">;
  /** The machine's timers by default. */
  readonly timers?: Timers;
}

/** An approval and its approver. */
export interface ObtainedApproval {
  readonly scope: ApprovalScope;
  readonly by: string;
  /** The id of the approval; a one-time approval is not stored. */
  readonly approval: string;
}

/**
 * Obtains an approval or throws. An approval is valid only after it is recorded. Equal concurrent requests share one
 * question: they share an approval for the content, a denial and a timeout. A one-time approval applies only to the
 * request that asked; the next one asks again. A call with its own asker or approval shares no question.
 */
export class Approvals {
  readonly #ports: ApprovalPorts;
  readonly #questions = new Map<Digest, Promise<ObtainedApproval>>();

  constructor(ports: ApprovalPorts) {
    this.#ports = ports;
  }

  /** The stored approval that covers a request. Asks for none and records nothing. */
  async find(request: ApprovalRequest): Promise<ObtainedApproval | undefined> {
    if (request.sandbox === "none") return undefined;
    const { store, clock } = this.#ports;
    const now = clock.now();
    for (const key of coveringKeys(request)) {
      const kept = await store.find(key, now);
      if (kept !== undefined) return { scope: "content", by: kept.by, approval: kept.id };
    }
    return undefined;
  }

  async obtain(request: ApprovalRequest, call: ApprovalCall = {}): Promise<ObtainedApproval> {
    const { signal, asker, approval } = call;
    if (asker !== undefined || approval !== undefined) return await this.#obtain(request, call);
    const question = requestKey(request);
    for (;;) {
      const asked = this.#questions.get(question);
      // No await between the check and `#open`, or two requests would ask.
      if (asked === undefined) return await this.#open(question, request, call);
      const shared = await share(asked, request, signal);
      if (shared?.scope === "content") return shared;
    }
  }

  /** Approves content before a run asks for it. */
  async give(request: ApprovalRequest, { by, widen = ["arguments"], ms }: ApprovalGift): Promise<Approval> {
    return await this.#grant(request, { answer: "approve", scope: "content", widen, by }, ms);
  }

  #open(question: Digest, request: ApprovalRequest, call: ApprovalCall): Promise<ObtainedApproval> {
    const asked = this.#obtain(request, call).finally(() => this.#questions.delete(question));
    this.#questions.set(question, asked);
    return asked;
  }

  async #obtain(
    request: ApprovalRequest,
    { signal, asker = this.#ports.asker, approval }: ApprovalCall,
  ): Promise<ObtainedApproval> {
    const { store, clock, limits, audit, timers = systemTimers } = this.#ports;
    if (request.origin !== undefined) await revokeChanged([request], { approvals: store, audit, clock });
    const kept = await this.find(request);
    if (kept !== undefined) return kept;
    if (approval !== undefined) {
      if (approval.key !== requestKey(request))
        throw approvalRequired(request, "The given approval is for another request");
      return await this.#take(request, { answer: "approve", scope: "once", ...approval });
    }
    const answer = await askInTime(request, asker, { limits, timers, signal });
    if (answer.answer === "approve") return await this.#take(request, answer);
    return await this.#deny(request, answer);
  }

  async #take(request: ApprovalRequest, answer: GrantingAnswer): Promise<ObtainedApproval> {
    const { id, by } = await this.#grant(request, answer);
    return { scope: answer.scope, by, approval: id };
  }

  async #grant(
    request: ApprovalRequest,
    { scope, by, ...answer }: GrantingAnswer,
    ms = this.#ports.limits.approvalMs,
  ): Promise<Approval> {
    const { store, clock, ids, audit } = this.#ports;
    const widen = scope === "content" ? (answer.widen ?? []) : [];
    const key = approvalKey(request, widen);
    const now = clock.now();
    // A one-time approval is used immediately.
    const end = scope === "content" ? new Date(now.getTime() + ms) : now;
    const { skill, treeHash, act, target, requester } = request;
    const about = aboutQuestion(request);
    const id = ids.next();
    const at = now.toISOString();
    const expiresAt = end.toISOString();
    await audit.record({
      type: "approval.granted",
      ...about,
      approval: id,
      at,
      scope,
      ...(widen.length === 0 ? {} : { widen }),
      by,
      expiresAt,
    });
    const cover = { requester, widen };
    const approval: Approval = { id, key, skill, treeHash, act, target, ...cover, by, at, expiresAt };
    if (scope === "content") await store.add(approval);
    return approval;
  }

  async #deny(
    request: ApprovalRequest,
    { by, isUnattended = false }: ApprovalAnswer & { readonly answer: "deny" },
  ): Promise<never> {
    const { skill, treeHash: hash, act, target } = request;
    const at = this.#ports.clock.now().toISOString();
    await this.#ports.audit.record({ type: "approval.denied", ...aboutQuestion(request), at, by });
    const subject = summarizeRequest(request);
    const details = { skill, treeHash: hash, act, target };
    if (!isUnattended)
      throw new SkillError("APPROVAL_DENIED", `Denied by ${neutralText(by, 100)}: ${subject}.`, { details });
    throw new SkillError(
      "APPROVAL_DENIED",
      `The client declined the request to ${subject}; it may not have asked a person.`,
      {
        hint: `A person can approve the content beforehand with \`skillhold approve ${skill}\`.`,
        details,
      },
    );
  }
}

type GrantingAnswer = ApprovalAnswer & { readonly answer: "approve" };

function aboutQuestion(request: ApprovalRequest) {
  const { skill, treeHash: hash, act, target, session, run, network, mounts, secrets, sandbox } = request;
  const { requester, environment } = request;
  const packages = environment === undefined ? {} : { environment };
  return {
    skill,
    hash,
    act,
    target,
    requester,
    ...packages,
    session,
    run,
    network,
    mounts,
    secrets,
    sandbox,
  };
}

/** The result of another request's question; undefined when that request was canceled. */
async function share(
  asked: Promise<ObtainedApproval>,
  request: ApprovalRequest,
  signal: AbortSignal | undefined,
): Promise<ObtainedApproval | undefined> {
  try {
    return await orAborted(asked, request, signal);
  } catch (error) {
    if (error instanceof SkillError && error.code === "INTERRUPTED" && signal?.aborted !== true) return;
    throw error;
  }
}

async function orAborted<T>(
  work: Promise<T>,
  request: ApprovalRequest,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return await work;
  if (signal.aborted) throw interrupted(request);
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(interrupted(request));
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, stopped.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
