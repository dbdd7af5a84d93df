import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openGateway } from "@skillhold/gateway";
import { type Route, routeTable } from "@skillhold/protocol/http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, HOST, openTestGateway, problemOf, putSkill, type TestGateway } from "./gateway.fixture.ts";

type Headers = Readonly<Record<string, string>>;
const CANARY = "canary-7f3a";
let gateway: TestGateway;
let admin: Headers;
let passed = 0;
beforeAll(async () => {
  gateway = await openTestGateway({ clock: { now: () => new Date(Date.now() + passed) } });
  admin = await gateway.asRole("admin", "root");
  await putSkill(gateway, "pdf", "root");
  await writeFile(join(gateway.folder, "canary"), CANARY);
});
afterAll(() => gateway.close());

const rows: readonly (readonly [string, Route])[] = Object.entries(routeTable);
const withParams = rows.filter(([, { path }]) => path.includes("{"));
const withJson = rows.filter(([, { body }]) => body !== undefined && body !== "archive");
const honest: Readonly<Record<string, string>> = { id: "pdf", kind: "user", path: "SKILL.md" };
const uuid = "00000000-0000-4000-8000-000000000000";

/** Advances the clock between requests, so that the sign-in rate limit does not apply. */
function goOn(): void {
  passed += 6000;
}

/** The URL of a row with one hostile parameter. */
function addressWith({ path }: Route, part: string, value: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === part ? value : (honest[name] ?? uuid)));
}

/** Sends raw bytes, as a hostile client may. */
async function sendBody(row: Route, body: string | ReadableStream<Uint8Array>, more: Headers = {}) {
  goOn();
  return await gateway.app.request(`http://${HOST}${addressWith(row, "", "")}`, {
    method: row.method,
    headers: { ...admin, "content-type": "application/json", ...more },
    body,
    duplex: "half",
  } as RequestInit);
}

const paths = [
  "..%2f..%2f..%2fcanary",
  "%2e%2e%2f%2e%2e%2fcanary",
  "%252e%252e%252fcanary",
  "%25252e%25252e%25252fcanary",
  "..%5c..%5ccanary",
  "..%255ccanary",
  "%c0%ae%c0%ae%c0%afcanary",
  "%ef%bc%8e%ef%bc%8e%ef%bc%8fcanary",
  "%e2%80%ae..%2fcanary",
  "canary%00.md",
  "%00",
  "%2fetc%2fpasswd",
  "C:%5cWindows%5cwin.ini",
  "file:%2f%2f%2fetc%2fpasswd",
  "~%2f.ssh%2fid_rsa",
  "....%2f%2fcanary",
  ".%2f.%2f..%2fcanary",
  "%2e",
  "%",
  "%zz",
  "%ff%fe",
  "SKILL.md%2f..%2f..%2fcanary",
  "__proto__",
  "constructor%0d%0aset-cookie:%20a=b",
  "%0d%0a%0d%0aHTTP%2f1.1%20200%20OK",
  "a".repeat(5000),
  "'%20or%201=1%20--",
  "%F0%9F%92%A9",
];

describe.each(withParams)("a path of %s", (_operation, row) => {
  const parts = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  test.each(parts)("cannot be escaped by its {%s} [S-53]", async (part) => {
    for (const path of paths) {
      const body = row.method === "PUT" || row.method === "POST" ? { body: {} } : {};
      const response = await ask(gateway, row.method, addressWith(row, part, path), {
        headers: admin,
        ...body,
      });
      const text = await response.text();
      expect([path, response.status, text.includes(CANARY)]).toEqual([path, expect.any(Number), false]);
      expect([path, response.status]).not.toEqual([path, expect.toSatisfy((status) => status >= 500)]);
      expect([path, response.headers.get("set-cookie")]).toEqual([path, null]);
      // Names of users and agents may be any text, and these parameters have a fixed format.
      if (["id", "token", "path"].includes(part))
        expect([path, response.status]).toEqual([path, expect.toSatisfy((status) => status >= 400)]);
    }
  });
});

describe.each(withJson)("the body of %s", (_operation, row) => {
  test("cannot pollute prototypes [S-53]", async () => {
    for (const body of [
      '{"__proto__":{"polluted":1}}',
      '{"\\u005f_proto__":{"polluted":1}}',
      '{"a":[{"b":{"__proto__":{"polluted":1}}}]}',
      '{"constructor":{"prototype":{"polluted":1}}}',
      '{"pins":{"__proto__":{"polluted":1}}}',
      '{"toString":1,"valueOf":2,"hasOwnProperty":3}',
    ]) {
      const { status } = await sendBody(row, body);
      expect([body, status]).toEqual([body, expect.toSatisfy((code) => code >= 400 && code < 500)]);
    }
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  test("is limited in size, whatever content-length says [S-53]", async () => {
    const large = `{"name":"${"x".repeat(1024 * 1024)}"}`;
    expect((await sendBody(row, large)).status).toBe(413);
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(0x20));
      },
    });
    expect((await sendBody(row, endless)).status).toBe(413);
    expect(sent).toBeLessThan(4 * 1024 * 1024);
    expect((await sendBody(row, "{}", { "content-length": "9999999999" })).status).toBe(413);
  });

  test("must be valid JSON of the expected shape [S-53]", async () => {
    for (const deep of [
      "[".repeat(500_000),
      `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
      '{"a":'.repeat(100_000),
    ])
      expect((await sendBody(row, deep)).status).toBe(400);
    for (const body of [
      "{",
      "{'a':1}",
      "\u0000",
      "NaN",
      '{"a":1}{"b":2}',
      "null",
      "[]",
      '"text"',
      "1",
      "true",
    ])
      expect([body, (await sendBody(row, body)).status]).toEqual([body, 400]);
    const bytes = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]));
        controller.close();
      },
    });
    expect((await sendBody(row, bytes)).status).toBe(400);
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/jsonp",
      "text/json",
      "",
    ])
      expect([type, (await sendBody(row, "{}", { "content-type": type })).status]).toEqual([type, 415]);
  });
});

test("every route rejects repeated and unknown query parameters [S-53]", async () => {
  for (const [operation, row] of rows) {
    const address = addressWith(row, "", "");
    for (const query of [
      "agent=a&agent=b",
      "limit=1&limit=2",
      "__proto__=x",
      "constructor=x",
      "toString=x",
      "a[b]=c",
    ]) {
      goOn();
      const response = await ask(gateway, row.method, `${address}?${query}`, { headers: admin });
      expect([operation, query, (await problemOf(response)).code]).toEqual([operation, query, "USAGE"]);
    }
  }
});

test("ignores method overrides in headers and queries [S-53]", async () => {
  for (const name of ["x-http-method-override", "x-http-method", "x-method-override"])
    for (const method of ["GET", "POST"]) {
      const response = await ask(gateway, method, "/v1/skills/pdf", {
        headers: { ...admin, [name]: "DELETE" },
      });
      expect(response.status).toBe(method === "GET" ? 200 : 405);
    }
  expect((await ask(gateway, "GET", "/v1/skills/pdf?_method=DELETE", { headers: admin })).status).toBe(400);
  expect((await gateway.registry.store.findSkill("pdf"))?.status).toBe("active");
});

test("rejects absolute request targets for other hosts [S-53]", async () => {
  const misleading = {
    "x-original-url": "/healthz",
    "x-rewrite-url": "/healthz",
    "x-forwarded-host": HOST,
    "x-forwarded-proto": "https",
    forwarded: `host=${HOST}`,
    "x-host": HOST,
  };
  expect((await ask(gateway, "GET", "/v1/me", { headers: misleading })).status).toBe(401);
  expect(
    (await ask(gateway, "GET", "/v1/me", { headers: { ...admin, ...misleading, host: "evil.test" } })).status,
  ).toBe(403);
});

test("sends no CORS permission to other origins [S-53]", async () => {
  for (const origin of ["http://evil.test", "null", `http://${HOST}`, `http://${HOST}.evil.test`]) {
    const preflight = {
      origin,
      "access-control-request-method": "DELETE",
      "access-control-request-headers": "authorization, x-skillhold-csrf",
    };
    for (const [method, path] of [
      ["OPTIONS", "/v1/skills/pdf"],
      ["OPTIONS", "/v1/sign-in"],
      ["GET", "/v1/me"],
      ["GET", "/healthz"],
      ["GET", "/sign-in"],
    ] as const) {
      const response = await ask(gateway, method, path, { headers: { ...admin, ...preflight } });
      const shared = [...response.headers.keys()].filter((name) => name.startsWith("access-control"));
      expect([origin, path, shared]).toEqual([origin, path, []]);
    }
  }
});

test("an internal error discloses only the request id [S-53]", async () => {
  const log: object[] = [];
  const listUsers = () => Promise.reject(new Error(`${CANARY} at ${gateway.folder}`));
  const store = { ...gateway.registry.store, listUsers };
  const broken = openGateway({
    ...gateway.context,
    registry: { ...gateway.registry, store },
    log: (entry) => void log.push(entry),
  });
  try {
    const response = await ask(broken, "GET", "/v1/users", { headers: admin });
    const text = await response.text();
    expect(response.status).toBe(500);
    for (const word of [CANARY, gateway.folder, "Error:", "    at ", ".ts"]) expect(text).not.toContain(word);
    const requestId = response.headers.get("x-request-id");
    expect(JSON.parse(text)).toMatchObject({ code: "INTERNAL", requestId });
    expect(log).toContainEqual(expect.objectContaining({ event: "request.failed", requestId }));
  } finally {
    await broken.close();
  }
});

test("ignores a request id from the client [S-53]", async () => {
  const headers = { ...admin, "x-request-id": "mine\tmine" };
  const response = await ask(gateway, "GET", "/v1/me", { headers });
  expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
});

test("every response is private and not renderable as a page [S-53]", async () => {
  for (const [, row] of rows) {
    const response = await ask(gateway, row.method, `${addressWith(row, "", "")}?nothing=1`, {
      headers: admin,
    });
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(response.headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(response.headers.get("cache-control")).toMatch(/no-store|private/);
  }
});
