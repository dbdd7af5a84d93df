import { randomUUID } from "node:crypto";
import { webhookPost } from "@skillhold/host/gateway";
import { SkillEvent } from "@skillhold/protocol";
import { defaultLimits } from "@skillhold/protocol/limits";
import { afterEach, beforeEach, expect, test } from "vitest";
import { answerOf, ask, type TestGateway } from "./gateway.fixture.ts";
import { openRunningGateway, putFiles, TestSession } from "./session.fixture.ts";
import { openPort, type TestPort, TestSocket } from "./socket.fixture.ts";
import { WebhookReceiver } from "./webhook-receiver.fixture.ts";

type Headers = Awaited<ReturnType<TestGateway["asRole"]>>;
let receiver: WebhookReceiver;
let gateway: TestGateway;
let port: TestPort;
let root: Headers;
let socket: TestSocket;

beforeEach(async () => {
  receiver = await WebhookReceiver.open();
  gateway = await openRunningGateway({
    webhooks: {
      keys: { key: async () => Buffer.alloc(32, 7) },
      post: webhookPost(["127.0.0.1"], defaultLimits),
      address: () => "https://skills.example.org",
    },
  });
  port = await openPort(gateway);
  root = await gateway.asRole("admin", "root");
  socket = await TestSocket.open(port, root);
  await socket.subscribe();
});
afterEach(async () => {
  await socket.close();
  await port.close();
  await gateway.close();
  await receiver.close();
});

async function notify(...topics: readonly string[]): Promise<void> {
  const body = { name: topics.join(" "), url: receiver.url, topics };
  await answerOf("addWebhook", await ask(gateway, "POST", "/v1/webhooks", { headers: root, body }));
}

const bodies = () => receiver.received.map(({ body }) => JSON.parse(body));

/** The first event of a type over the socket, with its number in the log. */
const heard = <T extends SkillEvent["type"]>(type: T) =>
  socket.find((message) =>
    "event" in message && message.event.type === type
      ? { seq: message.seq, event: message.event }
      : undefined,
  );

/** The event with a number in the audit log. */
async function logged(seq: number): Promise<SkillEvent | undefined> {
  const [entry] = await gateway.registry.store.eventsAfter(seq - 1, 1);
  return entry?.event;
}

test("a run that waits for an approval is in the log, on the socket and at the webhook [S-28] [S-49]", async () => {
  await notify("approvals");
  await notify("proposals", "promotions");
  const ada = { user: "ada", role: "publisher" } as const;
  await putFiles(gateway, "asks", ada, { "scripts/say.sh": "echo done" });
  const session = await TestSession.open(gateway, await gateway.asRole("publisher", "ada"));
  const input = { skill_id: "asks", script: "scripts/say.sh", args: ["--token", "s3cr3tvalue99"] };
  const running = session.call("run_skill_script", input);
  const { seq, event } = await heard("approval.asked");
  if (event.type !== "approval.asked") throw new Error("Another event was found.");
  expect(await logged(seq)).toEqual(event);
  await expect.poll(bodies).toEqual([
    {
      type: "approval.asked",
      timestamp: event.at,
      data: {
        title: "A run of asks waits for an approval",
        skill: "asks",
        question: event.question,
        kind: "run_script",
        link: "https://skills.example.org/approvals",
      },
    },
  ]);
  expect(receiver.received[0]?.body).not.toContain("s3cr3tvalue99");
  const answer = { question: event.question, answer: "approve", scope: "once" };
  await socket.ask("approvals.answer", answer);
  expect(await running).toMatchObject({ ok: true });
  await heard("approval.answered");
  // Only questions are notified, and not their answers.
  expect(bodies()).toHaveLength(1);
});

test("a promotion is in the log, on the socket and at the webhook, and so is its review [S-49] [S-50]", async () => {
  await notify("promotions");
  await notify("approvals");
  const writer = await gateway.asRole("agent", "ada", "writer");
  for (const session of [randomUUID(), randomUUID()])
    await gateway.context.audit.record(
      SkillEvent.parse({
        ...{ type: "session.opened", at: new Date().toISOString(), session },
        ...{ runtime: "test", agent: "writer", task: "queue it" },
      }),
    );
  const packet = {
    title: "Webhook ingress",
    summary: "Queue a webhook with api_key=abcd1234efgh.",
    promote_to_skill: true,
    repetition_signal: { count: 2, workflow: "webhook ingress" },
  };
  const sent = await ask(gateway, "POST", "/v1/promotions", { headers: writer, body: packet });
  const { proposal, skill } = await answerOf("promoteSkill", sent);
  const created = await heard("proposal.created");
  expect(created.event).toMatchObject({ proposal, skill, kind: "create" });
  expect(await logged(created.seq)).toEqual(created.event);
  const data = { skill, proposal, link: `https://skills.example.org/proposals/${proposal}` };
  const first = { type: "proposal.created", data: { ...data, state: "pending", kind: "create" } };
  await expect.poll(bodies).toMatchObject([first]);
  expect(receiver.received[0]?.body).not.toContain("Queue a webhook");
  const body = { decision: "approve", comment: "Good." };
  await answerOf(
    "reviewProposal",
    await ask(gateway, "POST", `/v1/proposals/${proposal}/reviews`, { headers: root, body }),
  );
  await heard("proposal.reviewed");
  const second = { type: "proposal.reviewed", data: { ...data, state: "approved", decision: "approve" } };
  await expect.poll(bodies).toMatchObject([first, second]);
});

test("an ordinary proposal is not announced as a promotion [S-49] [S-50]", async () => {
  await notify("promotions");
  await notify("proposals");
  const ada = { user: "ada", role: "publisher" } as const;
  await putFiles(gateway, "own", ada, { "notes.md": "one\n" });
  const session = await TestSession.open(gateway, await gateway.asRole("publisher", "ada"));
  await session.call("read_skill", { skill_id: "own" });
  const edits = [{ path: "notes.md", old: "one", new: "two" }];
  const update = { skill_id: "own", justification: "Wrong.", edits };
  expect(await session.call("propose_skill_update", update)).toMatchObject({ ok: true });
  await heard("proposal.created");
  await expect.poll(bodies).toMatchObject([{ type: "proposal.created", data: { skill: "own" } }]);
  const { webhooks } = await answerOf(
    "listWebhooks",
    await ask(gateway, "GET", "/v1/webhooks", { headers: root }),
  );
  const last = webhooks.map((each) => [each.name, each.last?.state]);
  expect(Object.fromEntries(last)).toMatchObject({ promotions: undefined });
});
