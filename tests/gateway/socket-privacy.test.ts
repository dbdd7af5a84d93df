import type { ServerMessage } from "@skillhold/protocol/http";
import { changeAgent, grantSkill, revokeSkill, toggleSkill } from "@skillhold/registry/access";
import { deleteSkill, editSkill, restoreSkill, rollback } from "@skillhold/registry/release";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TestGateway } from "./gateway.fixture.ts";
import { ada, engines, openOn, put } from "./skill.fixture.ts";
import { openPort, type TestPort, TestSocket } from "./socket.fixture.ts";

const admin = { user: "root", role: "admin" } as const;

/** Without positions in the log, which SECURITY.md excepts: the log proves its growth to every token. */
function withoutPositions(messages: readonly ServerMessage[]): string {
  return JSON.stringify(messages).replaceAll(/"(seq|after)":\d+/g, '"$1":0');
}

describe.each(engines)("sockets and private skills on %s", (engine) => {
  let gateway: TestGateway;
  let port: TestPort;
  let root: TestSocket;

  beforeEach(async () => {
    gateway = await openOn(engine);
    port = await openPort(gateway);
    for (const body of ["One.", "Two."]) await put(gateway, "open", { visibility: "public", body });
    root = await TestSocket.open(port, await gateway.asRole("admin", "root"));
  });
  afterEach(async () => {
    await gateway.close();
    await port.close();
  });

  const openers = {
    viewer: () => gateway.asRole("viewer", "eve"),
    agent: () => gateway.asRole("agent", "eve", "eves-bot"),
    publisher: () => gateway.asRole("publisher", "eve"),
  } as const;

  const changesOf = ({ messages }: TestSocket) => messages.filter((message) => "changed" in message).length;

  /** Makes a change and waits until an administrator was notified of it. */
  async function made(change: () => Promise<unknown>): Promise<void> {
    const before = changesOf(root);
    await change();
    await expect.poll(() => changesOf(root)).toBeGreaterThan(before);
  }

  /** Changes of skills that eve may not know. */
  function hiddenChanges(): readonly (() => Promise<unknown>)[] {
    const { registry } = gateway;
    const by = { by: ada };
    return [
      () => put(gateway, "secret"),
      () => put(gateway, "secret", { body: "Other." }),
      () => rollback("secret", 1, by, registry),
      () => editSkill("secret", { description: "Other." }, by, registry),
      () => grantSkill("secret", { kind: "user", key: "bob" }, by, registry),
      () => revokeSkill("secret", { kind: "user", key: "bob" }, by, registry),
      () => toggleSkill("secret", false, by, registry),
      () => toggleSkill("secret", true, by, registry),
      () => deleteSkill("secret", by, registry),
      () => restoreSkill("secret", by, registry),
    ];
  }

  /** Everything that a new socket of each role gets by asking. */
  async function answers(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const headers of Object.values(openers)) {
      const socket = await TestSocket.open(port, await headers());
      await socket.subscribe({ after: 0 });
      for (const params of [{}, { view: "all" }, { view: "deleted" }, { limit: "1" }])
        await socket.answer("skills.list", params);
      await socket.answer("skills.get", { id: "open" });
      await socket.answer("skills.get", { id: "secret" });
      await socket.close();
      found.push(withoutPositions(socket.messages).replaceAll(/"requestId":"[^"]*"/g, ""));
    }
    return found;
  }

  test("changes of a private skill send no message and change no answer to others [S-43] [S-54]", async () => {
    const before = await answers();
    const sockets = await Promise.all(
      Object.values(openers).map(async (headers) => {
        const socket = await TestSocket.open(port, await headers());
        await socket.subscribe();
        return { socket, count: socket.messages.length };
      }),
    );
    for (const change of hiddenChanges()) await made(change);
    expect(await answers()).toEqual(before);
    expect(sockets.map(({ socket }) => changesOf(socket))).toEqual([0, 0, 0]);
    await made(() => editSkill("open", { description: "Seen." }, { by: ada }, gateway.registry));
    for (const { socket, count } of sockets) {
      const kinds = () => socket.messages.slice(count).map((message) => Object.keys(message).sort());
      // The order depends on the throttle.
      await expect.poll(() => kinds().sort()).toEqual([["changed"], ["event", "seq"]]);
      expect(socket.events).toMatchObject([{ event: { type: "skill.edited", skill: "open" } }]);
    }
  });

  test("every change of a view notifies its clients, also of views through their agents [S-54] [S-55]", async () => {
    await put(gateway, "shared");
    await put(gateway, "shared", { body: "Second." });
    await gateway.asRole("agent", "eve", "eves-bot");
    const eve = await TestSocket.open(port, await gateway.asRole("viewer", "eve"));
    const bot = await TestSocket.open(port, await gateway.asRole("agent", "eve", "eves-bot"));
    const { registry } = gateway;
    const by = { by: admin };
    const toBot = { kind: "agent", key: "eves-bot" } as const;
    const changes: readonly (() => Promise<unknown>)[] = [
      () => grantSkill("shared", toBot, by, registry),
      () => grantSkill("shared", toBot, { ...by, pin: 1 }, registry),
      () => editSkill("shared", { description: "Other." }, by, registry),
      () => toggleSkill("shared", false, by, registry),
      () => toggleSkill("shared", true, by, registry),
      () => changeAgent("eves-bot", { allow: ["open"] }, by, registry),
      () => changeAgent("eves-bot", { allow: null }, by, registry),
      () => deleteSkill("shared", by, registry),
    ];
    for (const change of changes) {
      const before = [changesOf(eve), changesOf(bot)];
      await made(change);
      await expect.poll(() => changesOf(eve)).toBeGreaterThan(before[0] ?? 0);
      await expect.poll(() => changesOf(bot)).toBeGreaterThan(before[1] ?? 0);
    }
  });
});
