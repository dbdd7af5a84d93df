import { once } from "node:events";
import { connect } from "node:net";
import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import type { SocketLimits } from "@skillhold/gateway";
import { afterEach, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { ask, HOST, openTestGateway, type TestGateway } from "./gateway.fixture.ts";
import { sendRaw } from "./port.fixture.ts";
import { openPort, type TestPort, TestSocket } from "./socket.fixture.ts";

let gateway: TestGateway;
let port: TestPort;
let timers: ManualTimers;

async function start(
  socketLimits: Partial<SocketLimits> = {},
  rate = { token: 1_000_000, address: 1_000_000 },
  isTls = false,
): Promise<void> {
  timers = new ManualTimers();
  gateway = await openTestGateway({
    timers,
    socketLimits,
    options: { hosts: [HOST], origins: ["https://console.test"], isTls, isDiscoverable: false, rate },
  });
  port = await openPort(gateway);
}

afterEach(async () => {
  await gateway.close();
  await port.close();
});

function upgradeBytes(path: string, headers: Readonly<Record<string, string>>): string {
  const all = {
    host: HOST,
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `GET ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
}

async function countSockets(): Promise<number> {
  const headers = await gateway.asRole("viewer", "counter");
  const text = await (await ask(gateway, "GET", "/metrics", { headers })).text();
  return Number(/^skillhold_ws_clients (\d+)$/m.exec(text)?.[1]);
}

/** Records events of the given size. */
async function writeEvents(count: number, bytes: number): Promise<void> {
  const message = "x".repeat(bytes);
  const at = new Date().toISOString();
  const event = { type: "skill.denied", at, session: "s", skill: "a", act: "activate", reason: "x" } as const;
  for (let done = 0; done < count; done += 1) await gateway.context.audit.record({ ...event, message });
}

test("rejects an upgrade for another host or from another origin [S-53]", async () => {
  await start();
  for (const headers of [
    { host: "evil.test:7878" },
    { host: "gateway.test" },
    { host: "gateway.test:7878.evil.test" },
    { origin: "http://evil.test" },
    { origin: "null" },
    { origin: `https://${HOST}` },
    { origin: "http://gateway.test" },
    { "sec-fetch-site": "cross-site" },
    { origin: `http://${HOST}`, "sec-fetch-site": "cross-site" },
  ]) {
    const answer = await sendRaw(port.port, upgradeBytes("/ws", headers));
    expect(answer).toMatch(/^HTTP\/1.1 403 Forbidden\r\n/);
    expect(answer).toContain("ORIGIN_REFUSED");
    expect(answer).not.toMatch(/access-control|101 Switching/i);
  }
  const allowed = await TestSocket.connect(port, { origin: "https://console.test" });
  await allowed.close();
});

test("rejects a token in the URL and any other path [S-53]", async () => {
  await start();
  const { authorization } = await gateway.asRole("admin");
  const token = authorization.replace("Bearer ", "");
  expect(await sendRaw(port.port, upgradeBytes(`/ws?token=${token}`, {}))).toMatch(/^HTTP\/1.1 400 /);
  for (const path of ["/", "/ws/", "/ws/../ws", "//ws", "/v1/skills", "/WS", "/%77s"])
    expect(await sendRaw(port.port, upgradeBytes(path, {}))).toMatch(/^HTTP\/1.1 404 /);
});

test("ignores credentials in the upgrade headers [S-53]", async () => {
  await start();
  const { authorization } = await gateway.asRole("admin");
  const socket = await TestSocket.connect(port, { authorization });
  expect(await socket.answer("skills.list", {})).toMatchObject({ error: { code: "UNAUTHENTICATED" } });
  expect(await socket.closed).toMatchObject({ code: 1008 });
  const offered = new WebSocket(`ws://127.0.0.1:${port.port}/ws`, ["secret-token"], {
    headers: { host: HOST },
  });
  const [error] = await once(offered, "error");
  expect(String(error)).toContain("subprotocol");
});

test("closes a connection that does not authenticate in time [S-53]", async () => {
  await start();
  const socket = await TestSocket.open(port, await gateway.asRole("viewer"));
  const silent = await TestSocket.connect(port);
  timers.advance(5000);
  expect(await silent.closed).toMatchObject({ code: 1008 });
  expect(await socket.ask("skills.list", {})).toMatchObject({ total: 0 });
});

test("an invalid token gets one error and the connection closes [S-53]", async () => {
  await start();
  for (const token of [
    "",
    "x",
    `skh_${"A".repeat(43)}`,
    "skh_\r\nhost: x",
    "é".repeat(20),
    "x".repeat(257),
  ]) {
    const socket = await TestSocket.connect(port);
    const answer = await socket.answer("hello", { token });
    expect(answer).toMatchObject({ error: { code: expect.stringMatching(/^(UNAUTHENTICATED|USAGE)$/) } });
    expect(await socket.closed).toMatchObject({ code: 1008 });
  }
});

test("drops the oldest unauthenticated connection above the limit [S-53]", async () => {
  await start({ strangers: 3 });
  const strangers = [];
  for (let count = 0; count < 5; count += 1) strangers.push(await TestSocket.connect(port));
  await Promise.all(strangers.slice(0, 2).map(({ closed }) => closed));
  const socket = await TestSocket.open(port, await gateway.asRole("viewer"));
  expect(await socket.ask("skills.list", {})).toMatchObject({ total: 0 });
});

test("connections of one address only replace connections of that address [S-53]", async () => {
  await start({ strangers: 3 }, undefined, true);
  const from = (address: string) =>
    TestSocket.connect(port, { "x-forwarded-for": address, origin: `https://${HOST}` });
  const quiet = await from("192.0.2.1");
  const many = [];
  for (let count = 0; count < 6; count += 1) many.push(await from("192.0.2.2"));
  await Promise.all(many.slice(0, 4).map(({ closed }) => closed));
  const { authorization } = await gateway.asRole("viewer");
  await quiet.ask("hello", { token: authorization.replace("Bearer ", "") });
  expect(await quiet.ask("skills.list", {})).toMatchObject({ total: 0 });
});

test("rate-limits upgrades per address [S-53]", async () => {
  await start({}, { token: 1_000_000, address: 1 });
  for (let count = 0; count < 10; count += 1) await TestSocket.connect(port);
  await expect(TestSocket.connect(port)).rejects.toThrow("429");
});

test("closes the socket for a frame that is too large, binary, invalid UTF-8 or too fragmented [S-53]", async () => {
  await start();
  const open = async () => TestSocket.open(port, await gateway.asRole("viewer"));
  const large = await open();
  large.ws.send("x".repeat(64 * 1024 + 1));
  expect(await large.closed).toMatchObject({ code: 1009 });
  const binary = await open();
  binary.ws.send(Buffer.from('{"id":1,"method":"skills.list","params":{}}'));
  expect(await binary.closed).toMatchObject({ code: 1003 });
  const bytes = await open();
  bytes.ws.send(Buffer.from([0xc3, 0x28]), { binary: false });
  expect(await bytes.closed).toMatchObject({ code: 1007 });
  const pieces = await open();
  for (let count = 0; count < 200; count += 1) pieces.ws.send("x", { fin: false });
  expect(await pieces.closed).toMatchObject({ code: 1008 });
});

test("rejects deeply nested and hostile JSON [S-53]", async () => {
  await start();
  const socket = await TestSocket.open(port, await gateway.asRole("viewer"));
  const texts = [
    "[".repeat(60_000),
    `{"id":1,"method":"skills.list","params":${'{"a":'.repeat(9000)}1${"}".repeat(9000)}}`,
    '{"id":2,"method":"skills.list","params":{"__proto__":{"view":"all"}}}',
    '{"id":3,"method":"skills.list","params":{"constructor":"x"}}',
    '{"id":4,"method":"__proto__","params":{}}',
    '{"id":5,"method":"events.subscribe","params":{"after":1e999}}',
  ];
  for (const text of texts) socket.send(text);
  await vi.waitFor(
    () => expect(socket.messages.filter((message) => "error" in message)).toHaveLength(6),
    120_000,
  );
  expect(Object.hasOwn(Object.prototype, "view")).toBe(false);
  expect(await socket.ask("skills.list", {})).toMatchObject({ total: 0 });
});

test("rejects a position after the end of the log [S-54]", async () => {
  await start();
  await writeEvents(3, 10);
  const socket = await TestSocket.open(port, await gateway.asRole("admin"));
  const last = await gateway.registry.store.lastEvent();
  for (const after of [last + 1, Number.MAX_SAFE_INTEGER, -1, 0.5, 2 ** 60, "0", null])
    expect(await socket.answer("events.subscribe", { after })).toMatchObject({ error: { code: "USAGE" } });
  expect(socket.events).toEqual([]);
  await socket.subscribe({ after: last });
  await socket.subscribe({ after: 0 });
  expect(socket.events.map(({ seq }) => seq)).toEqual([1, 2, 3]);
});

test("disconnects a client that ignores the rate limit, without delaying others [S-53]", async () => {
  await start({ refusals: 20 }, { token: 30, address: 1_000_000 });
  const flood = await TestSocket.open(port, await gateway.asRole("viewer", "eve"));
  const other = await TestSocket.open(port, await gateway.asRole("viewer", "vic"));
  for (let count = 0; count < 5000; count += 1) flood.send({ id: count, method: "skills.list", params: {} });
  expect(await other.ask("skills.list", {})).toMatchObject({ total: 0 });
  expect(await flood.closed).toMatchObject({
    code: 1008,
    reason: "The client exceeded the rate limit too often.",
  });
  const refused = flood.messages.filter((message) => "error" in message);
  expect(refused.length).toBeGreaterThan(20);
  expect(refused.length).toBeLessThan(500);
});

test("disconnects a client that reads too slowly, and others get all events [S-54]", async () => {
  await start({ slowBytes: 64 * 1024, mostBytes: 1024 * 1024 });
  const headers = await gateway.asRole("admin");
  const [slow, quick] = [await TestSocket.open(port, headers), await TestSocket.open(port, headers)];
  await slow.subscribe();
  await quick.subscribe();
  slow.ws.pause();
  for (let count = 0; count < 60; count += 1) {
    await writeEvents(1, 400_000);
    // A reading client never reaches the limit, even on a slow machine.
    await quick.event(await gateway.registry.store.lastEvent());
  }
  slow.ws.resume();
  expect(await slow.closed).toEqual({ code: 1013, reason: "The client reads too slowly." });
  expect(slow.events.length).toBeLessThan(60);
  expect(quick.events).toHaveLength(60);
});

test("does not wait for a disconnected client that never reads [S-54]", async () => {
  await start({ slowBytes: 64 * 1024, slowMs: 5000, mostBytes: 1024 ** 3 });
  const slow = await TestSocket.open(port, await gateway.asRole("admin"));
  await slow.subscribe();
  slow.ws.pause();
  const before = await countSockets();
  // More than the system keeps by itself for both ends.
  await writeEvents(40, 400_000);
  timers.advance(4000);
  expect(await countSockets()).toBe(before);
  await expect.poll(passTime).toBe(before - 1);
  slow.ws.terminate();
});

/** Time passes in steps, because the gateway sends the events meanwhile. */
async function passTime(): Promise<number> {
  timers.advance(5000);
  return await countSockets();
}

test("a client that catches up gets all events at its own speed [S-54]", async () => {
  await start({ mostBytes: 1024 * 1024 });
  await writeEvents(60, 200_000);
  const headers = await gateway.asRole("admin");
  const [slow, quick] = [await TestSocket.open(port, headers), await TestSocket.open(port, headers)];
  slow.ws.pause();
  slow.send({ id: 2, method: "events.subscribe", params: { after: 0 } });
  await quick.subscribe({ after: 0 });
  slow.ws.resume();
  await slow.event(60);
  const numbers = ({ events }: TestSocket) => events.map(({ seq }) => seq);
  expect(numbers(slow)).toEqual(numbers(quick));
});

test("drops a client that does not answer pings [S-54]", async () => {
  await start();
  const headers = { host: HOST };
  const silent = new WebSocket(`ws://127.0.0.1:${port.port}/ws`, { headers, autoPong: false });
  await once(silent, "open");
  const { authorization } = await gateway.asRole("viewer");
  const token = authorization.replace("Bearer ", "");
  silent.send(JSON.stringify({ id: 1, method: "hello", params: { token } }));
  const alive = await TestSocket.open(port, { authorization });
  const closed = once(silent, "close");
  timers.advance(30_000);
  // The server has the answer to its ping when it has the answer to a later message.
  await alive.ask("skills.list", {});
  timers.advance(30_000);
  const [code] = await closed;
  expect(code).toBe(1006);
  expect(await alive.ask("skills.list", {})).toMatchObject({ total: 0 });
});

test("a connection that is cut at any point leaks no state [S-54]", async () => {
  await start();
  const before = await countSockets();
  const bytes = Buffer.from(upgradeBytes("/ws", {}));
  for (let cut = 1; cut < bytes.length; cut += 7) {
    const socket = connect(port.port, "127.0.0.1");
    socket.on("error", () => {});
    await once(socket, "connect");
    socket.write(bytes.subarray(0, cut));
    socket.resetAndDestroy();
  }
  for (let count = 0; count < 20; count += 1) {
    const socket = await TestSocket.connect(port);
    socket.send({ id: 1, method: "hello", params: {} });
    socket.ws.terminate();
  }
  await vi.waitFor(async () => expect(await countSockets()).toBe(before), 120_000);
});
