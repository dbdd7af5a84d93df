import { hash } from "node:crypto";
import type { Digest } from "@skillhold/protocol";
import type { ApprovalRequest } from "./approval.ts";

/** The parts of a request that an approval is bound to. */
export type ApprovalSubject = Pick<
  ApprovalRequest,
  "skill" | "treeHash" | "trust" | "origin" | "act" | "target" | "network" | "mounts" | "secrets" | "sandbox"
>;

const VERSION = "skillhold-approval-1";
const REQUEST_VERSION = "skillhold-request-1";

/**
 * The key of the approval for a request. It hashes a JSON array of fixed length (one longer for remote skills) in
 * which every string is quoted, so no two subjects share a text. The order of mounts and secrets does not matter.
 */
export function approvalKey(subject: ApprovalSubject): Digest {
  const { skill, treeHash, trust, origin, act, target, network, sandbox } = subject;
  const mounts = subject.mounts.map((mount) =>
    JSON.stringify([mount.source, mount.target, mount.isWritable]),
  );
  const lists = [mounts.toSorted(), subject.secrets.toSorted()];
  // The same content from another server needs its own approval.
  const from = origin === undefined ? [] : [origin];
  const parts = [skill, treeHash, trust, act, target, network, sandbox, ...lists, ...from];
  return digestOf([VERSION, ...parts]);
}

/** The key of one exact request: its subject, its arguments and its input. The same request later has the same key. */
export function requestKey(request: ApprovalSubject & Pick<ApprovalRequest, "args" | "stdin">): Digest {
  const { args, stdin } = request;
  return digestOf([REQUEST_VERSION, approvalKey(request), args, stdin?.digest ?? null]);
}

function digestOf(parts: readonly unknown[]): Digest {
  // The hash has 64 lowercase hexadecimal digits.
  return `sha256:${hash("sha256", JSON.stringify(parts), "hex")}` as Digest;
}
