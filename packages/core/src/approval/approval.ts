import type { Digest, SkillId, Trust } from "@skillhold/protocol";
import type { Act, Decision } from "../policy/policy.ts";

/** The agent and the user for whom a run is requested. */
export interface Requester {
  readonly agent?: string;
  readonly user?: string;
}

/**
 * A request for approval. An approval is bound to the content, the installed packages, the act, its permissions, the
 * requester and the shape of the arguments. The scope `once` is bound to the exact arguments and input.
 */
export interface ApprovalRequest {
  readonly requester: Requester;
  readonly skill: SkillId;
  readonly treeHash: Digest;
  readonly trust: Trust;
  /** The server and address of a remote skill. */
  readonly origin?: string;
  /** Identifies the installed packages that the run would use, such as the hash of their lock. */
  readonly environment?: string;
  readonly act: Act;
  /** The script's path or the tool's name. */
  readonly target: string;
  /** The exact arguments. */
  readonly args: readonly string[];
  /** `none`, `open`, or the hosts. */
  readonly network: string;
  readonly mounts: readonly AskedMount[];
  /** Names only. */
  readonly secrets: readonly string[];
  /** The reason for the request. */
  readonly decision: Decision;
  /** The sandbox; `none` means no sandbox. */
  readonly sandbox: string;
  /** The standard input. */
  readonly stdin?: { readonly bytes: number; readonly digest: Digest };
  readonly session: string;
  readonly run: string;
}

export interface AskedMount {
  readonly source: string;
  readonly target: string;
  readonly isWritable: boolean;
}

export type ApprovalScope = "once" | "content";

/** How an approval of content covers more than its request: for every requester, or with any arguments. */
export type Widening = "everyone" | "arguments";

export type ApprovalAnswer =
  | {
      readonly answer: "approve";
      readonly scope: ApprovalScope;
      /** Only with the scope `content`. */
      readonly widen?: readonly Widening[];
      readonly by: string;
    }
  /** `isUnattended`: a program declined, and it is unknown whether it asked a person. */
  | { readonly answer: "deny"; readonly by: string; readonly isUnattended?: boolean };

/** An approval of content before a run asks for it. */
export interface ApprovalGift {
  readonly by: string;
  /** Default: any arguments, because there are none yet. */
  readonly widen?: readonly Widening[];
  /** How long it lasts. Default: the limit `approvalMs`. */
  readonly ms?: number;
}

/** An approval that the caller obtained itself, for the request with this key. */
export interface GivenApproval {
  /** From `session.clearance` or from the details of APPROVAL_REQUIRED. */
  readonly key: Digest;
  /** The person who approved. */
  readonly by: string;
  /** Default: `once`. */
  readonly scope?: ApprovalScope;
  readonly widen?: readonly Widening[];
}

/** How one call gets its approval. Never taken from model input. */
export interface ApprovalCall {
  readonly signal?: AbortSignal | undefined;
  /** Asks for this call, in place of the session's asker. */
  readonly asker?: Asker | undefined;
  readonly approval?: GivenApproval | undefined;
}

/** Asks a person. A timeout or a missing asker means no. */
export interface Asker {
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
}

/** A stored approval for a content. */
export interface Approval {
  readonly id: string;
  readonly key: Digest;
  readonly skill: SkillId;
  readonly treeHash: Digest;
  readonly act: Act;
  readonly target: string;
  /** The requester whose runs it covers; without effect if it is widened to `everyone`. */
  readonly requester: Requester;
  readonly widen: readonly Widening[];
  readonly by: string;
  readonly at: string;
  readonly expiresAt: string;
}

/**
 * Stores approvals. Never returns one that expired at `now` or that was granted more than a minute after `now`. Lists
 * the oldest first.
 */
export interface ApprovalStore {
  find(key: Digest, now: Date): Promise<Approval | undefined>;
  list(now: Date): Promise<readonly Approval[]>;
  /** Replaces the approval with the same key and deletes expired ones. */
  add(approval: Approval): Promise<void>;
  /** True when an approval was removed. */
  remove(id: string): Promise<boolean>;
}
