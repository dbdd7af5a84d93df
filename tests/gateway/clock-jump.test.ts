import { verifyAudit } from "@skillhold/registry/audit";
import { issueToken } from "@skillhold/registry/token";
import { afterEach, expect, test } from "vitest";
import { ask, HOST, openTestGateway, putSkill, type TestGateway } from "./gateway.fixture.ts";

const DAY = 86_400_000;
let gateway: TestGateway;
let now = Date.parse("2026-06-01T00:00:00.000Z");
const clock = { now: () => new Date(now) };
afterEach(() => gateway.close());

test("a clock that jumps revives no token, blocks no client for long, and keeps the log sound [S-53] [S-62]", async () => {
  gateway = await openTestGateway({ clock });
  const { registry } = gateway;
  const by = { user: "root", role: "admin" } as const;
  const spec = { kind: "api", name: "x", user: "ann", role: "admin", expiresInMs: 10 * DAY } as const;
  const { secret } = await issueToken(spec, { by }, registry);
  const headers = { host: HOST, authorization: `Bearer ${secret}` };
  const status = async () => (await ask(gateway, "GET", "/v1/me", { headers })).status;
  await putSkill(gateway, "one", "ann");
  expect(await status()).toBe(200);
  // Use some of the rate, then jump back: the bucket does not shrink, and later requests still pass.
  now -= 2 * DAY;
  for (let count = 0; count < 50; count += 1) expect(await status()).toBe(200);
  await putSkill(gateway, "two", "ann");
  now += 400 * DAY;
  expect(await status()).toBe(401);
  await putSkill(gateway, "three", "ann");
  const times = (await registry.store.eventsAfter(0, 100)).map(({ event }) => event.at);
  expect(times).not.toEqual(times.toSorted());
  expect(await registry.store.listBrokenEvents()).toEqual([]);
  expect(await verifyAudit(registry.store, { keys: [] })).toMatchObject({ isSound: true });
});
