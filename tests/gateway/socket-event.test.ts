import { setImmediate as nextTurn } from "node:timers/promises";
import type { SkillEvent } from "@skillhold/protocol";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { freshDatabase } from "../postgres-database.ts";
import { openTestGateway, putSkill, type TestGateway } from "./gateway.fixture.ts";
import { openPort, type TestPort, TestSocket } from "./socket.fixture.ts";

const opened: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function start(url?: string): Promise<{ readonly gateway: TestGateway; readonly port: TestPort }> {
  const gateway = await openTestGateway(url === undefined ? {} : { url });
  opened.push(() => gateway.close());
  const port = await openPort(gateway);
  opened.push(() => port.close());
  return { gateway, port };
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
const numbers = ({ events }: TestSocket) => events.map(({ seq }) => seq);

/** An event of a session, for administrators and its owner. */
function eventOf(session: string): SkillEvent {
  const at = new Date().toISOString();
  return { type: "skill.denied", at, session, skill: "a", act: "activate", reason: "USAGE", message: "No." };
}

/** Two sessions, one of them ada's. */
async function openSessions({ context: { audit } }: TestGateway): Promise<void> {
  const at = new Date().toISOString();
  for (const user of ["ada", "bob"])
    await audit.record({ type: "session.opened", at, session: `of-${user}`, runtime: "test", user });
}

const engines = [
  { engine: "SQLite", url: async () => undefined },
  { engine: "PostgreSQL", url: freshDatabase },
] as const;

describe.each(engines)("on $engine", ({ url }) => {
  test("a subscriber gets every later event once and in order during writes [S-54]", async () => {
    const { gateway, port } = await start(await url());
    const { audit } = gateway.context;
    await openSessions(gateway);
    const admin = await gateway.asRole("admin");
    const ada = await gateway.asRole("viewer", "ada");
    // From the start, or from just before the end.
    const from = fc.oneof(fc.record({ after: fc.nat(400) }), fc.record({ back: fc.nat(3) }));
    const places = fc.sample(fc.tuple(from, fc.nat(40), fc.boolean()), 40);
    let joins = 0;
    const writing = Promise.all(
      range(1, 4).map(async (writer) => {
        for (let count = 0; count < 250 || joins < 10; count += 1)
          await audit.record(eventOf((count + writer) % 3 === 0 ? "of-ada" : "of-bob"));
      }),
    );
    const joined = await Promise.all(
      places.map(async ([from, turns, isAdmin]) => {
        const socket = await TestSocket.open(port, isAdmin ? admin : ada);
        for (let turn = 0; turn < turns; turn += 1) await nextTurn();
        const end = await gateway.registry.store.lastEvent();
        const place = "after" in from ? Math.min(from.after, end) : Math.max(end - from.back, 0);
        await socket.subscribe({ after: place });
        joins += 1;
        return { socket, place, isAdmin };
      }),
    );
    await writing;
    const last = await gateway.registry.store.lastEvent();
    expect(last).toBeGreaterThanOrEqual(1002);
    const all = await gateway.registry.store.eventsAfter(0, last);
    const ofAda = all.filter(({ event }) => "session" in event && event.session === "of-ada");
    for (const { socket, place, isAdmin } of joined) {
      const expected = (isAdmin ? all : ofAda).map(({ seq }) => seq).filter((seq) => seq > place);
      const end = expected.at(-1);
      if (end !== undefined) await socket.event(end);
      expect(numbers(socket)).toEqual(expected);
    }
  });

  test("reconnecting clients miss and repeat no events [S-54]", async () => {
    const { gateway, port } = await start(await url());
    const { audit } = gateway.context;
    const headers = await gateway.asRole("admin");
    const cuts = fc.sample(fc.record({ events: fc.nat(12), isEarly: fc.boolean() }), 100);
    const received: number[] = [];
    let isDone = false;
    const writing = (async () => {
      while (!isDone) await audit.record(eventOf("s"));
    })();
    for (const { events, isEarly } of cuts) {
      const socket = await TestSocket.open(port, headers);
      const ended = socket.ask("events.subscribe", { after: received.at(-1) ?? 0 }).catch(() => {});
      if (!isEarly) await socket.find(() => (socket.events.length >= events ? true : undefined));
      socket.ws.terminate();
      await socket.closed;
      await ended;
      received.push(...numbers(socket));
    }
    isDone = true;
    await writing;
    const last = await gateway.registry.store.lastEvent();
    const socket = await TestSocket.open(port, headers);
    const place = received.at(-1) ?? 0;
    await socket.subscribe({ after: place });
    // The gateway may receive the last events only now.
    if (place < last) await socket.event(last);
    received.push(...numbers(socket));
    expect(received).toEqual(range(1, last));
    expect(last).toBeGreaterThan(100);
  });
});

test("events of one gateway reach the sockets of another [S-54] [S-55]", async () => {
  const url = await freshDatabase();
  const [one, two] = [await start(url), await start(url)];
  const socket = await TestSocket.open(two.port, await two.gateway.asRole("admin"));
  const reader = await TestSocket.open(two.port, await two.gateway.asRole("viewer", "vic"));
  await socket.subscribe();
  await putSkill(one.gateway, "made", "ada", "public");
  const last = await one.gateway.registry.store.lastEvent();
  expect(await socket.event(last)).toMatchObject({ type: "skill.edited", skill: "made" });
  await reader.find((message) => ("changed" in message ? true : undefined));
  expect(await reader.ask("skills.list", {})).toMatchObject({ skills: [{ entry: { id: "made" } }] });
  const other = await TestSocket.open(one.port, await one.gateway.asRole("admin", "root"));
  await other.subscribe({ after: last - 1 });
  expect(numbers(other)).toEqual([last]);
});

test("a thousand clients each get the event of one publish [S-54]", async () => {
  const { gateway, port } = await start();
  const headers = await Promise.all(range(1, 10).map((n) => gateway.asRole("admin", `admin-${n}`)));
  const sockets = await Promise.all(
    range(0, 999).map(async (at) => {
      const socket = await TestSocket.open(port, headers[at % 10] ?? { authorization: "" });
      await socket.subscribe();
      return socket;
    }),
  );
  await putSkill(gateway, "made", "ada");
  const last = await gateway.registry.store.lastEvent();
  for (const socket of sockets) {
    await socket.event(last);
    expect(numbers(socket)).toEqual([last]);
  }
});
