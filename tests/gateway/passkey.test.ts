import { inspect } from "node:util";
import { routeTable } from "@skillhold/protocol/http";
import { issueToken } from "@skillhold/registry/token";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SoftAuthenticator } from "./authenticator.fixture.ts";
import { answerOf, ask, HOST, openTestGateway, problemOf, type TestGateway } from "./gateway.fixture.ts";

const party = { id: "gateway.test", origin: "https://gateway.test:7878" };
const by = { user: "root", role: "admin" } as const;
const day = 86_400_000;
let now: Date;
let gateway: TestGateway;
beforeEach(async () => {
  now = new Date("2026-05-01T12:00:00Z");
  gateway = await openTestGateway({ clock: { now: () => now }, options: { publicUrl: party.origin } });
});
afterEach(() => gateway.close());

type Headers = Readonly<Record<string, string>>;

/** A browser: it keeps the cookies of its answers. */
class Browser {
  readonly cookies = new Map<string, string>();
  csrf = "";

  async send(method: string, path: string, body?: unknown): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers: Headers = { cookie, "x-skillhold-csrf": this.csrf };
    const response = await ask(gateway, method, path, { headers, body });
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(response.headers.get("set-cookie") ?? "") ?? [];
    if (name !== undefined && value !== undefined) this.cookies.set(name, value);
    return response;
  }

  async signInAs(user: string, role: "admin" | "publisher" | "viewer" = "viewer"): Promise<this> {
    const spec = { kind: "sign-in", name: "sign-in", user, role } as const;
    const { secret } = await issueToken(spec, { by }, gateway.registry);
    this.csrf = (await answerOf("signIn", await this.send("POST", "/v1/sign-in", { code: secret }))).csrf;
    return this;
  }

  async addPasskey(name = "laptop"): Promise<Added> {
    const { options } = await answerOf("startPasskey", await this.send("POST", "/v1/passkeys/options"));
    const key = new SoftAuthenticator(party);
    const { challenge, user } = read(options);
    const body = { name, credential: key.create(challenge) };
    const { id } = await answerOf("addPasskey", await this.send("POST", "/v1/passkeys", body));
    return { key, handle: user?.id ?? "", id };
  }

  async challenge(confirm = false): Promise<string> {
    const response = await this.send("POST", "/v1/sign-in/passkey/options", { confirm });
    return read((await answerOf("startPasskeySignIn", response)).options).challenge;
  }

  async assert(credential: unknown): Promise<Response> {
    return await this.send("POST", "/v1/sign-in/passkey", { credential });
  }
}

interface Added {
  readonly key: SoftAuthenticator;
  readonly handle: string;
  readonly id: string;
}

interface Options {
  readonly challenge: string;
  readonly user?: { readonly id: string };
  readonly rp?: unknown;
  readonly rpId?: string;
  readonly allowCredentials?: readonly { readonly id: string }[];
}

/** The gateway's options have this form, which browsers check. */
const read = (options: unknown) => options as Options;
const refusal = { status: 401, code: "UNAUTHENTICATED", detail: "The passkey was not accepted." };
const events = async () => (await gateway.registry.store.eventsAfter(0, 1000)).map(({ event }) => event);

test("a passkey signs its user in with the role of the last link [S-70]", async () => {
  const ann = await new Browser().signInAs("ann", "publisher");
  const { key, handle, id } = await ann.addPasskey();
  const browser = new Browser();
  const response = await browser.assert(key.get(await browser.challenge(), handle));
  expect(response.headers.get("set-cookie")).toMatch(/HttpOnly; SameSite=Strict/);
  expect(response.headers.get("cache-control")).toBe("no-store");
  const { user, role, csrf } = await answerOf("signInWithPasskey", response);
  expect([user, role]).toEqual(["ann", "publisher"]);
  browser.csrf = csrf;
  expect(await answerOf("whoAmI", await browser.send("GET", "/v1/me"))).toMatchObject({ user: "ann" });
  const { passkeys } = await answerOf("listPasskeys", await browser.send("GET", "/v1/passkeys"));
  expect(passkeys).toEqual([
    { id, user: "ann", name: "laptop", createdAt: now.toISOString(), lastUsedAt: now.toISOString() },
  ]);
  expect(await events()).toMatchObject([
    { type: "token.issued" },
    { type: "token.revoked" },
    { type: "token.issued", method: "link" },
    { type: "passkey.added", by: { user: "ann" }, user: "ann", passkey: id },
    { type: "token.issued", kind: "session", user: "ann", role: "publisher", method: "passkey" },
  ]);
  const stored = await gateway.registry.store.findPasskey(id);
  expect(inspect(passkeys)).not.toContain(stored?.publicKey);
});

test("options name the relying party, and require user verification [S-70]", async () => {
  const ann = await new Browser().signInAs("ann");
  const { key } = await ann.addPasskey();
  const again = read(
    (await answerOf("startPasskey", await ann.send("POST", "/v1/passkeys/options"))).options,
  );
  expect(again).toMatchObject({
    rp: { id: "gateway.test" },
    attestation: "none",
    excludeCredentials: [{ id: key.id.toString("base64url") }],
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  expect(again.user?.id).not.toContain("ann");
  const start = await new Browser().send("POST", "/v1/sign-in/passkey/options", {});
  const { options } = await answerOf("startPasskeySignIn", start);
  expect(options).toMatchObject({ rpId: "gateway.test", userVerification: "required" });
  expect(options).not.toHaveProperty("allowCredentials");
});

describe("an assertion is refused", () => {
  let added: Added;
  let browser: Browser;
  beforeEach(async () => {
    added = await (await new Browser().signInAs("ann")).addPasskey();
    browser = new Browser();
  });

  const expectRefused = async (response: Response) =>
    expect(await problemOf(response)).toMatchObject(refusal);

  test("when it is replayed, with its challenge or with another [S-70]", async () => {
    const assertion = added.key.get(await browser.challenge(), added.handle);
    expect((await browser.assert(assertion)).status).toBe(200);
    expect(await problemOf(await browser.assert(assertion))).toMatchObject({ code: "UNAUTHENTICATED" });
    await browser.challenge();
    await expectRefused(await browser.assert(assertion));
  });

  test("when another browser sends it [S-70]", async () => {
    const assertion = added.key.get(await browser.challenge(), added.handle);
    const thief = new Browser();
    await thief.challenge();
    await expectRefused(await thief.assert(assertion));
    expect((await new Browser().assert(assertion)).status).toBe(401);
    expect((await browser.assert(assertion)).status).toBe(200);
  });

  test.each([
    ["of another origin", { origin: "https://evil.test" }],
    ["of another port", { origin: "https://gateway.test" }],
    ["without TLS", { origin: "http://gateway.test:7878" }],
    ["of another relying party", { party: "evil.test" }],
    ["of another type", { type: "webauthn.create" }],
    ["without user verification", { flags: 0x01 }],
    ["without user presence", { flags: 0x04 }],
  ])("when it is %s [S-70]", async (_, changed) => {
    await expectRefused(
      await browser.assert(added.key.get(await browser.challenge(), added.handle, changed)),
    );
  });

  test("when any byte differs [S-70]", async () => {
    for (const part of ["clientDataJSON", "authenticatorData", "signature", "userHandle"] as const) {
      const assertion = added.key.get(await browser.challenge(), added.handle);
      const bytes = Buffer.from(assertion.response[part], "base64url");
      bytes[bytes.length - 2] = (bytes[bytes.length - 2] ?? 0) ^ 1;
      const response = { ...assertion.response, [part]: bytes.toString("base64url") };
      expect([part, (await browser.assert({ ...assertion, response })).status]).toEqual([part, 401]);
      now = new Date(now.getTime() + 60_000);
    }
  });

  test("when it is of another user's credential [S-70]", async () => {
    const bob = await (await new Browser().signInAs("bob")).addPasskey();
    const challenge = await browser.challenge();
    const mixed = added.key.get(challenge, added.handle);
    const id = bob.key.id.toString("base64url");
    await expectRefused(await browser.assert({ ...mixed, id, rawId: id }));
    await expectRefused(await browser.assert(added.key.get(await browser.challenge(), bob.handle)));
  });

  test("when its counter did not increase [S-70]", async () => {
    const statuses: number[] = [];
    for (const counter of [7, 7, 6, 0, 8]) {
      const assertion = added.key.get(await browser.challenge(), added.handle, { counter });
      statuses.push((await browser.assert(assertion)).status);
    }
    expect(statuses).toEqual([200, 401, 401, 401, 200]);
  });

  test("when its challenge has expired [S-70]", async () => {
    const assertion = added.key.get(await browser.challenge(), added.handle);
    now = new Date(now.getTime() + 5 * 60_000);
    expect(await problemOf(await browser.assert(assertion))).toMatchObject({ code: "UNAUTHENTICATED" });
  });

  test("when the passkey was removed or its user deactivated [S-70]", async () => {
    const admin = await gateway.asRole("admin", "root");
    const put = async (isActive: boolean) =>
      await answerOf(
        "changeUser",
        await ask(gateway, "PUT", "/v1/users/ann", { headers: admin, body: { isActive } }),
      );
    expect(await put(false)).toEqual({ name: "ann", role: "viewer", isActive: false });
    await expectRefused(await browser.assert(added.key.get(await browser.challenge(), added.handle)));
    await put(true);
    expect((await browser.assert(added.key.get(await browser.challenge(), added.handle))).status).toBe(200);
    await ask(gateway, "DELETE", `/v1/passkeys/${added.id}`, { headers: admin });
    await expectRefused(await browser.assert(added.key.get(await browser.challenge(), added.handle)));
  });

  test("when its form is wrong [S-70]", async () => {
    const good = added.key.get(await browser.challenge(), added.handle);
    for (const wrong of [
      {},
      { ...good, id: "a b" },
      { ...good, response: {} },
      { ...good, type: "password" },
    ])
      expect((await browser.assert(wrong)).status).toBe(400);
    for (const id of ["", "x", "A".repeat(1400)])
      expect((await browser.assert({ ...good, id, rawId: id })).status).toBe(401);
  });
});

test("deactivating a user ends every way in, until they are activated [S-70]", async () => {
  const ann = await new Browser().signInAs("ann", "publisher");
  const program = await gateway.asRole("publisher", "ann");
  const headers = await gateway.asRole("admin", "root");
  const put = (user: string, body: object) => ask(gateway, "PUT", `/v1/users/${user}`, { headers, body });
  const spec = { kind: "sign-in", name: "sign-in", user: "ann", role: "viewer" } as const;
  const { secret } = await issueToken(spec, { by }, gateway.registry);
  expect((await put("ann", { isActive: false })).status).toBe(200);
  expect((await ann.send("GET", "/v1/me")).status).toBe(401);
  expect((await ask(gateway, "GET", "/v1/me", { headers: program })).status).toBe(401);
  expect((await new Browser().send("POST", "/v1/sign-in", { code: secret })).status).toBe(401);
  const invitation = await ask(gateway, "POST", "/v1/sign-in-codes", {
    headers,
    body: { user: "ann", role: "viewer" },
  });
  expect(await problemOf(invitation)).toMatchObject({ code: "FORBIDDEN" });
  const { users } = await answerOf("listUsers", await ask(gateway, "GET", "/v1/users", { headers }));
  expect(users).toMatchObject([{ name: "ann", role: "publisher", isActive: false }]);
  expect((await put("ann", { isActive: true })).status).toBe(200);
  await new Browser().signInAs("ann");
  expect(await problemOf(await put("root", { isActive: false }))).toMatchObject({ code: "POLICY_DENIED" });
  expect(await problemOf(await put("nobody", { isActive: false }))).toMatchObject({ code: "USER_NOT_FOUND" });
});

test("a lower role revokes sessions with a higher one, and applies to passkeys [S-70]", async () => {
  const ann = await new Browser().signInAs("ann", "admin");
  const { key, handle } = await ann.addPasskey();
  const headers = await gateway.asRole("admin", "root");
  await ask(gateway, "PUT", "/v1/users/ann", { headers, body: { role: "viewer" } });
  expect((await ann.send("GET", "/v1/me")).status).toBe(401);
  const browser = new Browser();
  const response = await browser.assert(key.get(await browser.challenge(), handle));
  expect((await answerOf("signInWithPasskey", response)).role).toBe("viewer");
});

test("a passkey confirms the identity of an old session, and only its own user's does [S-70]", async () => {
  const ann = await new Browser().signInAs("ann", "admin");
  const { key, handle } = await ann.addPasskey();
  const bob = await (await new Browser().signInAs("bob")).addPasskey();
  now = new Date(now.getTime() + day);
  const issue = () => ann.send("POST", "/v1/tokens", { name: "ci", role: "viewer" });
  for (const response of [
    await issue(),
    await ann.send("POST", "/v1/passkeys/options"),
    await ann.send("DELETE", `/v1/passkeys/${bob.id}`),
  ])
    expect(await problemOf(response)).toMatchObject({ code: "SIGN_IN_REQUIRED" });
  const wrong = await ann.assert(bob.key.get(await ann.challenge(true), bob.handle));
  expect(await problemOf(wrong)).toMatchObject(refusal);
  const old = new Map(ann.cookies);
  const confirmed = await ann.assert(key.get(await ann.challenge(true), handle));
  const { csrf } = await answerOf("signInWithPasskey", confirmed);
  const before = new Browser();
  for (const [name, value] of old) before.cookies.set(name, value);
  before.csrf = ann.csrf;
  expect((await before.send("GET", "/v1/me")).status).toBe(401);
  ann.csrf = csrf;
  expect((await issue()).status).toBe(201);
  const anonymous = await new Browser().send("POST", "/v1/sign-in/passkey/options", { confirm: true });
  expect(await problemOf(anonymous)).toMatchObject({ code: "UNAUTHENTICATED" });
});

test("only a person in a browser adds passkeys, and a challenge adds one [S-70]", async () => {
  for (const headers of [await gateway.asRole("admin", "root"), await gateway.asRole("publisher", "ann")])
    expect(await problemOf(await ask(gateway, "POST", "/v1/passkeys/options", { headers }))).toMatchObject({
      code: "FORBIDDEN",
    });
  const ann = await new Browser().signInAs("ann");
  const { options } = await answerOf("startPasskey", await ann.send("POST", "/v1/passkeys/options"));
  const { challenge } = read(options);
  const add = async (who: Browser, key = new SoftAuthenticator(party)) =>
    await who.send("POST", "/v1/passkeys", { name: "x", credential: key.create(challenge) });
  const bob = await new Browser().signInAs("bob");
  for (const [name, value] of ann.cookies) if (name.includes("sign-in")) bob.cookies.set(name, value);
  expect((await add(bob)).status).toBe(400);
  expect((await add(ann)).status).toBe(400);
  const evil = new SoftAuthenticator({ id: party.id, origin: "https://evil.test" });
  const next = read((await answerOf("startPasskey", await ann.send("POST", "/v1/passkeys/options"))).options);
  const wrong = { name: "x", credential: evil.create(next.challenge) };
  expect((await ann.send("POST", "/v1/passkeys", wrong)).status).toBe(400);
  expect(await gateway.registry.store.listPasskeys("ann")).toEqual([]);
});

test("a person lists and removes only their own passkeys [S-70]", async () => {
  const ann = await new Browser().signInAs("ann", "publisher");
  const bob = await new Browser().signInAs("bob");
  const { id } = await bob.addPasskey();
  expect((await ann.send("GET", "/v1/passkeys?user=bob")).status).toBe(403);
  expect(await answerOf("listPasskeys", await ann.send("GET", "/v1/passkeys"))).toEqual({ passkeys: [] });
  const foreign = await problemOf(await ann.send("DELETE", `/v1/passkeys/${id}`));
  const missing = await problemOf(await ann.send("DELETE", `/v1/passkeys/${id.replace(/^./, "0")}`));
  expect([foreign.code, missing.code]).toEqual(["PASSKEY_NOT_FOUND", "PASSKEY_NOT_FOUND"]);
  const agent = await gateway.asRole("agent", "bob");
  expect((await ask(gateway, "GET", "/v1/passkeys", { headers: agent })).status).toBe(403);
  expect((await bob.send("DELETE", `/v1/passkeys/${id}`)).status).toBe(200);
  expect((await events()).at(-1)).toMatchObject({ type: "passkey.removed", user: "bob", passkey: id });
});

test("a user has a bounded number of passkeys, and starts are limited per address [S-70]", async () => {
  const limits = { ...gateway.registry.limits, passkeysPerUser: 1 };
  await gateway.close();
  gateway = await openTestGateway({
    clock: { now: () => now },
    limits,
    options: { publicUrl: party.origin },
  });
  const ann = await new Browser().signInAs("ann");
  await ann.addPasskey();
  const { options } = await answerOf("startPasskey", await ann.send("POST", "/v1/passkeys/options"));
  const credential = new SoftAuthenticator(party).create(read(options).challenge);
  const second = await ann.send("POST", "/v1/passkeys", { name: "two", credential });
  expect(await problemOf(second)).toMatchObject({ code: "LIMIT_EXCEEDED" });
  const statuses: number[] = [];
  for (let tried = 0; tried < 11; tried += 1)
    statuses.push((await new Browser().send("POST", "/v1/sign-in/passkey/options", {})).status);
  expect(statuses).toEqual([...Array(10).fill(200), 429]);
});

test.each([
  ["https://skills.example.org", "https://skills.example.org"],
  ["http://127.0.0.1:7878", "http://localhost:7878"],
  ["http://[::1]:7878", "http://localhost:7878"],
  ["http://localhost", "http://localhost"],
  ["https://10.0.0.5", undefined],
  ["http://skills.example.org", undefined],
  [undefined, undefined],
])("at %s passkeys work at %s [S-70]", async (publicUrl, origin) => {
  await gateway.close();
  gateway = await openTestGateway({ options: publicUrl === undefined ? {} : { publicUrl } });
  const methods = await ask(gateway, "GET", "/v1/sign-in/methods");
  expect(await answerOf("listSignInMethods", methods)).toEqual(
    origin === undefined ? {} : { passkeyOrigin: origin },
  );
  const start = await ask(gateway, "POST", "/v1/sign-in/passkey/options", { body: {} });
  expect(start.status).toBe(origin === undefined ? 409 : 200);
});

test("sign-in routes reject other origins [S-70]", async () => {
  for (const operation of ["startPasskeySignIn", "signInWithPasskey"] as const) {
    const { method, path } = routeTable[operation];
    const headers = { host: HOST, origin: "https://evil.test" };
    expect((await ask(gateway, method, path, { headers, body: {} })).status).toBe(403);
  }
});
