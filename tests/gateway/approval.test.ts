import { randomUUID } from "node:crypto";
import type { Approval } from "@skillhold/core/approval";
import { type Actor, Digest, SkillId } from "@skillhold/protocol";
import { withLimits } from "@skillhold/protocol/limits";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { freshDatabase } from "../postgres-database.ts";
import { answerOf, ask, problemOf, type TestGateway } from "./gateway.fixture.ts";
import { openRunningGateway, putFiles, TestSession } from "./session.fixture.ts";
import { openPort, TestSocket } from "./socket.fixture.ts";

const ada: Actor = { user: "ada", role: "publisher" };
const input = { skill_id: "asks", script: "scripts/say.sh" };

let gateway: TestGateway;

beforeEach(async () => {
  gateway = await openRunningGateway();
  await putFiles(gateway, "asks", ada, { "scripts/say.sh": "echo done" });
});

afterEach(async () => {
  await gateway.close();
});

async function open(at: TestGateway = gateway): Promise<TestSession> {
  return await TestSession.open(at, await at.asRole("publisher", "ada"));
}

async function list(at: TestGateway = gateway) {
  const response = await ask(at, "GET", "/v1/approvals", { headers: await at.asRole("admin", "root") });
  return await answerOf("listQuestions", response);
}

/** The pending approval request, when there is one. */
async function waiting(at: TestGateway = gateway) {
  return await vi.waitFor(
    async () => {
      const { questions } = await list(at);
      const [question] = questions;
      if (question === undefined || questions.length > 1) throw new Error(`${questions.length} wait`);
      return question;
    },
    { timeout: 120_000 },
  );
}

async function say(question: string, body: object, at: TestGateway = gateway): Promise<Response> {
  const headers = await at.asRole("admin", "root");
  return await ask(at, "POST", `/v1/approvals/${question}`, { headers, body });
}

test("a run waits for an administrator's approval [S-28] [S-53]", async () => {
  const session = await open();
  const running = session.call("run_skill_script", { ...input, args: ["x y"] });
  const question = await waiting();
  expect(question).toMatchObject({
    skill: "asks",
    trust: "user",
    act: "run_script",
    target: "scripts/say.sh",
    args: ["x y"],
    network: "none",
    session: session.id,
  });
  const answered = await say(question.id, { answer: "approve", scope: "once" });
  expect(await answerOf("answerQuestion", answered)).toEqual({ question: question.id, answer: "approve" });
  expect(await running).toMatchObject({ ok: true, data: { stdout: "done\n" } });
  expect(await list()).toEqual({ questions: [], approvals: [] });
  expect(await session.recorded()).toEqual([
    "session.opened",
    "run.requested",
    "approval.asked",
    "approval.used",
    "approval.granted",
    "run.approved",
    "skill.script_executed",
  ]);
});

test("a question outlives the call, and its approval counts once for the next equal call [S-28] [S-57]", async () => {
  const brief = await openRunningGateway({ limits: withLimits({ approvalWaitMs: 1000 }) });
  await putFiles(brief, "asks", ada, { "scripts/say.sh": "echo done" });
  const session = await open(brief);
  const pending = {
    ok: false,
    error: { code: "APPROVAL_PENDING" },
    text: expect.stringContaining("Waiting"),
  };
  expect(await session.call("run_skill_script", input)).toMatchObject(pending);
  expect(await session.call("run_skill_script", input)).toMatchObject(pending);
  const question = await waiting(brief);
  expect(question.requester).toEqual({ user: "ada" });
  await say(question.id, { answer: "approve", scope: "once" }, brief);
  const bob = await TestSession.open(brief, await brief.asRole("publisher", "bob"));
  expect(await bob.call("run_skill_script", input)).toMatchObject({ ok: false });
  expect(await session.call("run_skill_script", { ...input, args: ["x"] })).toMatchObject(pending);
  const again = await open(brief);
  expect(await again.call("run_skill_script", input)).toMatchObject({ ok: true });
  expect(await again.call("run_skill_script", input)).toMatchObject(pending);
  await brief.close();
});

test("a denial is a tool result, and the script does not run [S-28] [S-53]", async () => {
  const session = await open();
  const running = session.call("run_skill_script", input);
  const { id } = await waiting();
  expect((await say(id, { answer: "deny" })).status).toBe(200);
  expect(await running).toMatchObject({ ok: false, error: { code: "APPROVAL_DENIED" } });
  expect(await session.recorded()).not.toContain("skill.script_executed");
});

test("an approval of the content is stored, listed and revoked [S-28] [S-53]", async () => {
  const session = await open();
  const first = session.call("run_skill_script", input);
  await say((await waiting()).id, { answer: "approve", scope: "content" });
  expect(await first).toMatchObject({ ok: true });
  expect(await session.call("run_skill_script", input)).toMatchObject({ ok: true });
  const { approvals } = await list();
  expect(approvals).toMatchObject([{ skill: "asks", target: "scripts/say.sh", by: "root" }]);
  const headers = await gateway.asRole("admin", "root");
  const revoke = async () => {
    const response = await ask(gateway, "DELETE", `/v1/approvals/kept/${approvals[0]?.id}`, { headers });
    return (await answerOf("revokeApproval", response)).wasThere;
  };
  expect([await revoke(), await revoke()]).toEqual([true, false]);
  const again = session.call("run_skill_script", input);
  await say((await waiting()).id, { answer: "deny" });
  expect(await again).toMatchObject({ ok: false });
});

test("accepts one of two answers, and rejects an unknown question [S-28]", async () => {
  const running = (await open()).call("run_skill_script", input);
  const { id } = await waiting();
  const yes = { answer: "approve", scope: "once" };
  const answers = await Promise.all([say(id, yes), say(id, { answer: "deny" }), say(id, yes)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  await running;
  expect(await problemOf(await say(id, yes))).toMatchObject({ code: "CONFLICT" });
  expect(await problemOf(await say("nothing", yes))).toMatchObject({ code: "QUESTION_NOT_FOUND" });
  for (const body of [
    { answer: "approve" },
    { answer: "yes" },
    { ...yes, by: "me" },
    { answer: "deny", scope: "once" },
  ])
    expect(await problemOf(await say(id, body))).toMatchObject({ code: "USAGE" });
});

test("an agent cannot answer approval requests in any role [S-28]", async () => {
  const running = (await open()).call("run_skill_script", input);
  const { id } = await waiting();
  const headers = await gateway.asRole("admin", "root", "helper");
  const refused = await ask(gateway, "POST", `/v1/approvals/${id}`, {
    headers,
    body: { answer: "approve", scope: "content" },
  });
  expect(await problemOf(refused)).toMatchObject({ code: "FORBIDDEN" });
  await say(id, { answer: "deny" });
  await running;
});

test("closing the session withdraws its approval request [S-28] [S-53]", async () => {
  const session = await open();
  const running = session.call("run_skill_script", input);
  const { id } = await waiting();
  await session.send("DELETE", "");
  expect(await running).toMatchObject({ ok: false, error: { code: "INTERRUPTED" } });
  await vi.waitFor(async () => expect((await list()).questions).toEqual([]), 120_000);
  expect(await problemOf(await say(id, { answer: "deny" }))).toMatchObject({ code: "CONFLICT" });
});

test("administrators receive and answer approval requests over the socket [S-28] [S-54]", async () => {
  const port = await openPort(gateway);
  const admin = await TestSocket.open(port, await gateway.asRole("admin", "root"));
  const other = await TestSocket.open(port, await gateway.asRole("publisher", "bob"));
  await admin.subscribe();
  await other.subscribe();
  const running = (await open()).call("run_skill_script", input);
  const asked = await admin.find((message) =>
    "event" in message && message.event.type === "approval.asked" ? message.event : undefined,
  );
  const { question } = asked;
  const answer = { question, answer: "approve", scope: "once" };
  expect(await other.answer("approvals.answer", answer)).toMatchObject({
    error: { code: "QUESTION_NOT_FOUND" },
  });
  expect(await admin.ask("approvals.answer", answer)).toEqual({ question, answer: "approve" });
  expect(await running).toMatchObject({ ok: true });
  expect(await admin.answer("approvals.answer", answer)).toMatchObject({ error: { code: "CONFLICT" } });
  expect(other.events).toEqual([]);
  await port.close();
});

describe("two gateways on one PostgreSQL", () => {
  test("a request at one gateway is answered at the other and stored for both [S-28] [S-54]", async () => {
    const url = await freshDatabase();
    const [one, two] = [await openRunningGateway({ url }), await openRunningGateway({ url })];
    await putFiles(one, "asks", ada, { "scripts/say.sh": "echo done" });
    const running = (await open(one)).call("run_skill_script", input);
    await say((await waiting(two)).id, { answer: "approve", scope: "content" }, two);
    expect(await running).toMatchObject({ ok: true });
    expect((await list(two)).approvals).toHaveLength(1);
    expect(await (await open(two)).call("run_skill_script", input)).toMatchObject({ ok: true });
    await one.close();
    await two.close();
  });
});

test("an expired approval is not removed without a record [S-62]", async () => {
  const { store } = gateway.registry;
  const [at, over] = [new Date(Date.now() - 60_000), new Date(Date.now() - 1)];
  const digest = Digest.parse(`sha256:${"0".repeat(64)}`);
  const expired: Approval = {
    id: randomUUID(),
    key: digest,
    skill: SkillId.parse("asks"),
    treeHash: digest,
    act: "run_script",
    target: "scripts/say.sh",
    requester: { user: "root" },
    widen: [],
    by: "root",
    at: at.toISOString(),
    expiresAt: over.toISOString(),
  };
  await store.transaction((tx) => tx.putApproval(expired));
  const headers = await gateway.asRole("admin", "root");
  const revoked = await ask(gateway, "DELETE", `/v1/approvals/kept/${expired.id}`, { headers });
  expect(await answerOf("revokeApproval", revoked)).toEqual({ wasThere: false });
  expect(await store.listApprovals(at)).toEqual([expired]);
});

test("records who revokes an approval [S-62]", async () => {
  const running = (await open()).call("run_skill_script", input);
  await say((await waiting()).id, { answer: "approve", scope: "content" });
  await running;
  const [kept] = (await list()).approvals;
  const headers = await gateway.asRole("admin", "root");
  const revoke = () => ask(gateway, "DELETE", `/v1/approvals/kept/${kept?.id}`, { headers });
  expect(await answerOf("revokeApproval", await revoke())).toEqual({ wasThere: true });
  expect(await answerOf("revokeApproval", await revoke())).toEqual({ wasThere: false });
  const events = (await gateway.registry.store.eventsAfter(0, 1000)).map(({ event }) => event);
  expect(events.filter(({ type }) => type === "approval.revoked")).toMatchObject([
    {
      by: { user: "root", role: "admin" },
      approval: kept?.id,
      skill: "asks",
      target: "scripts/say.sh",
    },
  ]);
});
