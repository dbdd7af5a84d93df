import { afterEach, beforeEach, expect, test } from "vitest";
import { answerOf, ask, openTestGateway, problemOf, type TestGateway } from "./gateway.fixture.ts";

let gateway: TestGateway;
let admin: Readonly<Record<string, string>>;
beforeEach(async () => {
  gateway = await openTestGateway();
  admin = await gateway.asRole("admin", "root");
});
afterEach(() => gateway.close());

const issue = (body: object) => ask(gateway, "POST", "/v1/tokens", { headers: admin, body });
const listed = async () => {
  const { tokens } = await answerOf(
    "listTokens",
    await ask(gateway, "GET", "/v1/tokens", { headers: admin }),
  );
  return tokens.filter(({ name }) => name !== "test");
};

test("an administrator issues a token whose secret is shown once and not stored [S-53]", async () => {
  const response = await issue({ name: "ci", role: "publisher", user: "ann", expiresInMs: 3_600_000 });
  expect(response.headers.get("cache-control")).toBe("no-store");
  const { token, secret } = await answerOf("issueToken", response);
  expect(token).toMatchObject({ name: "ci", role: "publisher", user: "ann", createdBy: "root" });
  expect(Date.parse(token.expiresAt) - Date.parse(token.createdAt)).toBe(3_600_000);
  expect(await listed()).toEqual([token]);
  const { store } = gateway.registry;
  const kept = JSON.stringify([await store.listTokens(), await store.eventsAfter(0, 1000)]);
  expect(kept).not.toContain(secret);
  const me = await ask(gateway, "GET", "/v1/me", { headers: { authorization: `Bearer ${secret}` } });
  expect(await answerOf("whoAmI", me)).toMatchObject({ user: "ann", role: "publisher", token: token.id });
  expect(await store.eventsAfter(0, 1000)).toMatchObject([
    { event: { type: "token.issued", by: { user: "root", role: "admin" }, user: "ann" } },
  ]);
});

test("a token with the agent role needs an existing agent [S-53]", async () => {
  await gateway.asRole("agent", "ann", "helper");
  const { token } = await answerOf("issueToken", await issue({ name: "x", role: "agent", agent: "helper" }));
  expect(token).toMatchObject({ role: "agent", agent: "helper", user: "agent:helper" });
  expect(await problemOf(await issue({ name: "x", role: "agent", agent: "gone" }))).toMatchObject({
    code: "AGENT_NOT_FOUND",
  });
  expect(await problemOf(await issue({ name: "x", role: "agent" }))).toMatchObject({ code: "USAGE" });
});

test("rejects an invalid token description [S-53]", async () => {
  const fine = { name: "ci", role: "viewer" };
  for (const body of [
    {},
    { ...fine, role: "system" },
    { ...fine, role: "root" },
    { ...fine, role: ["admin"] },
    { ...fine, kind: "session" },
    { ...fine, id: "x" },
    { ...fine, createdBy: "someone" },
    { ...fine, user: "" },
    { ...fine, user: "ann\r\nset-cookie: x=y" },
    { ...fine, user: "\u202eann" },
    { ...fine, name: "x".repeat(300) },
    { ...fine, expiresInMs: 1 },
    { ...fine, expiresInMs: -1 },
    { ...fine, expiresInMs: 1e15 },
    { ...fine, expiresInMs: "60000" },
  ])
    expect([body, (await problemOf(await issue(body))).code]).toEqual([body, "USAGE"]);
  expect(await listed()).toEqual([]);
});

test("a revoked token is invalid at once and listed as revoked [S-53]", async () => {
  const { token, secret } = await answerOf("issueToken", await issue({ name: "ci", role: "viewer" }));
  const headers = { authorization: `Bearer ${secret}` };
  expect((await ask(gateway, "GET", "/v1/me", { headers })).status).toBe(200);
  const revoke = (id: string) => ask(gateway, "DELETE", `/v1/tokens/${id}`, { headers: admin });
  const revoked = await answerOf("revokeToken", await revoke(token.id));
  expect(revoked.revokedAt).toBeDefined();
  expect((await ask(gateway, "GET", "/v1/me", { headers })).status).toBe(401);
  expect((await listed())[0]).toMatchObject({ id: token.id, revokedAt: revoked.revokedAt });
  expect(await answerOf("revokeToken", await revoke(token.id))).toMatchObject({
    revokedAt: revoked.revokedAt,
  });
  const unknown = "00000000-0000-4000-8000-000000000000";
  expect(await problemOf(await revoke(unknown))).toMatchObject({ code: "TOKEN_NOT_FOUND" });
  // The error does not repeat a secret that was sent as an id.
  const mistaken = await problemOf(await revoke(secret));
  expect(mistaken.code).toBe("USAGE");
  expect(JSON.stringify(mistaken)).not.toContain(secret);
});

test("a token of an administrator that is bound to an agent cannot manage tokens [S-53]", async () => {
  const headers = await gateway.asRole("admin", "root", "helper");
  const body = { name: "ci", role: "viewer" };
  expect(await problemOf(await ask(gateway, "POST", "/v1/tokens", { headers, body }))).toMatchObject({
    code: "FORBIDDEN",
  });
  const { token } = await answerOf("issueToken", await issue(body));
  expect(await problemOf(await ask(gateway, "DELETE", `/v1/tokens/${token.id}`, { headers }))).toMatchObject({
    code: "FORBIDDEN",
  });
});

test("people issue, see and revoke their own tokens in a browser session only [S-70]", async () => {
  const code = await answerOf(
    "issueSignIn",
    await ask(gateway, "POST", "/v1/sign-in-codes", {
      headers: admin,
      body: { user: "pat", role: "publisher" },
    }),
  );
  const signedIn = await ask(gateway, "POST", "/v1/sign-in", { body: { code: code.code } });
  const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
  const { csrf } = await answerOf("signIn", signedIn);
  const browser = { cookie, "x-skillhold-csrf": csrf };
  const asPat = (method: "GET" | "POST" | "DELETE", path: string, body?: object, headers = browser) =>
    ask(gateway, method, path, { headers, ...(body === undefined ? {} : { body }) });
  const mine = { name: "laptop", role: "publisher" };
  const { token, secret } = await answerOf("issueToken", await asPat("POST", "/v1/tokens", mine));
  expect(token).toMatchObject({ user: "pat", role: "publisher" });
  const program = { authorization: `Bearer ${secret}` };
  const fromProgram = await ask(gateway, "POST", "/v1/tokens", { headers: program, body: mine });
  expect(await problemOf(fromProgram)).toMatchObject({ code: "FORBIDDEN" });
  for (const body of [
    { ...mine, role: "admin" },
    { ...mine, user: "root" },
  ])
    expect(await problemOf(await asPat("POST", "/v1/tokens", body))).toMatchObject({
      code: "POLICY_DENIED",
    });
  const { tokens } = await answerOf("listTokens", await asPat("GET", "/v1/tokens"));
  expect(new Set(tokens.map(({ user }) => user))).toEqual(new Set(["pat"]));
  const others = await answerOf("issueToken", await issue({ name: "ci", role: "viewer" }));
  for (const method of ["GET", "DELETE"] as const)
    expect(await problemOf(await asPat(method, `/v1/tokens/${others.token.id}`))).toMatchObject({
      code: "TOKEN_NOT_FOUND",
    });
  await answerOf("revokeToken", await asPat("DELETE", `/v1/tokens/${token.id}`));
  expect(await answerOf("getToken", await asPat("GET", `/v1/tokens/${token.id}`))).toHaveProperty(
    "revokedAt",
  );
  expect((await ask(gateway, "GET", "/v1/me", { headers: program })).status).toBe(401);
});
