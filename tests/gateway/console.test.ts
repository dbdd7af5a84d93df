import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, openTestGateway, problemOf, type TestGateway } from "./gateway.fixture.ts";

const html = '<!doctype html><title>Console</title><script type="module" src="/assets/app-1a2b.js"></script>';
const script = `export const words = "${"console ".repeat(500)}";\n`;
const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

let folder: string;
let gateway: TestGateway;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "skillhold-console-"));
  await mkdir(join(folder, "built", "assets"), { recursive: true });
  await writeFile(join(folder, "secret.txt"), "not part of the console");
  const files = { "index.html": html, "icon.svg": "<svg/>", "assets/app-1a2b.js": script, "odd name": "x" };
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, "built", path), text);
  await symlink(join(folder, "secret.txt"), join(folder, "built", "assets", "link.txt"));
  gateway = await openTestGateway({ console: join(folder, "built") });
});
afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true, force: true });
});

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  ask(gateway, "GET", path, { headers });

describe("views", () => {
  test.each(["/", "/skills", "/skills/pdf/files/scripts/a.py?revision=2", "/nothing-like-it", "/v1x/y"])(
    "%s serves the console page [S-59]",
    async (path) => {
      const response = await get(path, browser);
      expect([response.status, await response.text()]).toEqual([200, html]);
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(response.headers.get("cache-control")).toBe("no-cache");
    },
  );

  test.each([
    "/v1/nothing",
    "/v1",
    "/ws",
    "/mcp",
    "/mcp/x",
    "/metrics/x",
    "/openapi.json/x",
    "/reference/x",
    "/sign-in/x",
    "/healthz/x",
    "/readyz/x",
    "/.well-known/x",
    "/assets/gone-9z.js",
    "/assets/",
  ])("%s is none, even for a browser [S-59]", async (path) => {
    const response = await get(path, browser);
    expect((await problemOf(response)).code).not.toBe("INTERNAL");
    expect(response.status).toBeGreaterThanOrEqual(401);
  });

  test("a request without text/html gets no page [S-59]", async () => {
    for (const accept of ["*/*", "application/json", "text/html2", ""])
      expect((await problemOf(await get("/skills", { accept }))).code).toBe("ROUTE_NOT_FOUND");
    expect((await get("/", { accept: "*/*" })).status).toBe(200);
  });

  test("reject POST, and HEAD has no body [S-59]", async () => {
    expect((await ask(gateway, "POST", "/skills", { headers: browser })).status).toBe(404);
    expect((await ask(gateway, "POST", "/", { headers: browser })).status).toBe(405);
    const head = await ask(gateway, "HEAD", "/skills", { headers: browser });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  test("open from any link, on this host only [S-53] [S-59]", async () => {
    const link = {
      ...browser,
      "sec-fetch-site": "cross-site",
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": "document",
    };
    for (const path of ["/", "/skills", "/assets/app-1a2b.js"]) {
      expect((await get(path, link)).status).toBe(200);
      expect((await get(path, { ...link, host: "evil.test" })).status).toBe(403);
      expect((await get(path, { ...link, "sec-fetch-dest": "iframe" })).status).toBe(403);
      expect((await get(path, { ...browser, origin: "http://evil.test" })).status).toBe(403);
      const script = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };
      expect((await get(path, { ...browser, ...script })).status).toBe(403);
    }
  });
});

describe("files", () => {
  test("with hashed names are cached for a year, and others are revalidated [S-59]", async () => {
    const asset = await get("/assets/app-1a2b.js");
    expect(await asset.text()).toBe(script);
    expect(asset.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    const icon = await get("/icon.svg");
    expect(icon.headers.get("content-type")).toBe("image/svg+xml");
    expect(icon.headers.get("cache-control")).toBe("no-cache");
    const tag = icon.headers.get("etag") ?? "";
    const again = await get("/icon.svg", { "if-none-match": tag });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect((await get("/icon.svg", { "if-none-match": '"another"' })).status).toBe(200);
  });

  test.each([
    ["br, gzip", "br"],
    ["gzip, deflate", "gzip"],
    ["gzip;q=1.0, br;q=0", "gzip"],
    ["GZIP", "gzip"],
    ["deflate", null],
    ["gzip;q=0.0, br; q=0", null],
    ["", null],
  ])("with accept-encoding %j are packed as %s [S-59]", async (accepted, packed) => {
    const response = await get("/assets/app-1a2b.js", { "accept-encoding": accepted });
    expect(response.headers.get("content-encoding")).toBe(packed);
    expect(response.headers.get("vary")).toBe("accept-encoding");
    const bytes = Buffer.from(await response.arrayBuffer());
    const plain = packed === "br" ? brotliDecompressSync(bytes) : packed ? gunzipSync(bytes) : bytes;
    expect(plain.toString()).toBe(script);
    expect(bytes.length < script.length / 2).toBe(packed !== null);
  });

  test("that are small are not compressed [S-59]", async () => {
    const response = await get("/icon.svg", { "accept-encoding": "br" });
    expect(response.headers.get("content-encoding")).toBeNull();
  });

  test("are only the built files, for any path [S-59]", async () => {
    expect(await (await get("/odd%20name")).text()).toBe("x");
    for (const path of [
      "/assets/link.txt",
      "/assets/../../secret.txt",
      "/assets/..%2f..%2fsecret.txt",
      "/assets/%2e%2e/%2e%2e/secret.txt",
      "/%2e%2e/secret.txt",
      "//secret.txt",
      "/assets%2fapp-1a2b.js",
      "/assets\\app-1a2b.js%00",
      "/__proto__",
      "/constructor",
    ]) {
      const text = await (await get(path)).text();
      expect(text).not.toContain("not part");
      expect(text).toMatch(/ROUTE_NOT_FOUND|console console/);
    }
  });

  test("do not change after the gateway started [S-59]", async () => {
    const built = await mkdtemp(join(folder, "again-"));
    await writeFile(join(built, "index.html"), "first");
    const other = await openTestGateway({ console: built });
    await writeFile(join(built, "index.html"), "second");
    expect(await (await ask(other, "GET", "/")).text()).toBe("first");
    await other.close();
  });
});

test("every response allows only the console's own scripts [S-59]", async () => {
  for (const path of ["/", "/skills", "/icon.svg", "/assets/app-1a2b.js"]) {
    const { headers } = await get(path, browser);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy.split("; ")).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "img-src 'self' data: blob:",
      "font-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
  }
});

test("without a console, only the root has a page [S-59]", async () => {
  const bare = await openTestGateway();
  const root = await ask(bare, "GET", "/", { headers: browser });
  expect(await root.text()).toContain("A Skillhold gateway runs here");
  expect((await ask(bare, "GET", "/skills", { headers: browser })).status).toBe(404);
  await bare.close();
});

test("rejects a console folder without index.html at the start [S-59]", async () => {
  await expect(openTestGateway({ console: join(folder, "built", "assets") })).rejects.toThrow("index.html");
});
