import { hash } from "node:crypto";
import { openGateway } from "@skillhold/gateway";
import { Problem, routeTable } from "@skillhold/protocol/http";
import { removeAgent } from "@skillhold/registry/access";
import type { RegistryStore } from "@skillhold/registry/record";
import { issueToken, revokeToken, useSignIn } from "@skillhold/registry/token";
import { openRegistryStore } from "@skillhold/store";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { freshDatabase } from "../postgres-database.ts";
import { ask, openTestGateway, type TestGateway } from "./gateway.fixture.ts";

const by = { user: "root", role: "admin" } as const;
let now: Date;
let gateway: TestGateway;
beforeEach(async () => {
  now = new Date();
  gateway = await openTestGateway({ clock: { now: () => now } });
});
afterEach(() => gateway.close());

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
const statusFor = async (
  headers: Readonly<Record<string, string>>,
  app: Pick<TestGateway, "app"> = gateway,
) => (await ask(app, "GET", "/v1/me", { headers })).status;
const issue = (more: { readonly expiresInMs?: number; readonly agent?: string } = {}) =>
  issueToken({ name: "program", role: "viewer", user: "ann", ...more }, { by }, gateway.registry);

async function openWebSession() {
  const signIn = await issueToken({ kind: "sign-in", name: "me", role: "admin" }, { by }, gateway.registry);
  const response = await ask(gateway, "POST", "/v1/sign-in", { body: { code: signIn.secret } });
  const { csrf } = routeTable.signIn.answer.parse(await response.json());
  const cookie = response.headers.get("set-cookie")?.split(";")[0] ?? "";
  return { cookie, csrf, headers: { cookie, "x-skillhold-csrf": csrf } };
}

describe("an API token", () => {
  test("identifies the principal [S-53]", async () => {
    const { token, secret } = await issue();
    const response = await ask(gateway, "GET", "/v1/me", { headers: bearer(secret) });
    const { id, user, role, expiresAt } = token;
    expect(await response.json()).toEqual({ user, role, expiresAt, token: id });
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  test("differs from a missing token, and the reason is not disclosed [S-53]", async () => {
    const { token, secret } = await issue();
    await revokeToken(token.id, { by }, gateway.registry);
    const detailFor = async (headers: Readonly<Record<string, string>>) => {
      const response = await ask(gateway, "GET", "/v1/me", { headers });
      return Problem.parse(await response.json()).detail;
    };
    expect(await detailFor({})).toBe("The request has no token.");
    for (const each of [secret, `${secret}A`, "x"])
      expect(await detailFor(bearer(each))).toBe("The token is unknown, expired or revoked.");
  });

  test("is accepted only complete and only in its header [S-53]", async () => {
    const { secret } = await issue();
    expect(await statusFor(bearer(secret))).toBe(200);
    const wrong = [
      secret.slice(0, -1),
      `${secret}A`,
      `${secret}${secret}`,
      secret.toUpperCase(),
      secret.replace("skh_", "SKH_"),
      `${secret.slice(0, -1)}${secret.endsWith("A") ? "B" : "A"}`,
      `${secret}=`,
      `"${secret}"`,
      `${secret},${secret}`,
      secret.slice(4),
      "A".repeat(8000),
    ];
    for (const each of wrong) expect([each, await statusFor(bearer(each))]).toEqual([each, 401]);
    for (const headers of [
      { authorization: secret },
      { authorization: `Basic ${btoa(`ann:${secret}`)}` },
      { cookie: `skillhold-7878=${secret}` },
      { "x-api-key": secret },
      { "proxy-authorization": `Bearer ${secret}` },
      { "sec-websocket-protocol": secret },
    ])
      expect([headers, await statusFor(headers)]).toEqual([headers, 401]);
    for (const name of ["token", "access_token", "api_key"])
      expect((await ask(gateway, "GET", `/v1/me?${name}=${secret}`)).status).toBe(401);
  });

  test("is invalid from the moment it expires, even when it is cached [S-53]", async () => {
    const { token, secret } = await issue({ expiresInMs: 60_000 });
    now = new Date(Date.parse(token.expiresAt) - 1);
    expect(await statusFor(bearer(secret))).toBe(200);
    now = new Date(token.expiresAt);
    expect(await statusFor(bearer(secret))).toBe(401);
  });

  test("is invalid with the next request after it was revoked [S-53] [S-55]", async () => {
    const other = await openRegistryStore(`sqlite:${gateway.folder}/registry.db`);
    try {
      for (const store of [gateway.registry.store, other]) {
        const { token, secret } = await issue();
        expect(await statusFor(bearer(secret))).toBe(200);
        await revokeToken(token.id, { by }, { ...gateway.registry, store });
        expect(await statusFor(bearer(secret))).toBe(401);
      }
    } finally {
      await other.close();
    }
  });

  test("is invalid when its agent is removed [S-53]", async () => {
    const headers = await gateway.asRole("agent", "ann", "helper");
    expect(await statusFor(headers)).toBe(200);
    await removeAgent("helper", { by }, gateway.registry);
    expect(await statusFor(headers)).toBe(401);
  });

  test("has a last-used time that is updated periodically [S-53]", async () => {
    const { secret } = await issue();
    const lastUse = async () => (await gateway.registry.store.listTokens("api")).at(-1)?.lastUsedAt;
    await statusFor(bearer(secret));
    await vi.waitFor(async () => expect(await lastUse()).toBe(now.toISOString()), 120_000);
    const first = now.toISOString();
    now = new Date(now.getTime() + 59_000);
    await statusFor(bearer(secret));
    expect(await lastUse()).toBe(first);
    now = new Date(now.getTime() + 6000);
    await statusFor(bearer(secret));
    await vi.waitFor(async () => expect(await lastUse()).toBe(now.toISOString()), 120_000);
  });
});

/** The same store with a list of its token lookups. */
function watched(store: RegistryStore): { readonly store: RegistryStore; readonly looked: string[] } {
  const looked: string[] = [];
  const findToken = (key: string) => {
    looked.push(key);
    return store.findToken(key);
  };
  return { store: { ...store, findToken }, looked };
}

test("looks tokens up by the hash of the secret, and skips malformed ones [S-53]", async () => {
  const { store, looked } = watched(gateway.registry.store);
  const own = openGateway({ ...gateway.context, registry: { ...gateway.registry, store } });
  try {
    const { token, secret } = await issue();
    const { cookie } = await openWebSession();
    looked.length = 0;
    for (const given of [secret, token.id, hash("sha256", secret, "hex"), "skh_short", "' or 1=1 --"])
      await statusFor(bearer(given), own);
    await statusFor({ cookie }, own);
    const web = cookie.slice("skillhold-7878=".length);
    expect(looked).toEqual([hash("sha256", secret, "hex"), hash("sha256", web, "hex")]);
  } finally {
    await own.close();
  }
});

test("caches a token for a few seconds, until the next commit [S-53]", async () => {
  const { store, looked } = watched(gateway.registry.store);
  const own = openGateway({ ...gateway.context, registry: { ...gateway.registry, store } });
  try {
    const { secret } = await issue();
    // Recording the last use is a commit too.
    await vi.waitFor(async () => {
      await statusFor(bearer(secret), own);
      looked.length = 0;
      expect(await statusFor(bearer(secret), own)).toBe(200);
      expect(looked).toEqual([]);
    }, 120_000);
    now = new Date(now.getTime() + 5000);
    expect(await statusFor(bearer(secret), own)).toBe(200);
    expect(looked).toHaveLength(1);
    await issue();
    expect(await statusFor(bearer(secret), own)).toBe(200);
    expect(looked).toHaveLength(2);
  } finally {
    await own.close();
  }
});

test("a revocation at one gateway applies at another on the same PostgreSQL [S-53] [S-55]", async () => {
  const url = await freshDatabase();
  const [one, two] = await Promise.all([openTestGateway({ url }), openTestGateway({ url })]);
  try {
    const admin = await one.asRole("admin");
    const { token, secret } = await issueToken({ name: "program", role: "viewer" }, { by }, one.registry);
    expect(await statusFor(bearer(secret), two)).toBe(200);
    expect(await statusFor(bearer(secret), one)).toBe(200);
    expect((await ask(one, "DELETE", `/v1/tokens/${token.id}`, { headers: admin })).status).toBe(200);
    // This gateway rejects the token at once, the other one after the database notifies it.
    expect(await statusFor(bearer(secret), one)).toBe(401);
    await vi.waitFor(async () => expect(await statusFor(bearer(secret), two)).toBe(401), 120_000);
  } finally {
    await Promise.all([one.close(), two.close()]);
  }
});

describe("a session cookie", () => {
  test("requires its CSRF header for all data [S-53]", async () => {
    const { cookie, csrf, headers } = await openWebSession();
    const me = await ask(gateway, "GET", "/v1/me", { headers });
    expect(routeTable.whoAmI.answer.parse(await me.json())).toMatchObject({
      user: "root",
      role: "admin",
      csrf,
    });
    for (const given of ["", csrf.slice(1), `${csrf}A`, cookie, csrf.toUpperCase()])
      expect([given, await statusFor({ cookie, "x-skillhold-csrf": given })]).toEqual([given, 401]);
    expect(await statusFor({ cookie })).toBe(401);
    expect(await statusFor({ "x-skillhold-csrf": csrf })).toBe(401);
  });

  test("is enough for the reference pages [S-53]", async () => {
    const { cookie } = await openWebSession();
    const alone: string[] = [];
    for (const [operation, { method, path }] of Object.entries(routeTable)) {
      const address = `${path.replaceAll(/\{\w+\}/g, "none")}?no-such-thing=1`;
      const { status } = await ask(gateway, method, address, { headers: { cookie } });
      if (status !== 401 && routeTable[operation as keyof typeof routeTable].roles !== "anyone")
        alone.push(operation);
    }
    expect(alone.sort()).toEqual(["getOpenApi", "getReference"]);
    const navigation = {
      cookie,
      "sec-fetch-site": "same-origin",
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": "document",
    };
    expect((await ask(gateway, "GET", "/openapi.json", { headers: navigation })).status).toBe(200);
    expect((await ask(gateway, "GET", "/openapi.json")).status).toBe(401);
  });

  test("does not match the CSRF header of another session [S-53]", async () => {
    const [one, two] = [await openWebSession(), await openWebSession()];
    expect(one.csrf).not.toBe(two.csrf);
    expect(await statusFor({ cookie: one.cookie, "x-skillhold-csrf": two.csrf })).toBe(401);
    // Where there are two, one was put there by someone else.
    const both = `${one.cookie}; ${two.cookie}`;
    for (const csrf of [one.csrf, two.csrf])
      expect(await statusFor({ cookie: both, "x-skillhold-csrf": csrf })).toBe(401);
    expect(await statusFor({ cookie: `a=b; ${one.cookie}; c=d`, "x-skillhold-csrf": one.csrf })).toBe(200);
  });

  test("does not replace an invalid token [S-53]", async () => {
    const { headers } = await openWebSession();
    expect(await statusFor({ ...headers, ...bearer("skh_wrong") })).toBe(401);
    expect(await statusFor({ ...headers, authorization: "" })).toBe(401);
  });

  test("is not an API token, and neither is a sign-in code [S-53]", async () => {
    const { cookie } = await openWebSession();
    expect(await statusFor(bearer(cookie.slice("skillhold-7878=".length)))).toBe(401);
    const signIn = await issueToken({ kind: "sign-in", name: "me", role: "admin" }, { by }, gateway.registry);
    expect(await statusFor(bearer(signIn.secret))).toBe(401);
    expect(await statusFor({ cookie: `skillhold-7878=${signIn.secret}` })).toBe(401);
    const { secret } = await issue();
    expect((await ask(gateway, "POST", "/v1/sign-in", { body: { code: secret } })).status).toBe(401);
  });

  test("is Secure and bound to this host behind TLS [S-53]", async () => {
    const options = { ...gateway.context.options, isTls: true };
    const tls = openGateway({ ...gateway.context, options });
    try {
      const signIn = await issueToken(
        { kind: "sign-in", name: "me", role: "admin" },
        { by },
        gateway.registry,
      );
      const response = await ask(tls, "POST", "/v1/sign-in", { body: { code: signIn.secret } });
      const { csrf } = routeTable.signIn.answer.parse(await response.json());
      const [cookie = "", ...parts] = response.headers.get("set-cookie")?.split("; ") ?? [];
      expect(cookie).toMatch(/^__Host-skillhold=skh_[\w-]{43}$/);
      expect(parts).toEqual(["Path=/", "Max-Age=2592000", "HttpOnly", "SameSite=Strict", "Secure"]);
      const origin = "https://gateway.test:7878";
      expect(await statusFor({ cookie, "x-skillhold-csrf": csrf, origin }, tls)).toBe(200);
      const plain = cookie.replace("__Host-", "");
      expect(await statusFor({ cookie: plain, "x-skillhold-csrf": csrf, origin }, tls)).toBe(401);
      const unsafe = { cookie, "x-skillhold-csrf": csrf, origin: "http://gateway.test:7878" };
      expect(await statusFor(unsafe, tls)).toBe(403);
    } finally {
      await tls.close();
    }
  });
});

test("a session ends with sign-out and when it expires [S-53]", async () => {
  const { headers } = await openWebSession();
  const response = await ask(gateway, "POST", "/v1/sign-out", { headers });
  expect(response.status).toBe(204);
  expect(response.headers.get("set-cookie")).toMatch(/^skillhold-7878=; Path=\/; Max-Age=0; /);
  expect(await statusFor(headers)).toBe(401);
  const later = await openWebSession();
  now = new Date(now.getTime() + 30 * 86_400_000);
  expect(await statusFor(later.headers)).toBe(401);
  const program = await ask(gateway, "POST", "/v1/sign-out", { headers: await gateway.asRole("viewer") });
  expect(program.status).toBe(400);
});

test("a session in use is extended, and one that is not used or revoked ends [S-70]", async () => {
  const day = 86_400_000;
  const [used, idle] = [await openWebSession(), await openWebSession()];
  const me = async () => {
    const response = await ask(gateway, "GET", "/v1/me", { headers: used.headers });
    return { status: response.status, cookie: response.headers.get("set-cookie") };
  };
  expect(await me()).toEqual({ status: 200, cookie: null });
  for (const _ of [1, 2]) {
    now = new Date(now.getTime() + 20 * day);
    const { status, cookie } = await me();
    expect([status, cookie?.split("; ").slice(0, 3)]).toEqual([
      200,
      [used.cookie, "Path=/", "Max-Age=2592000"],
    ]);
  }
  expect(await statusFor(idle.headers)).toBe(401);
  now = new Date(now.getTime() + 31 * day);
  expect(await me()).toEqual({ status: 401, cookie: null });
});

test("a sensitive act needs a recent sign-in, other acts and programs do not [S-70]", async () => {
  const { headers } = await openWebSession();
  const body = { name: "ci", role: "viewer" };
  const invite = { user: "eve", role: "viewer" };
  expect((await ask(gateway, "POST", "/v1/tokens", { headers, body })).status).toBe(201);
  now = new Date(now.getTime() + 12 * 3_600_000);
  for (const [path, sent] of [
    ["/v1/tokens", body],
    ["/v1/sign-in-codes", invite],
  ] as const) {
    const response = await ask(gateway, "POST", path, { headers, body: sent });
    expect(Problem.parse(await response.json())).toMatchObject({ status: 403, code: "SIGN_IN_REQUIRED" });
  }
  expect((await ask(gateway, "GET", "/v1/tokens", { headers })).status).toBe(200);
  const again = await openWebSession();
  expect((await ask(gateway, "POST", "/v1/tokens", { headers: again.headers, body })).status).toBe(201);
  const program = await issueToken({ name: "ops", role: "admin" }, { by }, gateway.registry);
  now = new Date(now.getTime() + 12 * 3_600_000);
  const asProgram = { headers: bearer(program.secret), body };
  expect((await ask(gateway, "POST", "/v1/tokens", asProgram)).status).toBe(201);
});

test("open invitations are listed without their codes, until they are used or revoked [S-70]", async () => {
  const { headers } = await openWebSession();
  const post = (user: string) =>
    ask(gateway, "POST", "/v1/sign-in-codes", { headers, body: { user, role: "viewer" } });
  const codes = async () => {
    const response = await ask(gateway, "GET", "/v1/sign-in-codes", { headers });
    return routeTable.listSignIns.answer.parse(await response.json()).codes;
  };
  const { code } = routeTable.issueSignIn.answer.parse(await (await post("vic")).json());
  now = new Date(now.getTime() + 1000);
  await post("wes");
  const [vic, wes] = await codes();
  expect([vic?.user, wes?.user]).toEqual(["vic", "wes"]);
  expect(JSON.stringify([vic, wes])).not.toContain(code);
  await ask(gateway, "DELETE", `/v1/tokens/${wes?.id}`, { headers });
  expect((await codes()).map(({ user }) => user)).toEqual(["vic"]);
  await ask(gateway, "POST", "/v1/sign-in", { body: { code } });
  expect(await codes()).toEqual([]);
});

test("an agent session can sign out [S-53]", async () => {
  await gateway.asRole("agent", "root", "helper");
  const spec = { kind: "sign-in", name: "me", role: "viewer", agent: "helper" } as const;
  const signIn = await issueToken(spec, { by }, gateway.registry);
  const { secret } = await useSignIn(signIn.secret, gateway.registry);
  const cookie = `skillhold-7878=${secret}`;
  expect((await ask(gateway, "POST", "/v1/sign-out", { headers: { cookie } })).status).toBe(401);
  const { csrfOf } = await import("@skillhold/gateway/test/auth/csrf");
  const token = await gateway.registry.store.findToken(hash("sha256", secret, "hex"));
  const headers = { cookie, "x-skillhold-csrf": csrfOf(secret, token?.id ?? "") };
  expect((await ask(gateway, "POST", "/v1/sign-out", { headers })).status).toBe(204);
  expect(await statusFor(headers)).toBe(401);
});
