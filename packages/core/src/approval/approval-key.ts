import { hash } from "node:crypto";
import type { Digest } from "@skillhold/protocol";
import type { ApprovalRequest, Widening } from "./approval.ts";
import { argumentShape } from "./argument-shape.ts";

/** The parts of a request that an approval is bound to. */
export type ApprovalSubject = Omit<ApprovalRequest, "decision" | "session" | "run">;

const VERSION = "skillhold-approval-2";
const REQUEST_VERSION = "skillhold-request-2";

/**
 * The key of the approval for a request. It hashes a JSON array of fixed length in which every string is quoted, so no
 * two subjects share a text. The order of mounts and secrets does not matter. A widened approval has another key: without
 * the requester for `everyone`, and without the shape of the arguments for `arguments`.
 */
export function approvalKey(subject: ApprovalSubject, widen: readonly Widening[] = []): Digest {
  const { skill, treeHash, trust, origin, environment, act, target, network, sandbox, requester } = subject;
  const mounts = subject.mounts.map((mount) =>
    JSON.stringify([mount.source, mount.target, mount.isWritable]),
  );
  return digestOf([
    VERSION,
    // The same content from another server needs its own approval.
    ...[skill, treeHash, trust, origin ?? null, environment ?? null, act, target, network, sandbox],
    mounts.toSorted(),
    subject.secrets.toSorted(),
    widen.includes("everyone") ? "everyone" : [requester.agent ?? null, requester.user ?? null],
    widen.includes("arguments") ? "any" : argumentShape(subject),
  ]);
}

/** The target of an approval for all declared tools of a skill, and for listing them. No tool can have this name. */
export const ALL_TOOLS = "tools/*";

/** The keys of all approvals that cover a request, the narrowest first. */
export function coveringKeys(subject: ApprovalSubject): readonly Digest[] {
  const own = WIDENINGS.map((widen) => approvalKey(subject, widen));
  if (subject.act !== "call_tool") return own;
  const ofAll = WIDENINGS.filter((widen) => widen.includes("arguments"));
  return [...own, ...ofAll.map((widen) => approvalKey({ ...subject, target: ALL_TOOLS }, widen))];
}

const WIDENINGS: readonly (readonly Widening[])[] = [
  [],
  ["arguments"],
  ["everyone"],
  ["everyone", "arguments"],
];

/** The key of one exact request: its subject, its arguments and its input. The same request later has the same key. */
export function requestKey(request: ApprovalSubject): Digest {
  const { args, stdin } = request;
  return digestOf([REQUEST_VERSION, approvalKey(request), args, stdin?.digest ?? null]);
}

function digestOf(parts: readonly unknown[]): Digest {
  // The hash has 64 lowercase hexadecimal digits.
  return `sha256:${hash("sha256", JSON.stringify(parts), "hex")}` as Digest;
}
