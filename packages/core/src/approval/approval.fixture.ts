import { hash } from "node:crypto";
import { Digest, defaultLimits, SkillEvent, SkillId } from "@skillhold/protocol";
import type { Approval, ApprovalAnswer, ApprovalRequest, ApprovalStore, Asker } from "./approval.ts";
import { type ApprovalPorts, Approvals } from "./approvals.ts";
import { memoryApprovals } from "./memory-approvals.ts";

const START = Date.UTC(2026, 0, 1);

/** Milliseconds after the start of all tests. */
export function later(ms: number): Date {
  return new Date(START + ms);
}

export function digest(text: string): Digest {
  return Digest.parse(`sha256:${hash("sha256", text)}`);
}

/** An approval whose key and id come from its name, and which lasts a minute. */
export function approval(name: string, fields: Partial<Approval> = {}): Approval {
  return {
    id: `id-${name}`,
    key: digest(name),
    skill: SkillId.parse("pdf"),
    treeHash: digest("tree"),
    act: "run_script",
    target: "scripts/a.py",
    requester: { agent: "writer", user: "ann" },
    widen: [],
    by: "ann",
    at: later(0).toISOString(),
    expiresAt: later(60_000).toISOString(),
    ...fields,
  };
}

export function request(fields: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    requester: { agent: "writer", user: "ann" },
    skill: SkillId.parse("pdf"),
    treeHash: digest("tree"),
    trust: "user",
    act: "run_script",
    target: "scripts/a.py",
    args: ["--fast"],
    network: "none",
    mounts: [],
    secrets: [],
    decision: {
      verdict: "ask",
      rule: "user-asks",
      reason: "A skill of the user's asks first.",
      reasons: ["A skill of the user's asks first."],
    },
    sandbox: "bubblewrap",
    session: "s1",
    run: "r1",
    ...fields,
  };
}

/** Approvals whose clock, answers, store and record a test holds in its hands. */
export interface FixtureApprovals {
  readonly approvals: Approvals;
  readonly store: ApprovalStore;
  readonly events: SkillEvent[];
  readonly asked: ApprovalRequest[];
  readonly clock: { ms: number; now(): Date };
}

export const approve = (scope: "once" | "content"): ApprovalAnswer => ({
  answer: "approve",
  scope,
  by: "ann",
});
export const deny: ApprovalAnswer = { answer: "deny", by: "ann" };

export function fixtureApprovals(
  answer: ApprovalAnswer | Asker["ask"] | undefined,
  ports: Partial<ApprovalPorts> = {},
): FixtureApprovals {
  const events: SkillEvent[] = [];
  const asked: ApprovalRequest[] = [];
  const clock = { ms: 0, now: () => later(clock.ms) };
  const store = ports.store ?? memoryApprovals();
  const ask: Asker["ask"] = async (question, signal) => {
    asked.push(question);
    if (answer === undefined) throw new Error("There is no asker.");
    return typeof answer === "function" ? await answer(question, signal) : answer;
  };
  const ids = counter();
  const approvals = new Approvals({
    clock,
    ids,
    audit: { record: (event) => void events.push(SkillEvent.parse(event)) },
    limits: defaultLimits,
    ...(answer === undefined ? {} : { asker: { ask } }),
    ...ports,
    store,
  });
  return { approvals, store, events, asked, clock };
}

function counter(): ApprovalPorts["ids"] {
  let last = 0;
  return {
    next: () => {
      last += 1;
      return `id-${last}`;
    },
  };
}
