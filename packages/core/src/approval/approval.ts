import type { Digest, SkillId, Trust } from "@skillhold/protocol";
import type { Act, Decision } from "../policy/policy.ts";

/**
 * A request for approval. An approval covers one content of one skill and one shape of the act: the key consists of
 * `skill`, `treeHash`, `trust`, `origin`, `act`, `target`, `network`, `mounts`, `secrets` and `sandbox`. The scope
 * `once` also covers `args` and `stdin`.
 */
export interface ApprovalRequest {
  readonly skill: SkillId;
  readonly treeHash: Digest;
  readonly trust: Trust;
  /** The server and address of a remote skill. */
  readonly origin?: string;
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

export type ApprovalAnswer =
  | { readonly answer: "approve"; readonly scope: ApprovalScope; readonly by: string }
  | { readonly answer: "deny"; readonly by: string };

/** An approval that the caller obtained itself, for the request with this key. */
export interface GivenApproval {
  /** From `session.clearance` or from the details of APPROVAL_REQUIRED. */
  readonly key: Digest;
  /** The person who approved. */
  readonly by: string;
  /** Default: `once`. */
  readonly scope?: ApprovalScope;
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
