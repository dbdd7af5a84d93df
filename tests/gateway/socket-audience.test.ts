import type { SkillEvent } from "@skillhold/protocol";
import { grantSkill, revokeSkill } from "@skillhold/registry/access";
import { deleteSkill, editSkill, rollback } from "@skillhold/registry/release";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MARK, sampleEvents } from "./event-sample.fixture.ts";
import { answerOf, ask, openTestGateway, putSkill, type TestGateway } from "./gateway.fixture.ts";
import { put } from "./skill.fixture.ts";
import { openPort, type TestPort, TestSocket } from "./socket.fixture.ts";

const ada = { user: "ada", role: "publisher" } as const;
const someone = { user: "someone", role: "publisher" };

let gateway: TestGateway;
let port: TestPort;

beforeEach(async () => {
  gateway = await openTestGateway();
  port = await openPort(gateway);
});

afterEach(async () => {
  await gateway.close();
  await port.close();
});

type Who = readonly ["admin" | "publisher" | "viewer" | "agent", string, string?];

async function open(...who: Who): Promise<TestSocket> {
  return await TestSocket.open(port, await gateway.asRole(...who));
}

/** The replayed events of a new subscriber. */
async function told(...who: Who): Promise<readonly SkillEvent[]> {
  const socket = await open(...who);
  await socket.subscribe({ after: 0 });
  await socket.close();
  return socket.events.map(({ event }) => event);
}

const typesOf = (events: readonly SkillEvent[]) => events.map(({ type }) => type);

test("managers receive full events of a skill, and others who cannot see it receive none [S-54]", async () => {
  await putSkill(gateway, "hidden", "ada");
  const published = { type: "skill.published", by: ada, provenance: { by: ada, source: "folder" } };
  expect(await told("admin", "root")).toMatchObject([published]);
  expect(await told("publisher", "ada")).toMatchObject([published]);
  const others: readonly Who[] = [
    ["publisher", "bob"],
    ["viewer", "vic"],
    ["agent", "bob", "bot"],
  ];
  for (const who of others)
    expect(typesOf(await told(...who)).filter((type) => !type.startsWith("agent."))).toEqual([]);
});

test("viewers of a skill receive its changes without the actor [S-54]", async () => {
  await putSkill(gateway, "open", "ada", "public");
  const others: readonly Who[] = [
    ["viewer", "vic"],
    ["agent", "bob", "bot"],
    // An owner with the viewer role manages no skills.
    ["viewer", "ada"],
  ];
  for (const who of others) {
    const [published, edited] = await told(...who);
    expect(published).toMatchObject({ type: "skill.published", by: someone });
    expect(published).toHaveProperty("provenance", {
      source: "folder",
      at: expect.any(String),
      by: someone,
    });
    expect(edited).toMatchObject({ type: "skill.edited", by: someone });
  }
  await editSkill("open", { visibility: "private" }, { by: ada }, gateway.registry);
  expect(await told("viewer", "vic")).toEqual([]);
});

test("a pinned viewer receives no events of other revisions [S-43] [S-54]", async () => {
  for (const body of ["One.", "Two.", "Three."]) await put(gateway, "pinned", { body });
  await rollback("pinned", 2, { by: ada }, gateway.registry);
  const { registry } = gateway;
  await grantSkill("pinned", { kind: "user", key: "vic" }, { by: ada, pin: 2 }, registry);
  await grantSkill("pinned", { kind: "user", key: "bob" }, { by: ada }, registry);
  expect(await told("viewer", "vic")).toMatchObject([
    { type: "skill.published", revision: 2 },
    { type: "grant.given", grantee: { key: "vic" } },
  ]);
  const all = ["skill.published", "skill.published", "skill.published", "skill.rolled_back", "grant.given"];
  expect(typesOf(await told("viewer", "bob"))).toEqual(all);
});

test("live and replayed events are the same [S-54]", async () => {
  const sockets = [
    await open("publisher", "ada"),
    await open("viewer", "vic"),
    await open("agent", "bob", "bot"),
  ];
  for (const socket of sockets) await socket.subscribe({ after: 0 });
  await putSkill(gateway, "open", "ada");
  await sockets[0]?.event(await gateway.registry.store.lastEvent());
  await editSkill("open", { visibility: "public" }, { by: ada }, gateway.registry);
  await editSkill("open", { description: "Other." }, { by: ada }, gateway.registry);
  const last = await gateway.registry.store.lastEvent();
  for (const socket of sockets) await socket.event(last);
  const live = sockets.map(({ events }) => events.map(({ event }) => event));
  const later = [
    await told("publisher", "ada"),
    await told("viewer", "vic"),
    await told("agent", "bob", "bot"),
  ];
  // While the skill was private, only its owner received the publish event.
  expect(live[0]).toEqual(later[0]);
  expect(typesOf(live[1] ?? [])).toEqual(["skill.edited", "skill.edited"]);
  expect(live[1]).toEqual(later[1]?.slice(1));
});

test("managers and the grantee receive the event of a grant [S-54]", async () => {
  await putSkill(gateway, "shared", "ada");
  await gateway.asRole("agent", "bob", "bot");
  const give = (kind: "user" | "agent", key: string, canManage = false) =>
    grantSkill("shared", { kind, key }, { by: { ...ada, role: "admin" }, canManage }, gateway.registry);
  await give("user", "bob");
  await give("user", "vic");
  await give("agent", "bot");
  await give("user", "max", true);
  const grantees = (events: readonly SkillEvent[]) =>
    events.flatMap((event) => ("grantee" in event ? [event.grantee.key] : []));
  expect(grantees(await told("publisher", "ada"))).toEqual(["bob", "vic", "bot", "max"]);
  expect(grantees(await told("publisher", "max"))).toEqual(["bob", "vic", "bot", "max"]);
  expect(grantees(await told("publisher", "bob"))).toEqual(["bob"]);
  expect(grantees(await told("agent", "bob", "bot"))).toEqual(["bob", "bot"]);
  expect(grantees(await told("viewer", "zoe"))).toEqual([]);
  await revokeSkill("shared", { kind: "user", key: "vic" }, { by: ada }, gateway.registry);
  expect(await told("viewer", "vic")).toEqual([]);
});

test("managers receive the event of a deletion, and others only a change notification [S-54]", async () => {
  await putSkill(gateway, "open", "ada", "public");
  const viewer = await open("viewer", "vic");
  await viewer.subscribe();
  const before = viewer.messages.length;
  await deleteSkill("open", { by: ada }, gateway.registry);
  await viewer.find((message, at) => (at >= before && "changed" in message ? message : undefined));
  expect(typesOf(await told("publisher", "ada")).at(-1)).toBe("skill.deleted");
  expect(viewer.events).toEqual([]);
});

test("the owner of a session receives its events, redacted [S-54]", async () => {
  await putSkill(gateway, "hidden", "ada");
  const headers = await gateway.asRole("agent", "bob", "bot");
  const opened = await ask(gateway, "POST", "/v1/sessions", { headers, body: { task: "look" } });
  const { session } = await answerOf("openSession", opened);
  const tool = `/v1/sessions/${session}/tools/read_skill`;
  await ask(gateway, "POST", tool, { headers, body: { skill_id: "hidden" } });
  await ask(gateway, "POST", tool, { headers, body: { skill_id: "nowhere" } });
  const own = await told("agent", "bob", "bot");
  expect(typesOf(own)).toEqual(["session.opened", "skill.denied", "skill.denied"]);
  const [, hidden, nowhere] = own.map(({ at: _, ...event }) => event);
  // That there is one which they may not see shows nowhere.
  expect(JSON.parse(JSON.stringify(hidden).replaceAll("hidden", "nowhere"))).toEqual(nowhere);
  const full = await told("admin", "root");
  expect(full).toContainEqual(expect.objectContaining({ skill: "hidden", reason: "no-grant" }));
  expect(await told("publisher", "bob")).toEqual([]);
  expect(await told("agent", "bob", "other")).toEqual([]);
  expect(await told("agent", "eve", "bot")).toEqual([]);
});

test("redacted events of every type are valid and name no other user [S-54] [S-62]", async () => {
  await putSkill(gateway, "open", "ada", "public");
  await putSkill(gateway, "mark-hidden", "ada");
  const { audit } = gateway.context;
  const whose = { type: "session.opened", session: "own", runtime: "test", user: "vic" } as const;
  await audit.record({ ...whose, at: new Date().toISOString() });
  const all = [
    ...sampleEvents("open", "mark-session"),
    ...sampleEvents("open", "own").filter(({ type }) => type !== "session.opened"),
    ...sampleEvents("mark-hidden", "mark-session"),
  ];
  const live = await open("viewer", "vic");
  await live.subscribe();
  for (const event of all) await audit.record(event);
  const own = await told("viewer", "vic");
  const nobody = await told("viewer", "zoe");
  expect(JSON.stringify([own, nobody, live.messages])).not.toContain(MARK);
  const changes = [
    "skill.published",
    "skill.rolled_back",
    "skill.deleted",
    "skill.restored",
    "skill.edited",
    "skill.status_changed",
    "skill.toggled",
  ];
  expect(new Set(typesOf(nobody))).toEqual(new Set(changes));
  const ofSession = all.flatMap((event) =>
    "session" in event && event.session === "own" ? [event.type] : [],
  );
  expect(new Set(typesOf(own))).toEqual(new Set([...changes, "session.opened", ...ofSession]));
  expect(typesOf(await told("admin", "root")).slice(-all.length)).toEqual(typesOf(all));
});
