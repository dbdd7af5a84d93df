import { hash } from "node:crypto";
import type { Digest } from "@skillhold/protocol";
import type { ApprovalRequest } from "./approval.ts";

/** The parts of a request that an approval is bound to. */
export type ApprovalSubject = Pick<
  ApprovalRequest,
  "skill" | "treeHash" | "trust" | "origin" | "act" | "target" | "network" | "mounts" | "secrets" | "sandbox"
>;

const VERSION = "skillhold-approval-1";

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
  // The hash has 64 lowercase hexadecimal digits.
  return `sha256:${hash("sha256", JSON.stringify([VERSION, ...parts]), "hex")}` as Digest;
}
