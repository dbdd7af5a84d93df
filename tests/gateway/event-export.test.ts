import { afterAll, beforeAll, expect, test } from "vitest";
import { answerOf, ask, openTestGateway, problemOf, putSkill, type TestGateway } from "./gateway.fixture.ts";

let gateway: TestGateway;
let admin: Readonly<Record<string, string>>;
beforeAll(async () => {
  gateway = await openTestGateway();
  admin = await gateway.asRole("admin");
  for (const id of ["one", "two", "three"]) await putSkill(gateway, id, id === "one" ? "ann" : "=ben");
});
afterAll(() => gateway.close());

const get = (path: string, headers = admin) => ask(gateway, "GET", path, { headers });

test("an export has the events of its filter, as the list has them [S-59] [S-62]", async () => {
  const query = "type=skill.published,skill.edited&person=%3Dben";
  const { events } = await answerOf("listEvents", await get(`/v1/audit?${query}`));
  expect(events.map(({ event }) => "skill" in event && event.skill)).toEqual(["two", "three"]);
  const response = await get(`/v1/audit/export?${query}`);
  expect(response.headers.get("content-disposition")).toContain("activity.jsonl");
  const lines = (await response.text()).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(events);
});

test("CSV quotes cells and defuses formulas [S-59]", async () => {
  const response = await get("/v1/audit/export?format=csv&skill=two");
  expect(response.headers.get("content-type")).toContain("text/csv");
  const [head = "", first = ""] = (await response.text()).split("\r\n");
  expect(head).toBe("seq,at,type,skill,session,agent,person,run,target,event");
  expect(first).toMatch(/^\d+,[^,]+,skill\.published,two,,,'=ben,,,"\{""type"":/);
});

test("an export reads all pages, and none for a period without events [S-59]", async () => {
  const events = Array.from({ length: 1200 }, (_, number) => ({
    ...{ type: "session.closed", at: "2020-01-02T00:00:00.000Z", session: `s${number}` },
  }));
  await gateway.registry.store.transaction((tx) =>
    tx.appendAll(events.map((event) => ({ ...event, type: "session.closed" }))),
  );
  const text = async (query: string) => await (await get(`/v1/audit/export?${query}`)).text();
  const lines = (await text("from=2020-01-02T00:00:00Z&to=2020-01-03T00:00:00Z")).trimEnd().split("\n");
  expect(new Set(lines).size).toBe(1200);
  expect(await text("to=2020-01-02T00:00:00Z")).toBe("");
});

test("exports events to users who may list them, and rejects an invalid day [S-54] [S-59]", async () => {
  const response = await get("/v1/audit/export", await gateway.asRole("viewer"));
  expect(await problemOf(response)).toMatchObject({ status: 403 });
  expect(await problemOf(await get("/v1/audit/export?from=yesterday"))).toMatchObject({ status: 400 });
});
