import type { Digest, SkillId, Trust } from "@skillhold/protocol";
import type { Act, Decision } from "../policy/policy.ts";

/**
 * What is to be approved. An approval holds for one content of one skill and one shape of the act: the key is
 * made of `skill`, `treeHash`, `trust`, `origin`, `act`, `target`, `network`, `mounts`, `secrets` and `sandbox`. The scope `once` is
 * for `args` and `stdin` too.
 */
export interface ApprovalRequest {
  readonly skill: SkillId;
  readonly treeHash: Digest;
  readonly trust: Trust;
  /** The server and the address, of a skill that another program serves. */
  readonly origin?: string;
  readonly act: Act;
  /** The script's path or the tool's name. */
  readonly target: string;
  /** Exactly what would be passed on. */
  readonly args: readonly string[];
  /** `none`, `open`, or the hosts. */
  readonly network: string;
  readonly mounts: readonly AskedMount[];
  /** Names alone. */
  readonly secrets: readonly string[];
  /** Why it is asked for. */
  readonly decision: Decision;
  /** Where it would run; `none` is outside of any sandbox. */
  readonly sandbox: string;
  /** What it would read from its standard input. */
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

/** Asks a person. No answer in time, and no asker at all, is a no. */
export interface Asker {
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
}

/** An approval for a content, kept until it expires. */
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

/** Where approvals are kept. Nothing is given that has expired at `now`, or was given more than a minute after it; the oldest is listed first. */
export interface ApprovalStore {
  find(key: Digest, now: Date): Promise<Approval | undefined>;
  list(now: Date): Promise<readonly Approval[]>;
  /** Takes the place of the one with the same key; those that have expired by then are forgotten. */
  add(approval: Approval): Promise<void>;
  /** Whether there was one. */
  remove(id: string): Promise<boolean>;
}
