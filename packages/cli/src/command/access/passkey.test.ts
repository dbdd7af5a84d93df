import { openRegistryStore } from "@skillhold/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { registryScene } from "../../registry.fixture.ts";

const { storeFile, text, json } = registryScene({ beforeEach, afterEach });
const id = "7b0c1a52-6f0e-4f0a-9d3e-1f2a3b4c5d6e";
const at = "2026-01-01T00:00:00.000Z";

async function putPasskey(): Promise<void> {
  const store = await openRegistryStore(`sqlite:${storeFile()}`);
  const facts = { credential: "c", publicKey: "k", counter: 0, transports: [] };
  await store.transaction((tx) =>
    tx.putPasskey({ id, user: "bob", name: "a\u001b[2Jb", ...facts, createdAt: at, lastUsedAt: undefined }),
  );
  await store.close();
}

test("passkeys of a person are listed and removed [S-60] [S-70]", async () => {
  await text(["token", "create", "--name", "x", "--role", "viewer", "--user", "bob"]);
  const none = await text(["passkey", "list", "bob"]);
  expect([none.code, none.out]).toEqual([0, ""]);
  await putPasskey();
  const { data } = await json(["passkey", "list", "bob"]);
  expect(data.passkeys).toMatchObject([{ id, user: "bob", createdAt: at }]);
  expect(JSON.stringify(data)).not.toContain("publicKey");
  const listed = await text(["passkey", "list", "bob"]);
  expect(listed.out).toContain(id);
  expect(listed.out).not.toContain("\u001b");
  expect((await json(["passkey", "remove", id, "--dry-run"])).data.isDryRun).toBe(true);
  expect((await json(["passkey", "list", "bob"])).data.passkeys).toHaveLength(1);
  expect((await text(["passkey", "remove", id])).code).toBe(0);
  expect((await text(["passkey", "remove", id])).code).toBe(5);
  const { data: log } = await json(["audit", "tail", "--type", "passkey.removed"]);
  expect(log.events).toMatchObject([{ event: { user: "bob", passkey: id, by: { role: "admin" } } }]);
});

test("a person gets another role, and loses and regains access [S-60] [S-70]", async () => {
  const create = ["token", "create", "--name", "x", "--role", "publisher", "--user", "bob"];
  await text(create);
  expect((await json(["user", "edit", "bob", "--role", "viewer"])).data.user).toEqual({
    name: "bob",
    role: "viewer",
    isActive: true,
  });
  const { data } = await json(["token", "list"]);
  expect(data.tokens).toMatchObject([{ user: "bob", revokedAt: expect.any(String) }]);
  expect((await json(["user", "edit", "bob", "--deactivate"])).data.user.isActive).toBe(false);
  expect((await text(create)).code).toBe(4);
  expect((await json(["user", "edit", "bob", "--activate"])).data.user.isActive).toBe(true);
  expect((await text(create)).code).toBe(0);
  for (const wrong of [[], ["--role", "agent"], ["--activate", "--deactivate"]])
    expect((await text(["user", "edit", "bob", ...wrong])).code).toBe(2);
  expect((await text(["user", "edit", "eve", "--deactivate"])).code).toBe(5);
});
