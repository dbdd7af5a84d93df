import { type Actor, Digest, SkillId } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Grantee } from "../record/grant.ts";
import { currentGeneration, type Proposal, type ProposalActor } from "../record/proposal.ts";
import { isAuthor } from "./author.ts";
import { actOn, isWidened, missingReviewers, type ProposalAct } from "./state.ts";

const at = "2026-01-01T00:00:00.000Z";
const digest = (number: number) => Digest.parse(`sha256:${String(number).padStart(64, "0")}`);

const people: readonly ProposalActor[] = [
  { user: "ann", role: "publisher", token: "ann-1" },
  { user: "bob", role: "admin", token: "bob-1" },
  { user: "eve", role: "viewer", token: "eve-1" },
];
const agents: readonly ProposalActor[] = [
  { user: "ann", role: "agent", agent: "writer", token: "writer-1" },
  { user: "ann", role: "agent", agent: "helper", token: "helper-1" },
  { user: "bob", role: "agent", agent: "checker", token: "checker-1" },
  { user: "ann", role: "agent", token: "plain-1" },
];
const actors = [...people, ...agents];
const [ann, bob, eve] = people as readonly [ProposalActor, ProposalActor, ProposalActor];
const [writer, helper, checker, plain] = agents as readonly [
  ProposalActor,
  ProposalActor,
  ProposalActor,
  ProposalActor,
];

function proposal(author: ProposalActor, fields: Partial<Proposal> = {}): Proposal {
  const by: Actor = { user: author.user, role: author.role };
  return {
    id: "p1",
    kind: "update",
    skill: SkillId.parse("pdf"),
    folder: undefined,
    origin: "session",
    state: "pending",
    author,
    session: undefined,
    justification: "It fails.",
    evidence: [],
    generations: [{ base: digest(1), candidate: digest(2), verdict: "clean", widened: [], by, at }],
    reviews: [],
    applied: undefined,
    createdAt: at,
    updatedAt: at,
    ...fields,
  };
}

const reviewing = (decision: "approve" | "reject" | "request_changes" | "comment"): ProposalAct => ({
  type: "review",
  decision,
  comment: "text",
});
const applying = (current: number): ProposalAct => ({ type: "apply", current: digest(current), revision: 2 });
const as = (by: ProposalActor, reviewers: readonly Grantee[] = []) => ({
  by,
  reviewers,
  isManager: by.role === "admin" || (by.user === "ann" && by.role === "publisher"),
  at,
});

function codeOf(work: () => unknown): string {
  try {
    work();
    return "ok";
  } catch (error) {
    if (error instanceof SkillError) return error.code;
    throw error;
  }
}

describe("random acts of random actors", () => {
  const act = fc.oneof(
    fc.constantFrom("approve", "reject", "request_changes", "comment").map((decision) => ({ decision })),
    fc.constantFrom("withdraw", "publish", "outdate", "rebase", "apply").map((step) => ({ step })),
  );
  const reviewer = fc.constantFrom<Grantee>(
    { kind: "user", key: "bob" },
    { kind: "user", key: "ann" },
    { kind: "agent", key: "checker" },
    { kind: "agent", key: "writer" },
  );
  const script = fc.record({
    author: fc.constantFrom(...actors),
    widened: fc.constantFrom<readonly string[] | undefined>([], ["network.hosts a.example"], undefined),
    reviewers: fc.uniqueArray(reviewer, { maxLength: 2, selector: ({ kind, key }) => `${kind}:${key}` }),
    steps: fc.array(fc.tuple(fc.constantFrom(...actors), act), { maxLength: 40 }),
  });

  test("apply only what a reviewer other than the author approved, once, and on the current base [S-49]", () => {
    let applications = 0;
    fc.assert(
      fc.property(script, ({ author, widened, reviewers, steps }) => {
        const [first] = proposal(author).generations;
        let state = proposal(author, { generations: [{ ...first, widened }] });
        let current = 1;
        let next = 3;
        let applied = 0;
        for (const [by, step] of steps) {
          const before = state;
          const context = as(by, reviewers);
          const done = codeOf(() => {
            state = perform(step, before, context, { current, next });
          });
          next += 1;
          if ("step" in step && step.step === "publish") current = next;
          if (done !== "ok" || before.state === "applied" || state.state !== "applied") continue;
          applied += 1;
          const { base, candidate } = currentGeneration(before);
          const approvals = before.reviews.filter((each) => each.decision === "approve");
          const counted = approvals.filter((each) => each.candidate === candidate);
          expect(base).toBe(digest(current));
          expect(counted.some((each) => !isAuthor(author, each.by))).toBe(true);
          expect(missingReviewers(before, reviewers)).toEqual([]);
          if (isWidened(before))
            expect(counted.some(({ by: { agent, role } }) => agent === undefined && role !== "agent")).toBe(
              true,
            );
          expect(by.agent).toBeUndefined();
        }
        applications += applied;
        expect(applied).toBeLessThanOrEqual(1);
        for (const { by, decision } of state.reviews)
          if (decision !== "comment") expect(isAuthor(author, by)).toBe(false);
      }),
      { numRuns: 5000 },
    );
    // Otherwise the property would say nothing.
    expect(applications).toBeGreaterThan(10);
  });

  type Step = { readonly decision: string } | { readonly step: string };

  function perform(
    step: Step,
    before: Proposal,
    context: ReturnType<typeof as>,
    { current, next }: { readonly current: number; readonly next: number },
  ): Proposal {
    if ("decision" in step)
      return actOn(before, reviewing(step.decision as "approve" | "reject" | "comment"), context);
    if (step.step === "publish") return before;
    if (step.step === "withdraw") return actOn(before, { type: "withdraw" }, context);
    if (step.step === "outdate") return actOn(before, { type: "outdate", current: digest(current) }, context);
    if (step.step === "apply") return actOn(before, applying(current), context);
    const last = currentGeneration(before);
    const generation = { ...last, base: digest(current), candidate: digest(next + 1000) };
    return actOn(before, { type: "rebase", generation }, context);
  }
});

test.each([
  ["an agent", writer, writer, true],
  ["another agent of the same user", writer, helper, true],
  ["a session without an agent key, and itself", plain, plain, true],
  ["an agent, and the person it acts for", writer, ann, false],
  ["an agent, and another person", writer, bob, false],
  ["a person", ann, ann, true],
  ["a person, and an agent of that person", ann, writer, true],
  ["a person, and another person", ann, bob, false],
  ["the same token under another name", { ...ann, user: "x" }, ann, true],
] as const)("decides whether the reviewer is the author: %s [S-49]", (_, author, reviewer, expected) => {
  expect(isAuthor(author, reviewer)).toBe(expected);
});

test("the author cannot approve, and a viewer cannot review [S-49]", () => {
  expect(codeOf(() => actOn(proposal(ann), reviewing("approve"), as(ann)))).toBe("POLICY_DENIED");
  expect(codeOf(() => actOn(proposal(writer), reviewing("approve"), as(eve)))).toBe("POLICY_DENIED");
  expect(actOn(proposal(writer), reviewing("approve"), as(ann)).state).toBe("approved");
});

test("an agent reviews only where it is named, and never a proposal that adds capabilities [S-49]", () => {
  const named = [{ kind: "agent", key: "checker" }] as const;
  expect(codeOf(() => actOn(proposal(writer), reviewing("approve"), as(checker)))).toBe("POLICY_DENIED");
  expect(actOn(proposal(writer), reviewing("approve"), as(checker, named)).state).toBe("approved");
  const [first] = proposal(writer).generations;
  for (const widened of [["process.shell"], undefined]) {
    const wide = proposal(writer, { generations: [{ ...first, widened }] });
    for (const decision of ["approve", "reject", "request_changes"] as const)
      expect(codeOf(() => actOn(wide, reviewing(decision), as(checker, named)))).toBe("POLICY_DENIED");
    expect(actOn(wide, reviewing("approve"), as(bob, named)).state).toBe("approved");
  }
});

test("a proposal waits for every required reviewer [S-49]", () => {
  const required = [
    { kind: "user", key: "bob" },
    { kind: "agent", key: "checker" },
  ] as const;
  const once = actOn(proposal(writer), reviewing("approve"), as(bob, required));
  expect(once.state).toBe("pending");
  expect(missingReviewers(once, required)).toEqual([{ kind: "agent", key: "checker" }]);
  const twice = actOn(once, reviewing("approve"), as(checker, required));
  expect(twice.state).toBe("approved");
  expect(actOn(twice, reviewing("request_changes"), as(bob, required)).state).toBe("pending");
});

test("a rebased proposal needs a new approval [S-49]", () => {
  const approved = actOn(proposal(writer), reviewing("approve"), as(bob));
  const stale = actOn(approved, { type: "outdate", current: digest(9) }, as(bob));
  expect(codeOf(() => actOn(stale, applying(9), as(bob)))).toBe("PROPOSAL_STALE");
  const generation = { ...currentGeneration(stale), base: digest(9), candidate: digest(10) };
  const rebased = actOn(stale, { type: "rebase", generation }, as(writer));
  expect(rebased.state).toBe("pending");
  expect(codeOf(() => actOn(rebased, applying(9), as(bob)))).toBe("APPROVAL_REQUIRED");
});

test("a quarantined proposal can be rejected but not approved [S-49]", () => {
  const blocked = proposal(writer, { state: "quarantined" });
  expect(codeOf(() => actOn(blocked, reviewing("approve"), as(bob)))).toBe("GUARD_BLOCKED");
  expect(actOn(blocked, reviewing("reject"), as(bob)).state).toBe("rejected");
});
