import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import type { WebhookPorts } from "@skillhold/gateway";
import { webhookPost } from "@skillhold/host/gateway";
import { defaultLimits } from "@skillhold/protocol/limits";
import { propose } from "@skillhold/registry/proposal";
import { isSigned } from "@skillhold/registry/webhook";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { freshDatabase } from "../postgres-database.ts";
import { answerOf, openTestGateway, problemOf, putSkill, type TestGateway } from "./gateway.fixture.ts";
import { asker } from "./skill.fixture.ts";
import { type Received, WebhookReceiver } from "./webhook-receiver.fixture.ts";

const KEY = Buffer.alloc(32, 7);
const NEVER = "A secret sentence of the skill.";
const ports = (hosts: readonly string[] = ["127.0.0.1"], key = KEY): WebhookPorts => ({
  keys: { key: async () => key },
  post: webhookPost(hosts, defaultLimits),
  address: () => "https://skills.example.org",
});

let receiver: WebhookReceiver;
let open: TestGateway[];
beforeEach(async () => {
  receiver = await WebhookReceiver.open();
  open = [];
});
afterEach(async () => {
  for (const gateway of open) await gateway.close();
  await receiver.close();
});

async function openWith(changed: Parameters<typeof openTestGateway>[0] = {}): Promise<TestGateway> {
  const gateway = await openTestGateway({ webhooks: ports(), ...changed });
  open.push(gateway);
  return gateway;
}

const rootOf = async (gateway: TestGateway) => asker(gateway, await gateway.asRole("admin", "root"));

async function add(gateway: TestGateway, body: object = {}) {
  const root = await rootOf(gateway);
  const response = await root("POST", "/v1/webhooks", { body: { name: "chat", url: receiver.url, ...body } });
  return await answerOf("addWebhook", response);
}

async function proposeFor(gateway: TestGateway, skill: string, word = "other"): Promise<string> {
  const found = await gateway.registry.store.findSkill(skill);
  const base = found?.treeHash;
  if (base === undefined) throw new Error(`${skill} is missing.`);
  const author = { user: "ann", role: "agent" } as const;
  const change = { files: [{ path: "notes.md", content: `${NEVER} ${word}` }] };
  const subject = { kind: "registry", skill, base } as const;
  const request = { author, origin: "session", subject, change, justification: NEVER } as const;
  return (await propose(request, gateway.registry)).id;
}

function verify({ headers, body }: Received, secret: string): void {
  const timestamp = Number(headers["webhook-timestamp"]);
  const message = { id: headers["webhook-id"] ?? "", timestamp, body };
  expect(isSigned(message, headers["webhook-signature"] ?? "", secret)).toBe(true);
}

const deliveriesOf = async (gateway: TestGateway, webhook: string) =>
  (
    await answerOf(
      "listDeliveries",
      await (await rootOf(gateway))("GET", `/v1/webhooks/${webhook}/deliveries`),
    )
  ).deliveries;

const statesOf = async (gateway: TestGateway, webhook: string) =>
  (await deliveriesOf(gateway, webhook)).map(({ state }) => state);

describe.each(["sqlite", "postgres"] as const)("webhooks on %s", (engine) => {
  const url = async () => (engine === "postgres" ? { url: await freshDatabase() } : {});

  test("notifies of a proposal with a signature and without content of the skill [S-49]", async () => {
    const gateway = await openWith(await url());
    await putSkill(gateway, "own", "ann");
    const { webhook, secret } = await add(gateway);
    const proposal = await proposeFor(gateway, "own");
    await expect.poll(() => receiver.received.length).toBe(1);
    const [first] = receiver.received;
    if (first === undefined) throw new Error("No notification came.");
    verify(first, secret);
    expect(JSON.parse(first.body)).toEqual({
      type: "proposal.created",
      timestamp: expect.any(String),
      data: {
        title: "A proposal for own waits for a review",
        skill: "own",
        proposal,
        state: "pending",
        kind: "update",
        by: { user: "ann" },
        link: `https://skills.example.org/proposals/${proposal}`,
      },
    });
    expect(first.body).not.toContain(NEVER);
    await expect.poll(() => statesOf(gateway, webhook.id)).toEqual(["delivered"]);
    const listed = await (await (await rootOf(gateway))("GET", "/v1/webhooks")).text();
    expect(listed).not.toContain("sealed");
    expect(listed).not.toContain(secret);
  });

  test("two gateways deliver each notification once [S-49]", async () => {
    const shared = engine === "postgres" ? await freshDatabase() : undefined;
    const one = await openWith(shared === undefined ? {} : { url: shared });
    const two = await openWith({ url: shared ?? `sqlite:${one.folder}/registry.db` });
    await putSkill(one, "own", "ann");
    const { webhook } = await add(one);
    for (let turn = 0; turn < 6; turn += 1)
      await proposeFor(turn % 2 === 0 ? one : two, "own", `change ${turn}`);
    await expect.poll(() => statesOf(one, webhook.id)).toEqual(Array(6).fill("delivered"));
    const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
    expect(ids).toHaveLength(6);
    expect(new Set(ids).size).toBe(6);
  });

  test("delivers after a restart what was not delivered before [S-49]", async () => {
    const shared = engine === "postgres" ? await freshDatabase() : undefined;
    const keeper = await openTestGateway(shared === undefined ? {} : { url: shared });
    open.push(keeper);
    const address = shared ?? `sqlite:${keeper.folder}/registry.db`;
    await putSkill(keeper, "own", "ann");
    let now = Date.parse("2027-01-01T00:00:00.000Z");
    const timing = () => ({ url: address, clock: { now: () => new Date(now) } });
    const timers = new ManualTimers();
    const first = await openTestGateway({ ...timing(), webhooks: ports(), timers });
    const { webhook } = await add(first);
    receiver.statuses.push(503);
    await proposeFor(first, "own", "before");
    await expect.poll(async () => (await deliveriesOf(first, webhook.id))[0]?.status).toBe(503);
    await first.close();
    // Without a gateway that sends, the log keeps the event.
    await proposeFor(keeper, "own", "meanwhile");
    now += 3_600_000;
    const second = await openWith(timing());
    await expect.poll(() => statesOf(second, webhook.id)).toEqual(["delivered", "delivered"]);
    const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(2);
  });
});

test("waits longer after each failure, then gives up, and redelivers on request [S-49]", async () => {
  const timers = new ManualTimers();
  let now = Date.parse("2027-01-01T00:00:00.000Z");
  const clock = { now: () => new Date(now) };
  const limits = { ...defaultLimits, webhookAttempts: 3 };
  const gateway = await openWith({ timers, clock, limits });
  const root = await rootOf(gateway);
  const { webhook } = await add(gateway);
  receiver.statuses.push(500, 302, 500);
  const test = await answerOf("testWebhook", await root("POST", `/v1/webhooks/${webhook.id}/test`));
  const tries = async () => (await deliveriesOf(gateway, webhook.id))[0];
  await expect
    .poll(async () => {
      now += 1000;
      timers.advance(1000);
      return (await tries())?.state;
    })
    .toBe("failed");
  expect(receiver.received).toHaveLength(3);
  expect(receiver.received.every(({ headers }) => headers["webhook-id"] === test.id)).toBe(true);
  const again = await root("POST", `/v1/webhooks/${webhook.id}/deliveries/${test.id}/redeliver`);
  expect(await answerOf("redeliver", again)).toMatchObject({ id: test.id, state: "pending", attempts: 0 });
  await expect.poll(async () => (await tries())?.state).toBe("delivered");
  expect(receiver.received).toHaveLength(4);
  const metrics = await (await root("GET", "/metrics")).text();
  expect(metrics).toContain('skillhold_webhook_attempts_total{outcome="failed"} 3');
  expect(metrics).toContain('skillhold_webhook_attempts_total{outcome="delivered"} 1');
});

test("refuses private hosts that the operator did not name [S-49] [S-59]", async () => {
  const gateway = await openWith({ webhooks: ports([]) });
  const { webhook } = await add(gateway, { url: receiver.url.replace("http:", "https:") });
  const root = await rootOf(gateway);
  await root("POST", `/v1/webhooks/${webhook.id}/test`);
  await expect
    .poll(async () => (await deliveriesOf(gateway, webhook.id))[0]?.error)
    .toContain("not a public address");
  expect(receiver.received).toEqual([]);
});

test("sends only subscribed topics, and none while paused [S-49]", async () => {
  const gateway = await openWith();
  await putSkill(gateway, "own", "ann");
  const approvals = await add(gateway, { name: "approvals", topics: ["approvals"] });
  const { webhook } = await add(gateway, { topics: ["proposals"] });
  const root = await rootOf(gateway);
  const pause = (isEnabled: boolean) =>
    root("PUT", `/v1/webhooks/${webhook.id}/enabled`, { body: { isEnabled } });
  expect(await answerOf("changeWebhook", await pause(false))).toMatchObject({ isEnabled: false });
  await proposeFor(gateway, "own");
  await pause(true);
  await expect.poll(() => statesOf(gateway, webhook.id)).toEqual(["delivered"]);
  expect(await deliveriesOf(gateway, approvals.webhook.id)).toEqual([]);
  expect((await root("DELETE", `/v1/webhooks/${webhook.id}`)).status).toBe(204);
  expect(await problemOf(await root("GET", `/v1/webhooks/${webhook.id}/deliveries`))).toMatchObject({
    code: "WEBHOOK_NOT_FOUND",
  });
});

test("a gateway with another key leaves deliveries to the one that can sign [S-49]", async () => {
  const gateway = await openWith();
  const other = await openWith({
    url: `sqlite:${gateway.folder}/registry.db`,
    webhooks: ports(["127.0.0.1"], Buffer.alloc(32, 9)),
  });
  const { webhook, secret } = await add(gateway);
  await (await rootOf(other))("POST", `/v1/webhooks/${webhook.id}/test`);
  await expect.poll(() => statesOf(gateway, webhook.id)).toEqual(["delivered"]);
  expect(receiver.received).toHaveLength(1);
  receiver.received.forEach((each) => void verify(each, secret));
});

test.each(["ftp://example.org/", "https://ann:word@example.org/", "example.org", "https://example.org/#a"])(
  "rejects the address %s [S-49]",
  async (address) => {
    const gateway = await openWith();
    const root = await rootOf(gateway);
    const response = await root("POST", "/v1/webhooks", { body: { name: "chat", url: address } });
    expect(await problemOf(response)).toMatchObject({ code: "USAGE" });
  },
);

test("allows no more webhooks than the limit [S-49]", async () => {
  const gateway = await openWith({ limits: { ...defaultLimits, webhooks: 1 } });
  await add(gateway);
  const root = await rootOf(gateway);
  const response = await root("POST", "/v1/webhooks", { body: { name: "two", url: receiver.url } });
  expect(await problemOf(response)).toMatchObject({ code: "LIMIT_EXCEEDED" });
});
