import { issueToken } from "@skillhold/registry/token";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ask, openTestGateway, problemOf, type TestGateway } from "./gateway.fixture.ts";

let now: Date;
let gateway: TestGateway;
beforeEach(async () => {
  now = new Date();
  gateway = await openTestGateway({
    clock: { now: () => now },
    options: { rate: { token: 5, address: 3 } },
  });
});
afterEach(() => gateway.close());

test("rate-limits one token without affecting others [S-53]", async () => {
  const [ann, bob] = [await gateway.asRole("viewer", "ann"), await gateway.asRole("viewer", "bob")];
  const statusFor = async (headers = {}) => (await ask(gateway, "GET", "/v1/me", { headers })).status;
  const statuses = [];
  for (let each = 0; each < 6; each += 1) statuses.push(await statusFor(ann));
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  expect(await statusFor(bob)).toBe(200);
  const refused = await ask(gateway, "GET", "/v1/me", { headers: ann });
  expect(refused.headers.get("retry-after")).toBe("12");
  expect(await problemOf(refused)).toMatchObject({
    code: "RATE_LIMITED",
    hint: "Retry in 12 s.",
  });
  now = new Date(now.getTime() + 12_000);
  expect(await statusFor(ann)).toBe(200);
});

test("requests without a token share the rate of their address [S-53]", async () => {
  const statuses = [];
  for (const [method, path, headers] of [
    ["GET", "/healthz", {}],
    ["GET", "/v1/me", { authorization: "Bearer skh_wrong" }],
    ["GET", "/sign-in", {}],
    ["GET", "/sign-in", {}],
    ["GET", "/no/such/path", {}],
    ["GET", "/v1/me", { authorization: "Bearer skh_wrong" }],
  ] as const)
    statuses.push((await ask(gateway, method, path, { headers })).status);
  expect(statuses).toEqual([200, 401, 200, 429, 429, 429]);
  // Requests without a token do not affect a client with a token.
  expect((await ask(gateway, "GET", "/v1/me", { headers: await gateway.asRole("viewer") })).status).toBe(200);
});

test("each token of a person has its own rate [S-53]", async () => {
  const by = { user: "root", role: "admin" } as const;
  for (const name of ["one", "two"]) {
    const { secret } = await issueToken({ name, role: "viewer", user: "ann" }, { by }, gateway.registry);
    const headers = { authorization: `Bearer ${secret}` };
    for (let each = 0; each < 5; each += 1)
      expect((await ask(gateway, "GET", "/v1/me", { headers })).status).toBe(200);
    expect((await ask(gateway, "GET", "/v1/me", { headers })).status).toBe(429);
  }
});

test("skips lookups of unknown tokens above the rate, and accepts known tokens [S-53]", async () => {
  const { store } = gateway.registry;
  let looks = 0;
  const findToken: typeof store.findToken = async (...asked) => {
    looks += 1;
    return await store.findToken(...asked);
  };
  const registry = { ...gateway.registry, store: { ...store, findToken } };
  const counting = await openTestGateway({ registry, options: { rate: { token: 5, address: 3 } } });
  try {
    const known = await counting.asRole("viewer", "ann");
    const statusFor = async (headers: Readonly<Record<string, string>>) =>
      (await ask(counting, "GET", "/v1/me", { headers })).status;
    expect(await statusFor(known)).toBe(200);
    looks = 0;
    for (let each = 0; each < 20; each += 1)
      await statusFor({ authorization: `Bearer skh_${String(each).padStart(43, "w")}` });
    // As many as an address may ask for, and once more as many, since one may be good.
    expect(looks).toBe(6);
    expect(await statusFor(known)).toBe(200);
  } finally {
    await counting.close();
  }
});
