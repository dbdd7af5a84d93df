import { hash } from "node:crypto";
import { inspect } from "node:util";
import { openGateway } from "@skillhold/gateway";
import { Problem, routeTable } from "@skillhold/protocol/http";
import { issueToken } from "@skillhold/registry/token";
import { afterEach, beforeEach, expect, test } from "vitest";
import { answerOf, ask, openTestGateway, problemOf, type TestGateway } from "./gateway.fixture.ts";

const by = { user: "root", role: "admin" } as const;
let now: Date;
let gateway: TestGateway;
beforeEach(async () => {
  now = new Date();
  gateway = await openTestGateway({ clock: { now: () => now } });
});
afterEach(() => gateway.close());

const codeFor = async (user = "root") =>
  (await issueToken({ kind: "sign-in", name: "me", role: "admin", user }, { by }, gateway.registry)).secret;
const signIn = (code: unknown, headers: Readonly<Record<string, string>> = {}) =>
  ask(gateway, "POST", "/v1/sign-in", { body: { code }, headers });

test("a sign-in code creates one session [S-53]", async () => {
  const code = await codeFor("ann");
  const responses = await Promise.all([signIn(code), signIn(code), signIn(code)]);
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
  const won = responses.find(({ status }) => status === 200);
  expect(routeTable.signIn.answer.parse(await won?.json())).toMatchObject({ user: "ann", role: "admin" });
  expect(won?.headers.get("cache-control")).toBe("no-store");
  const [cookie, ...parts] = won?.headers.get("set-cookie")?.split("; ") ?? [];
  expect(cookie).toMatch(/^skillhold-7878=skh_[\w-]{43}$/);
  expect(cookie).not.toContain(code);
  expect(parts).toEqual(["Path=/", "Max-Age=2592000", "HttpOnly", "SameSite=Strict"]);
  const lost = responses.find(({ status }) => status === 401);
  expect(lost?.headers.get("set-cookie")).toBeNull();
  expect(Problem.parse(await lost?.json()).hint).toContain("skillhold token sign-in");
});

const invite = (headers: Readonly<Record<string, string>>, body: object) =>
  ask(gateway, "POST", "/v1/sign-in-codes", { headers, body });

test("an administrator's code signs a user in once with its role [S-53]", async () => {
  const made = await invite(await gateway.asRole("admin", "root"), { user: "bob", role: "viewer" });
  expect(made.headers.get("cache-control")).toBe("no-store");
  const { code, ...told } = await answerOf("issueSignIn", made);
  const expiresAt = new Date(now.getTime() + 15 * 60_000).toISOString();
  expect(told).toEqual({ user: "bob", role: "viewer", expiresAt });
  const signedIn = await signIn(code);
  const [cookie = ""] = signedIn.headers.get("set-cookie")?.split("; ") ?? [];
  const { csrf, user, role } = await answerOf("signIn", signedIn);
  expect([user, role]).toEqual(["bob", "viewer"]);
  expect((await signIn(code)).status).toBe(401);
  const headers = { cookie, "x-skillhold-csrf": csrf };
  const me = await answerOf("whoAmI", await ask(gateway, "GET", "/v1/me", { headers }));
  expect([me.user, me.role, me.agent]).toEqual(["bob", "viewer", undefined]);
  expect((await invite(headers, { user: "eve", role: "viewer" })).status).toBe(403);
});

test("only administrators create codes, and none for agents [S-53]", async () => {
  const body = { user: "eve", role: "viewer" };
  const others = await Promise.all([
    gateway.asRole("publisher", "ann"),
    gateway.asRole("viewer", "ann"),
    gateway.asRole("agent", "ann"),
    gateway.asRole("admin", "root", "helper"),
  ]);
  for (const headers of others)
    expect(await problemOf(await invite(headers, body))).toMatchObject({ code: "FORBIDDEN" });
  const admin = await gateway.asRole("admin", "root");
  for (const wrong of [
    { user: "eve", role: "agent" },
    { user: "eve", role: "system" },
    { user: "eve" },
    { role: "viewer" },
    { user: "", role: "viewer" },
    { user: "eve\n", role: "viewer" },
    { ...body, agent: "helper" },
    { ...body, expiresInMs: 86_400_000 },
  ])
    expect([wrong, (await problemOf(await invite(admin, wrong))).code]).toEqual([wrong, "USAGE"]);
  expect(await gateway.registry.store.listTokens("sign-in")).toEqual([]);
});

test("a code appears in no list, event or log [S-53] [S-62]", async () => {
  const lines: unknown[] = [];
  await gateway.close();
  gateway = await openTestGateway({ clock: { now: () => now }, log: (entry) => lines.push(entry) });
  const headers = await gateway.asRole("admin", "root");
  const { code } = await answerOf("issueSignIn", await invite(headers, { user: "bob", role: "viewer" }));
  const look = async () => {
    const { tokens } = await answerOf("listTokens", await ask(gateway, "GET", "/v1/tokens", { headers }));
    const events = await gateway.registry.store.eventsAfter(0, 1000);
    const stored = await gateway.registry.store.listTokens("sign-in");
    expect(inspect([tokens, events, lines, stored], { depth: null })).not.toContain(code.slice(4));
    return { listed: tokens.map(({ user }) => user), types: events.map(({ event }) => event.type) };
  };
  expect(await look()).toMatchObject({ listed: ["root"], types: ["token.issued"] });
  expect((await signIn(code)).status).toBe(200);
  const used = await look();
  expect(used.listed.toSorted()).toEqual(["bob", "root"]);
  expect(used.types.length).toBeGreaterThan(1);
});

test("a wrong, used or expired code gives the same code and says which it is [S-53]", async () => {
  const used = await codeFor();
  await signIn(used);
  const old = await codeFor();
  now = new Date(now.getTime() + 15 * 60_000);
  const words = await Promise.all(
    [used, old, `skh_${"A".repeat(43)}`, "x"].map(async (code) => {
      const { requestId: _, ...problem } = Problem.parse(await (await signIn(code)).json());
      return problem;
    }),
  );
  expect(new Set(words.map(({ code, status }) => `${code} ${status}`)).size).toBe(1);
  const [first, second, third, fourth] = words.map(({ detail }) => detail);
  expect(new Set([first, second, third]).size).toBe(3);
  expect(fourth).toBe(third);
});

test("limits sign-ins to ten per minute and address [S-53]", async () => {
  const statuses: number[] = [];
  for (let tried = 0; tried < 11; tried += 1) statuses.push((await signIn("skh_wrong")).status);
  expect(statuses).toEqual([...Array(10).fill(401), 429]);
  const late = await signIn(await codeFor());
  expect([late.status, late.headers.get("retry-after")]).toEqual([429, "6"]);
  now = new Date(now.getTime() + 6000);
  expect((await signIn(await codeFor())).status).toBe(200);
  expect((await signIn(await codeFor())).status).toBe(429);
});

test("trusts a forwarded address only from a proxy [S-53]", async () => {
  const options = { ...gateway.context.options, isTls: true };
  const proxied = openGateway({ ...gateway.context, options });
  const tryAs = async (app: Parameters<typeof ask>[0], forwarded: string) => {
    const headers = { "x-forwarded-for": forwarded };
    return (await ask(app, "POST", "/v1/sign-in", { body: { code: "x" }, headers })).status;
  };
  try {
    for (let tried = 0; tried < 10; tried += 1) {
      // The client sent the first address itself.
      expect(await tryAs(proxied, `198.51.100.${tried}, 203.0.113.7`)).toBe(401);
      expect(await tryAs(gateway, `203.0.113.${tried}`)).toBe(401);
    }
    expect(await tryAs(proxied, "198.51.100.99, 203.0.113.7")).toBe(429);
    expect(await tryAs(proxied, "203.0.113.8")).toBe(401);
    expect(await tryAs(gateway, "203.0.113.99")).toBe(429);
  } finally {
    await proxied.close();
  }
});

test("rejects a sign-in from another origin [S-53]", async () => {
  const code = await codeFor();
  expect((await signIn(code, { origin: "http://evil.test" })).status).toBe(403);
  expect((await signIn(code, { "sec-fetch-site": "cross-site" })).status).toBe(403);
  const form = await gateway.app.request("http://gateway.test:7878/v1/sign-in", {
    method: "POST",
    headers: { host: "gateway.test:7878", "content-type": "text/plain" },
    body: JSON.stringify({ code }),
  });
  expect(form.status).toBe(415);
  expect((await signIn(code)).status).toBe(200);
});

test.each(["/", "/sign-in"])(
  "the page %s runs only its own script and loads no files [S-53]",
  async (path) => {
    const response = await ask(gateway, "GET", path);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const html = await response.text();
    const policy = response.headers.get("content-security-policy") ?? "";
    for (const [name, kind] of [
      ["script", "script-src"],
      ["style", "style-src"],
    ] as const) {
      const [, text = ""] = new RegExp(`<${name}>(.*?)</${name}>`, "s").exec(html) ?? [];
      expect(policy).toContain(`${kind} 'sha256-${hash("sha256", text, "base64")}';`);
    }
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|http/);
    expect(html).not.toMatch(/(src|href)="(?!\/reference"|data:,")/);
    expect(html).not.toMatch(/\son\w+=/);
  },
);

test("pages open from any link, on this host only [S-53]", async () => {
  const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
  for (const path of ["/", "/sign-in"]) {
    const statusWith = async (headers: Readonly<Record<string, string>>) =>
      (await ask(gateway, "GET", path, { headers })).status;
    expect(await statusWith(link)).toBe(200);
    expect(await statusWith({ ...link, host: "evil.test" })).toBe(403);
    expect(await statusWith({ ...link, "sec-fetch-dest": "iframe" })).toBe(403);
    expect(await statusWith({ "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" })).toBe(403);
    expect(await statusWith({ origin: "http://evil.test" })).toBe(403);
    expect((await ask(gateway, "HEAD", path)).status).toBe(200);
  }
});

test("lists a browser session, which an administrator can end [S-53]", async () => {
  const signedIn = await signIn(await codeFor("ann"));
  const [cookie = ""] = signedIn.headers.get("set-cookie")?.split("; ") ?? [];
  const { csrf } = routeTable.signIn.answer.parse(await signedIn.json());
  const me = () => ask(gateway, "GET", "/v1/me", { headers: { cookie, "x-skillhold-csrf": csrf } });
  expect((await me()).status).toBe(200);
  const headers = await gateway.asRole("admin", "root");
  const list = await ask(gateway, "GET", "/v1/tokens", { headers });
  const { tokens } = routeTable.listTokens.answer.parse(await list.json());
  // Of two that were made in the same millisecond, either may stand first.
  const kindOf = new Map(tokens.map(({ kind, user }) => [user, kind]));
  expect(kindOf).toEqual(
    new Map([
      ["ann", "session"],
      ["root", "api"],
    ]),
  );
  const session = tokens.find(({ kind }) => kind === "session");
  await ask(gateway, "DELETE", `/v1/tokens/${session?.id}`, { headers });
  expect((await me()).status).toBe(401);
});
