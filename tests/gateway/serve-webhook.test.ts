import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { routeTable } from "@skillhold/protocol/http";
import { isSigned } from "@skillhold/registry/webhook";
import { afterEach, beforeEach, expect, test } from "vitest";
import { get, type RunningGateway, ServeScene, tokenOf } from "./serve.fixture.ts";
import { WebhookReceiver } from "./webhook-receiver.fixture.ts";

const scene = new ServeScene();
let receiver: WebhookReceiver;
let data: string;
beforeEach(async () => {
  receiver = await WebhookReceiver.open();
  data = scene.folder();
});
afterEach(async () => {
  await scene.close();
  await receiver.close();
});

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString("base64")}`;

/** Writes the configuration file, and the file of the secret beside it. */
function configure(webhooks: readonly object[] | undefined, secret = secretOf(1)): void {
  writeFileSync(join(data, "chat.secret"), `${secret}\n`);
  const file = { seed: false, webhookHosts: ["127.0.0.1"], ...(webhooks === undefined ? {} : { webhooks }) };
  writeFileSync(join(data, "serve.yaml"), JSON.stringify(file));
}

async function listed({ url }: RunningGateway, headers: Readonly<Record<string, string>>) {
  return (await get(`${url}/v1/webhooks`, routeTable.listWebhooks, headers)).webhooks;
}

test("serve keeps the webhooks of its configuration file, and leaves others alone [S-49] [S-71]", async () => {
  const entry = { name: "chat", url: receiver.url, topics: ["proposals"], secretFile: "chat.secret" };
  configure([entry, { ...entry, name: "second" }]);
  const gateway = await scene.serve([], { data });
  const headers = { ...(await tokenOf(gateway)), "content-type": "application/json" };
  const call = async (method: string, path: string, body: object = {}) =>
    (await fetch(`${gateway.url}/v1/webhooks${path}`, { method, headers, body: JSON.stringify(body) }))
      .status;
  const chat = (await listed(gateway, headers)).find(({ name }) => name === "chat");
  expect(chat).toMatchObject({ topics: ["proposals"], isEnabled: true, createdBy: "system" });
  expect(await call("POST", `/${chat?.id}/test`)).toBe(202);
  await expect.poll(() => receiver.received.length).toBe(1);
  expect(await call("PUT", `/${chat?.id}/enabled`, { isEnabled: false })).toBe(200);
  expect(await call("POST", "", { name: "own", url: receiver.url })).toBe(201);
  await gateway.command.terminate();
  const [received] = receiver.received;
  if (received === undefined) throw new Error("No notification came.");
  const { headers: sent, body } = received;
  const message = { id: sent["webhook-id"] ?? "", timestamp: Number(sent["webhook-timestamp"]), body };
  expect(isSigned(message, sent["webhook-signature"] ?? "", secretOf(1))).toBe(true);

  const after = async (webhooks: readonly object[] | undefined) => {
    configure(webhooks, secretOf(2));
    const again = await scene.serve([], { data });
    const found = await listed(again, headers);
    await again.command.terminate();
    return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  };
  expect(await after([{ ...entry, topics: ["approvals"] }])).toMatchObject([
    { id: chat?.id, name: "chat", topics: ["approvals"], isEnabled: false },
    { name: "own" },
  ]);
  expect(await after(undefined)).toMatchObject([{ name: "chat" }, { name: "own" }]);
  expect(await after([])).toMatchObject([{ name: "own" }]);
});

test.each([
  ["a bad secret", [{ name: "chat", url: "https://example.org", secretFile: "chat.secret" }], "secret"],
  ["a missing secret", [{ name: "chat", url: "https://example.org", secretFile: "none" }], "cannot be read"],
  ["an unknown key", [{ name: "chat", url: "https://example.org", secret: "x" }], "secret"],
  [
    "a name twice",
    [1, 2].map((each) => ({ name: "chat", url: `https://example.org/${each}`, secretFile: "good.secret" })),
    "two webhooks",
  ],
])("serve does not start with %s [S-49] [S-71]", async (_, webhooks, reason) => {
  configure(webhooks, "not-a-secret");
  writeFileSync(join(data, "good.secret"), secretOf(1));
  const command = scene.start(["serve", "--port", "0", "--data", data]);
  expect((await command.ended).code).not.toBe(0);
  expect(command.err).toContain(reason);
  expect(command.err).not.toContain("not-a-secret");
});
