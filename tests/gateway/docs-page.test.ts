import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildDocs } from "../build-docs.ts";
import { ask, openTestGateway, problemOf, type TestGateway } from "./gateway.fixture.ts";

let docs: string;
let gateway: TestGateway;
beforeAll(async () => {
  docs = join(await mkdtemp(join(tmpdir(), "skillhold-docs-page-")), "site");
  buildDocs(docs);
  gateway = await openTestGateway({ docs });
});
afterAll(async () => {
  await gateway.close();
  await rm(dirname(docs), { recursive: true, force: true });
});

const get = (path: string) => ask(gateway, "GET", path);

test("the gateway serves the documents with their search to anyone [S-72]", async () => {
  const moved = await get("/docs");
  expect([moved.status, moved.headers.get("location")]).toEqual([308, "/docs/"]);
  for (const [path, type, text] of [
    ["/docs/", "text/html", "<title>Skillhold"],
    ["/docs/start/", "text/html", "Agent developer"],
    ["/docs/guide/operations.html", "text/html", "Backup and restore"],
    ["/docs/search.json", "application/json", "backup"],
    ["/docs/search.js", "text/javascript", "search.json"],
    ["/docs/site.css", "text/css", "main"],
  ] as const) {
    const response = await get(path);
    expect([path, response.status]).toEqual([path, 200]);
    expect(response.headers.get("content-type")).toContain(type);
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(await response.text()).toContain(text);
  }
});

test("no path below the documents leaves their folder [S-72]", async () => {
  for (const path of [
    "/docs/nothing.html",
    "/docs/..%2f..%2fpackage.json",
    "/docs/%2e%2e/secret",
    "/docs//etc/passwd",
  ]) {
    const response = await get(path);
    expect([path, response.status]).not.toEqual([path, 200]);
    expect(await problemOf(response)).toMatchObject({ code: expect.stringMatching(/^(?!INTERNAL)/) });
  }
});

test("a gateway without rendered documents says how to render them [S-72]", async () => {
  const bare = await openTestGateway();
  const response = await ask(bare, "GET", "/docs/");
  expect(await problemOf(response)).toMatchObject({
    code: "ROUTE_NOT_FOUND",
    hint: expect.stringContaining("npm run docs"),
  });
  await bare.close();
});
