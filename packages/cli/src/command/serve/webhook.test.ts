import { afterEach, beforeEach, expect, test } from "vitest";
import { registryScene } from "../../registry.fixture.ts";

const { json, text } = registryScene({ beforeEach, afterEach });

test("adds, lists, pauses, tests and removes a webhook [S-49]", async () => {
  const added = await text(["webhook", "add", "https://chat.example.org/hook", "--topic", "proposals"]);
  expect(added.out).toMatch(/^whsec_[A-Za-z0-9+/]{43}=\n$/);
  const secret = added.out.trim();
  const { data } = await json(["webhook", "list"]);
  expect(data.webhooks).toMatchObject([{ name: "chat.example.org", topics: ["proposals"], isEnabled: true }]);
  expect(JSON.stringify(data)).not.toContain("sealed");
  expect((await json(["webhook", "pause", "chat.example.org"])).data.webhook.isEnabled).toBe(false);
  expect((await json(["webhook", "resume", data.webhooks[0].id.slice(0, 6)])).data.webhook.isEnabled).toBe(
    true,
  );
  const tested = await json(["webhook", "test", "chat.example.org"]);
  expect(tested.data.delivery).toMatchObject({ type: "test", state: "pending", attempts: 0 });
  const again = ["webhook", "redeliver", "chat.example.org", tested.data.delivery.id.slice(0, 8)];
  expect((await json(again)).data.delivery.id).toBe(tested.data.delivery.id);
  expect((await text(["webhook", "deliveries", "chat.example.org"])).out).toContain("test");
  const { data: doctor } = await json(["doctor"]);
  expect(doctor.checks).toContainEqual(expect.objectContaining({ name: "webhooks", status: "ok" }));
  expect(JSON.stringify([data, doctor])).not.toContain(secret);
  expect((await json(["webhook", "remove", "chat.example.org"])).data.webhook.name).toBe("chat.example.org");
  expect((await json(["webhook", "list"])).data.webhooks).toEqual([]);
});

test("rejects unknown topics, addresses and webhooks [S-49]", async () => {
  const add = (...args: readonly string[]) => json(["webhook", "add", ...args]);
  expect((await add("https://chat.example.org/", "--topic", "all")).error.code).toBe("USAGE");
  expect((await add("file:///etc/passwd")).error.code).toBe("USAGE");
  await text(["webhook", "add", "https://chat.example.org/"]);
  expect((await json(["webhook", "remove", "other"])).error.code).toBe("WEBHOOK_NOT_FOUND");
});
