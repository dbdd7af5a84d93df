import { SkillError, type SkillEvent } from "@skillhold/protocol";
import { expect, test } from "vitest";
import { ManualTimers } from "../manual-timers.fixture.ts";
import { approve, deny, digest, fixtureApprovals, later, request } from "./approval.fixture.ts";
import type { Approval, ApprovalAnswer } from "./approval.ts";
import { approvalKey } from "./approval-key.ts";
import type { ObtainedApproval } from "./approvals.ts";
import { memoryApprovals } from "./memory-approvals.ts";

const types = (events: readonly SkillEvent[]) => events.map(({ type }) => type);
const never = () => new Promise<never>(() => {});

test("a yes for the content is asked for once and kept until it expires [S-28]", async () => {
  const { approvals, asked, clock, store } = fixtureApprovals(approve("content"), {
    limits: { approvalAnswerMs: 60_000, approvalMs: 5000 },
  });
  const first = await approvals.obtain(request());
  expect(first).toEqual({ scope: "content", by: "ann", approval: "id-1" });
  clock.ms = 4999;
  expect(await approvals.obtain(request({ session: "s2" }))).toEqual(first);
  expect(asked).toHaveLength(1);
  expect(await store.list(clock.now())).toMatchObject([{ id: "id-1", expiresAt: later(5000).toISOString() }]);
  clock.ms = 5000;
  await approvals.obtain(request());
  expect(asked).toHaveLength(2);
});

test("a yes for once is not kept: the same request asks again [S-28]", async () => {
  const added: Approval[] = [];
  const store = { ...memoryApprovals(), add: async (approval: Approval) => void added.push(approval) };
  const { approvals, asked } = fixtureApprovals(approve("once"), { store });
  expect(await approvals.obtain(request())).toMatchObject({ scope: "once", by: "ann" });
  await approvals.obtain(request());
  expect(asked).toHaveLength(2);
  expect(added).toEqual([]);
});

test("changed content, or another action, target, network, mount or secret, is a new question [S-28]", async () => {
  const { approvals, asked } = fixtureApprovals(approve("content"));
  const others = [
    request(),
    request({ treeHash: digest("changed") }),
    request({ act: "call_tool" }),
    request({ target: "scripts/b.py" }),
    request({ network: "open" }),
    request({ mounts: [{ source: "/data", target: "/mnt/data", isWritable: false }] }),
    request({ mounts: [{ source: "/data", target: "/mnt/data", isWritable: true }] }),
    request({ secrets: ["API_KEY"] }),
    request({ trust: "third_party" }),
    request({ sandbox: "sandbox-runtime" }),
  ];
  for (const other of others) await approvals.obtain(other);
  expect(asked).toEqual(others);
  for (const other of others) await approvals.obtain(other);
  expect(asked).toHaveLength(others.length);
});

test("content from another program is asked about again after it changed, even if it changed back [S-28] [S-57]", async () => {
  const { approvals, asked, events } = fixtureApprovals(approve("content"));
  const served = { origin: "mcp:acme skill://pdf", trust: "third_party" } as const;
  const [before, after] = [request(served), request({ ...served, treeHash: digest("changed") })];
  for (const each of [before, before, after, before]) await approvals.obtain(each);
  expect(asked).toEqual([before, after, before]);
  expect(types(events)).toEqual([
    "approval.granted",
    "approval.revoked",
    "approval.granted",
    "approval.revoked",
    "approval.granted",
  ]);
});

test("a revoked approval is asked for again [S-28]", async () => {
  const { approvals, asked, store } = fixtureApprovals(approve("content"));
  const { approval } = await approvals.obtain(request());
  await store.remove(approval);
  await approvals.obtain(request());
  expect(asked).toHaveLength(2);
});

test("records each answer with the person, the request and the duration [S-62]", async () => {
  const answers = [approve("content"), approve("once"), deny];
  const { approvals, events } = fixtureApprovals(async () => answers.shift() ?? deny);
  await approvals.obtain(request());
  await approvals.obtain(request({ target: "scripts/b.py" }));
  await expect(approvals.obtain(request({ target: "scripts/c.py" }))).rejects.toThrow();
  const about = {
    at: later(0).toISOString(),
    skill: "pdf",
    hash: digest("tree"),
    act: "run_script",
    requester: { agent: "writer", user: "ann" },
    session: "s1",
    run: "r1",
    network: "none",
    mounts: [],
    secrets: [],
    sandbox: "bubblewrap",
    by: "ann",
  };
  const granted = { ...about, type: "approval.granted", approval: expect.any(String) };
  expect(events).toEqual([
    { ...granted, target: "scripts/a.py", scope: "content", expiresAt: later(900_000).toISOString() },
    { ...granted, target: "scripts/b.py", scope: "once", expiresAt: later(0).toISOString() },
    { ...about, type: "approval.denied", target: "scripts/c.py" },
  ]);
});

test("a run outside a sandbox is asked about every time [S-28]", async () => {
  const { approvals, asked } = fixtureApprovals(approve("content"));
  await approvals.obtain(request({ sandbox: "none" }));
  await approvals.obtain(request({ sandbox: "none" }));
  expect(asked).toHaveLength(2);
});

test("a kept approval is neither asked for nor recorded again [S-62]", async () => {
  const { approvals, events } = fixtureApprovals(approve("content"));
  await approvals.obtain(request());
  await approvals.obtain(request());
  expect(types(events)).toEqual(["approval.granted"]);
});

test.each(["once", "content"] as const)(
  "a yes (%s) that cannot be recorded does not count and is not kept [S-28]",
  async (scope) => {
    const failure = new Error("disk full");
    const audit = { record: () => Promise.reject(failure) };
    const { approvals, store, clock } = fixtureApprovals(approve(scope), { audit });
    await expect(approvals.obtain(request())).rejects.toBe(failure);
    expect(await store.list(clock.now())).toEqual([]);
  },
);

test("an answer is recorded before it is kept, and a yes that cannot be kept does not count [S-28]", async () => {
  const failure = new Error("read-only");
  const broken = { ...memoryApprovals(), add: () => Promise.reject(failure) };
  const { approvals, events } = fixtureApprovals(approve("content"), { store: broken });
  await expect(approvals.obtain(request())).rejects.toBe(failure);
  expect(types(events)).toEqual(["approval.granted"]);
});

test("asks for and approves nothing when kept approvals cannot be read [S-28]", async () => {
  const failure = new Error("damaged");
  const broken = { ...memoryApprovals(), find: () => Promise.reject(failure) };
  const { approvals, asked } = fixtureApprovals(approve("content"), { store: broken });
  await expect(approvals.obtain(request())).rejects.toBe(failure);
  expect(asked).toEqual([]);
});

test("a no names the person and the refused request [S-28]", async () => {
  const { approvals } = fixtureApprovals({ answer: "deny", by: "ann\u001b[2J" });
  await expect(approvals.obtain(request())).rejects.toMatchObject({
    code: "APPROVAL_DENIED",
    message: `Denied by ann: run scripts/a.py of pdf (${digest("tree")}).`,
  });
});

test("without an asker, the error says what needs approval, why, and how to get it [S-28]", async () => {
  const { approvals, events } = fixtureApprovals(undefined);
  const failure = await approvals.obtain(request()).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    code: "APPROVAL_REQUIRED",
    message: `No approver is available: approval is needed to run scripts/a.py of pdf (${digest("tree")}). A skill of the user's asks first.`,
    hint: expect.stringContaining("approve this content beforehand"),
    details: { skill: "pdf", target: "scripts/a.py", act: "run_script", rule: "user-asks" },
  });
  expect(events).toEqual([]);
});

test("without an asker, earlier approvals still count [S-28]", async () => {
  const { approvals: before, store } = fixtureApprovals(approve("content"));
  const kept = await before.obtain(request());
  const { approvals } = fixtureApprovals(undefined, { store });
  expect(await approvals.obtain(request())).toEqual(kept);
});

test("a timeout is a no, notifies the asker, and a late yes changes nothing [S-28]", async () => {
  const timers = new ManualTimers();
  const late = Promise.withResolvers<ApprovalAnswer>();
  let told: AbortSignal | undefined;
  const { approvals, events, store, clock } = fixtureApprovals(
    (_, signal) => {
      told = signal;
      return late.promise;
    },
    { limits: { approvalAnswerMs: 60_000, approvalMs: 5000 }, timers },
  );
  const obtained = approvals.obtain(request());
  await timers.set(60_000);
  timers.advance(60_000);
  await expect(obtained).rejects.toMatchObject({
    code: "APPROVAL_REQUIRED",
    message: expect.stringContaining("No answer arrived in time"),
  });
  expect(told?.aborted).toBe(true);
  late.resolve(approve("content"));
  await late.promise;
  await new Promise((resolve) => setImmediate(resolve));
  expect(events).toEqual([]);
  expect(await store.list(clock.now())).toEqual([]);
});

test.each([
  [
    "throws at once",
    () => {
      throw new Error("no terminal");
    },
  ],
  ["rejects", () => Promise.reject(new Error("no terminal"))],
])("an asker that %s is a no, with its reason as the cause [S-28]", async (_, ask) => {
  const { approvals } = fixtureApprovals(ask);
  const failure = await approvals.obtain(request()).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "APPROVAL_REQUIRED", cause: { message: "no terminal" } });
});

test.each([
  undefined,
  {},
  { answer: "yes", by: "ann" },
  { answer: "approve", by: "ann" },
  { answer: "approve", scope: "forever", by: "ann" },
  { answer: "approve", scope: "content" },
])("an unknown answer is a no: %j [S-28]", async (answer) => {
  // Deliberately outside the type, as what comes over a wire may be.
  const { approvals, events } = fixtureApprovals(async () => answer as ApprovalAnswer);
  await expect(approvals.obtain(request())).rejects.toMatchObject({ code: "APPROVAL_REQUIRED" });
  expect(events).toEqual([]);
});

test("canceling ends the question and approves nothing [S-28]", async () => {
  const caller = new AbortController();
  let told: AbortSignal | undefined;
  const { approvals, events } = fixtureApprovals((_, signal) => {
    told = signal;
    caller.abort();
    return never();
  });
  await expect(approvals.obtain(request(), { signal: caller.signal })).rejects.toMatchObject({
    code: "INTERRUPTED",
  });
  expect(told?.aborted).toBe(true);
  expect(events).toEqual([]);
});

test("a request that was canceled before is not asked about [S-28]", async () => {
  const { approvals, asked } = fixtureApprovals(approve("once"));
  await expect(approvals.obtain(request(), { signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: "INTERRUPTED",
  });
  expect(asked).toEqual([]);
});

test("concurrent equal questions are asked once, and a yes for the content answers all of them [S-28]", async () => {
  const { approvals, asked, events } = fixtureApprovals(approve("content"));
  const all = await Promise.all(Array.from({ length: 20 }, () => approvals.obtain(request())));
  expect(asked).toHaveLength(1);
  expect(events).toHaveLength(1);
  expect(new Set(all.map(({ approval }) => approval))).toEqual(new Set(["id-1"]));
});

test("a yes for once answers one of several concurrent requests; the others are asked in turn [S-28]", async () => {
  let open = 0;
  const { approvals, asked, events } = fixtureApprovals(async () => {
    open += 1;
    await new Promise((resolve) => setImmediate(resolve));
    expect(open).toBe(1);
    open -= 1;
    return approve("once");
  });
  const all = await Promise.all(Array.from({ length: 5 }, () => approvals.obtain(request())));
  expect(asked).toHaveLength(5);
  expect(events).toHaveLength(5);
  expect(new Set(all.map(({ approval }) => approval)).size).toBe(5);
});

test("after a yes for once, a yes for the content answers the remaining requests [S-28]", async () => {
  const answers = [approve("once"), approve("content")];
  const { approvals, asked } = fixtureApprovals(async () => answers.shift() ?? deny);
  const all = await Promise.all(Array.from({ length: 6 }, () => approvals.obtain(request())));
  expect(asked).toHaveLength(2);
  expect(all.map(({ scope }) => scope).toSorted()).toEqual([...Array(5).fill("content"), "once"]);
});

test("other arguments are a new question: a no to some does not cover others [S-28]", async () => {
  const { approvals, asked } = fixtureApprovals(async ({ args }) =>
    args[0] === "bad" ? deny : approve("once"),
  );
  const [bad, alike, good] = await Promise.allSettled([
    approvals.obtain(request({ args: ["bad"] })),
    approvals.obtain(request({ args: ["bad"] })),
    approvals.obtain(request({ args: ["good"] })),
  ]);
  expect([bad?.status, alike?.status, good?.status]).toEqual(["rejected", "rejected", "fulfilled"]);
  expect(asked).toHaveLength(2);
});

test("canceling one request does not answer the others [S-28]", async () => {
  const first = new AbortController();
  const answers: Promise<ApprovalAnswer>[] = [never(), Promise.resolve(approve("content"))];
  const { approvals, asked } = fixtureApprovals(() => {
    if (answers.length === 2) setImmediate(() => first.abort());
    return answers.shift() ?? Promise.resolve(deny);
  });
  const [gone, served] = await Promise.allSettled([
    approvals.obtain(request(), { signal: first.signal }),
    approvals.obtain(request()),
  ]);
  expect(codeOf(gone)).toBe("INTERRUPTED");
  expect(served).toMatchObject({ status: "fulfilled", value: { scope: "content" } });
  expect(asked).toHaveLength(2);
});

test("a request that waits for another's answer can be canceled alone [S-28]", async () => {
  const answer = Promise.withResolvers<ApprovalAnswer>();
  const waiting = new AbortController();
  const { approvals, asked } = fixtureApprovals(() => answer.promise);
  const first = approvals.obtain(request());
  const second = approvals.obtain(request(), { signal: waiting.signal });
  waiting.abort();
  await expect(second).rejects.toMatchObject({ code: "INTERRUPTED" });
  answer.resolve(approve("content"));
  expect(await first).toMatchObject({ scope: "content" });
  expect(asked).toHaveLength(1);
});

test("an approval is kept for the question that was asked [S-28]", async () => {
  const { approvals, store, clock } = fixtureApprovals(approve("content"));
  await approvals.obtain(request());
  expect(await store.list(clock.now())).toMatchObject([
    { key: approvalKey(request()), target: "scripts/a.py" },
  ]);
});

function codeOf(result: PromiseSettledResult<ObtainedApproval> | undefined): string | undefined {
  return result?.status === "rejected" && result.reason instanceof SkillError
    ? result.reason.code
    : undefined;
}
