import { type Route, routeTable } from "@skillhold/protocol/http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openTestGateway, type TestGateway } from "./gateway.fixture.ts";
import { asker, put } from "./skill.fixture.ts";

let gateway: TestGateway;
let root: ReturnType<typeof asker>;
beforeEach(async () => {
  gateway = await openTestGateway();
  root = asker(gateway, await gateway.asRole("admin", "root"));
  await put(gateway, "own");
});
afterEach(() => gateway.close());

/** These routes return the current state or run work. */
const always = new Set(["/healthz", "/readyz", "/v1/audit/verify", "/v1/sessions/{session}/tools"]);

test("every JSON read has an ETag [S-53]", () => {
  const others = Object.values<Route>(routeTable).filter(
    ({ method, answer, condition }) => method === "GET" && answer !== "bytes" && condition === undefined,
  );
  expect(new Set(others.map(({ path }) => path))).toEqual(always);
});

test.each([
  "/v1/agents",
  "/v1/users",
  "/v1/me",
  "/v1/explain",
  "/v1/audit",
  "/v1/metrics",
  "/v1/status",
  "/v1/approvals",
  "/v1/skills/own/grants",
  "/v1/skills/own/access",
  "/v1/skills/own/metrics",
])("does not send %s again to a client that has it [S-53]", async (path) => {
  const first = await root("GET", path);
  const etag = first.headers.get("etag") ?? "";
  expect([first.status, etag]).toEqual([200, expect.stringMatching(/^"\S+"$/)]);
  const again = await root("GET", path, { headers: { "if-none-match": etag } });
  expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
});

test("a changed list has a new ETag [S-53]", async () => {
  const tag = async () => (await root("GET", "/v1/agents")).headers.get("etag");
  const before = await tag();
  await root("POST", "/v1/agents", { body: { key: "helper", runtime: "test" } });
  const after = await tag();
  expect(after).not.toBe(before);
  const seen = { headers: { "if-none-match": before ?? "" } };
  expect((await root("GET", "/v1/agents", seen)).status).toBe(200);
});
