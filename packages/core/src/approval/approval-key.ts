import { hash } from "node:crypto";
import type { Digest } from "@skillhold/protocol";
import type { ApprovalRequest } from "./approval.ts";

/** What of a request an approval is bound to. */
export type ApprovalSubject = Pick<
  ApprovalRequest,
  "skill" | "treeHash" | "trust" | "origin" | "act" | "target" | "network" | "mounts" | "secrets" | "sandbox"
>;

const VERSION = "skillhold-approval-1";

/**
 * The key of the approval that a request needs. It is over a JSON text that no two subjects share: an array of fixed
 * length, one longer for a skill that another program serves, in which every string is quoted. The order of mounts and of secrets makes no difference.
 */
export function approvalKey(subject: ApprovalSubject): Digest {
  const { skill, treeHash, trust, origin, act, target, network, sandbox } = subject;
  const mounts = subject.mounts.map((mount) =>
    JSON.stringify([mount.source, mount.target, mount.isWritable]),
  );
  const lists = [mounts.toSorted(), subject.secrets.toSorted()];
  // The same content of another server is another one's word.
  const from = origin === undefined ? [] : [origin];
  const parts = [skill, treeHash, trust, act, target, network, sandbox, ...lists, ...from];
  // The hash is 64 lower-case hexadecimal digits.
  return `sha256:${hash("sha256", JSON.stringify([VERSION, ...parts]), "hex")}` as Digest;
}
