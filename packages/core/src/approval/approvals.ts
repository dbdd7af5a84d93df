import { type Digest, type Limits, SkillError } from "@skillhold/protocol";
import { neutralText } from "../catalogue/index.ts";
import type { AuditSink, Clock, Ids } from "../port.ts";
import type {
  Approval,
  ApprovalAnswer,
  ApprovalRequest,
  ApprovalScope,
  ApprovalStore,
  Asker,
} from "./approval.ts";
import { approvalKey } from "./approval-key.ts";
import { askInTime, interrupted } from "./ask.ts";
import { summarizeRequest } from "./describe.ts";
import { revokeChanged } from "./revoke-approval.ts";

export interface ApprovalPorts {
  readonly store: ApprovalStore;
  /** Without one, nothing is approved but what was approved before. */
  readonly asker?: Asker;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: AuditSink;
  readonly limits: Pick<Limits, "approvalAnswerMs" | "approvalMs">;
}

/** A yes, and whose. */
export interface Obtained {
  readonly scope: ApprovalScope;
  readonly by: string;
  /** The id of the approval; one for a single act is kept nowhere. */
  readonly approval: string;
}

/**
 * Gets a person's yes, or fails. A yes counts once it is recorded, and not before. The same question is not put
 * twice at a time: those who ask it meanwhile share a yes for the content, a no, and the lack of an answer. A yes for
 * once is for the one whose question it was; the next of them asks again.
 */
export class Approvals {
  readonly #ports: ApprovalPorts;
  readonly #questions = new Map<string, Promise<Obtained>>();

  constructor(ports: ApprovalPorts) {
    this.#ports = ports;
  }

  async obtain(request: ApprovalRequest, signal?: AbortSignal): Promise<Obtained> {
    const key = approvalKey(request);
    const question = JSON.stringify([key, request.args, request.stdin?.digest]);
    for (;;) {
      const asked = this.#questions.get(question);
      // Nothing may be awaited between the look and `#open`, or two would ask.
      if (asked === undefined) return await this.#open(question, key, request, signal);
      const shared = await share(asked, request, signal);
      if (shared?.scope === "content") return shared;
    }
  }

  #open(
    question: string,
    key: Digest,
    request: ApprovalRequest,
    signal: AbortSignal | undefined,
  ): Promise<Obtained> {
    const asked = this.#obtain(key, request, signal).finally(() => this.#questions.delete(question));
    this.#questions.set(question, asked);
    return asked;
  }

  async #obtain(key: Digest, request: ApprovalRequest, signal: AbortSignal | undefined): Promise<Obtained> {
    const { store, clock, asker, limits, audit } = this.#ports;
    if (request.origin !== undefined) await revokeChanged([request], { approvals: store, audit, clock });
    const kept = request.sandbox === "none" ? undefined : await store.find(key, clock.now());
    if (kept !== undefined) return { scope: "content", by: kept.by, approval: kept.id };
    const answer = await askInTime(request, asker, limits, signal);
    if (answer.answer === "approve") return await this.#grant(key, request, answer);
    return await this.#deny(request, answer.by);
  }

  async #grant(
    key: Digest,
    request: ApprovalRequest,
    { scope, by }: ApprovalAnswer & { readonly answer: "approve" },
  ): Promise<Obtained> {
    const { store, clock, ids, audit, limits } = this.#ports;
    const now = clock.now();
    // A yes for once is used up as it is given.
    const end = scope === "content" ? new Date(now.getTime() + limits.approvalMs) : now;
    const { skill, treeHash, act, target } = request;
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
      by,
      expiresAt,
    });
    const approval: Approval = { id, key, skill, treeHash, act, target, by, at, expiresAt };
    if (scope === "content") await store.add(approval);
    return { scope, by, approval: id };
  }

  async #deny(request: ApprovalRequest, by: string): Promise<never> {
    const { skill, treeHash: hash, act, target } = request;
    const at = this.#ports.clock.now().toISOString();
    await this.#ports.audit.record({ type: "approval.denied", ...aboutQuestion(request), at, by });
    const subject = summarizeRequest(request);
    throw new SkillError("APPROVAL_DENIED", `${neutralText(by, 100)} refused to ${subject}.`, {
      details: { skill, treeHash: hash, act, target },
    });
  }
}

function aboutQuestion(request: ApprovalRequest) {
  const { skill, treeHash: hash, act, target, session, run, network, mounts, secrets, sandbox } = request;
  return { skill, hash, act, target, session, run, network, mounts, secrets, sandbox };
}

/** What came of another's question; nothing when that one gave up, which says nothing about this one. */
async function share(
  asked: Promise<Obtained>,
  request: ApprovalRequest,
  signal: AbortSignal | undefined,
): Promise<Obtained | undefined> {
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
