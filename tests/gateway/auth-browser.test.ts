import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { issueToken } from "@skillhold/registry/token";
import axe from "axe-core";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { sharedBrowser } from "../console/shared-browser.ts";
import { openTestPort, type TestPort } from "./port.fixture.ts";

const by = { user: "root", role: "admin" } as const;
let port: TestPort;
let evil: Server;
let evilOrigin: string;
beforeAll(async () => {
  evil = createServer((_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>evil</title><p>evil");
  });
  await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", resolve));
  // A TCP server has an AddressInfo.
  evilOrigin = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`;
});
afterAll(() => void evil.close());

let context: BrowserContext;
let page: Page;
let complaints: string[];
beforeEach(async () => {
  port = await openTestPort();
  context = await (await sharedBrowser()).newContext();
  page = await context.newPage();
  complaints = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
});
afterEach(async () => {
  await context.close();
  await port.close();
});

async function signIn(): Promise<void> {
  const spec = { kind: "sign-in", name: "me", role: "admin" } as const;
  const { secret } = await issueToken(spec, { by }, port.gateway.registry);
  await page.goto(`${port.origin}/sign-in#${secret}`);
  await page.waitForURL(`${port.origin}/`);
  await page.getByText("You are signed in as root, with the role admin.").waitFor();
}

test("a sign-in link signs a browser in without leaving its code in the history [S-53]", async () => {
  await signIn();
  const [cookie, ...others] = await context.cookies();
  expect(others).toEqual([]);
  expect(cookie).toMatchObject({
    name: expect.stringMatching(/^skillhold-\d+$/),
    httpOnly: true,
    sameSite: "Strict",
    path: "/",
  });
  expect(await page.evaluate("document.cookie")).toBe("");
  await page.goBack().catch(() => {});
  expect(page.url()).not.toContain("#");
  await page.goto(`${port.origin}/`);
  const [reference] = await Promise.all([
    page.waitForResponse(`${port.origin}/reference`),
    page.getByRole("link", { name: "The reference" }).click(),
  ]);
  expect(reference.status()).toBe(200);
  await page.goto(`${port.origin}/openapi.json`);
  expect(await page.evaluate("document.body.innerText")).toContain('"openapi"');
  expect(complaints).toEqual([]);
});

test("a sign-in link from another page asks before it changes the user [S-53]", async () => {
  await signIn();
  const spec = { kind: "sign-in", name: "theirs", role: "viewer", user: "eve" } as const;
  const { secret } = await issueToken(spec, { by }, port.gateway.registry);
  await page.goto(evilOrigin);
  await page.evaluate(`location.assign("${port.origin}/sign-in#${secret}")`);
  const exchange = page.getByRole("button", { name: "Sign in with this link" });
  await exchange.waitFor();
  await page.getByText("You are signed in as root.").waitFor();
  expect(page.url()).toBe(`${port.origin}/sign-in`);
  await exchange.click();
  await page.getByText("You are signed in as eve, with the role viewer.").waitFor();
  expect(complaints).toEqual([]);
});

test("explains an invalid and a missing sign-in code [S-53]", async () => {
  await page.goto(`${port.origin}/sign-in#skh_wrong<img src=x onerror=alert(1)>`);
  await page.getByText("This sign-in link was not issued by the store of this gateway.").waitFor();
  await page.getByText("skillhold token sign-in").waitFor();
  expect(page.url()).toBe(`${port.origin}/sign-in`);
  await page.goto("about:blank");
  await page.goto(`${port.origin}/sign-in`);
  await page.getByText("This URL has no sign-in code.").waitFor();
  expect(await context.cookies()).toEqual([]);
});

test.each(["light", "dark"] as const)("pages are accessible in %s mode [S-53]", async (colorScheme) => {
  await page.emulateMedia({ colorScheme });
  for (const path of ["/", "/sign-in"]) {
    await page.goto(`${port.origin}${path}`);
    // The policy of the page lets no script of a test in but by evaluation.
    await page.evaluate(axe.source);
    const found: unknown = await page.evaluate(
      "axe.run().then(({ violations }) => violations.map(({ id }) => id))",
    );
    expect(found).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  }
  expect(complaints.filter((text) => !text.includes("401"))).toEqual([]);
});

const attacks = {
  "reads without cors": `fetch(target + "/v1/me", { mode: "no-cors", credentials: "include" })`,
  "reads with cors": `fetch(target + "/v1/me", { credentials: "include" })`,
  "reads with the header": `fetch(target + "/v1/me", { credentials: "include", headers: { "x-skillhold-csrf": "x" } })`,
  "posts text": `fetch(target + "/v1/tokens", { method: "POST", mode: "no-cors", credentials: "include", body: "{}" })`,
  "posts JSON": `fetch(target + "/v1/tokens", { method: "POST", credentials: "include", headers: { "content-type": "application/json" }, body: "{}" })`,
  deletes: `fetch(target + "/v1/skills/pdf", { method: "DELETE", credentials: "include" })`,
  "opens a socket": `new Promise((resolve, reject) => { const socket = new WebSocket(target.replace("http", "ws") + "/ws"); socket.onopen = resolve; socket.onerror = reject; })`,
  "loads an image": `new Promise((resolve, reject) => { const image = new Image(); image.onload = resolve; image.onerror = reject; image.src = target + "/v1/me"; })`,
  "loads a script": `new Promise((resolve, reject) => { const script = document.createElement("script"); script.onload = resolve; script.onerror = reject; script.src = target + "/openapi.json"; document.head.append(script); })`,
  "loads a frame": `new Promise((resolve, reject) => { const frame = document.createElement("iframe"); frame.onload = () => { try { resolve(frame.contentDocument.body.innerText); } catch (error) { reject(error); } }; frame.src = target + "/reference"; document.body.append(frame); })`,
} as const;

/** `127.0.0.1` at another port is the same site, and gets the cookies; `localhost` is another one. */
test.each(["same site", "another site"])("a page of %s cannot use a session [S-53]", async (where) => {
  await signIn();
  const answered: [string, number][] = [];
  page.on("response", (response) => {
    if (response.url().startsWith(port.origin)) answered.push([response.url(), response.status()]);
  });
  await page.goto(where === "same site" ? evilOrigin : evilOrigin.replace("127.0.0.1", "localhost"));
  for (const [name, attack] of Object.entries(attacks)) {
    const outcome: unknown = await page.evaluate(
      `(async () => { const target = ${JSON.stringify(port.origin)}; try { const got = await ${attack}; return got?.type === "opaque" ? "opaque" : "got " + (typeof got === "string" ? got : JSON.stringify(got)); } catch { return "refused"; } })()`,
    );
    expect([name, outcome]).toEqual([name, expect.stringMatching(/^(refused|opaque)$/)]);
  }
  expect(answered.filter(([, status]) => status < 400)).toEqual([]);
  expect(answered.length).toBeGreaterThan(0);
});

test("rejects a form from another origin [S-53]", async () => {
  await signIn();
  await page.goto(evilOrigin);
  const posted = page.waitForResponse(`${port.origin}/v1/sign-out`);
  await page.evaluate(
    `const form = document.createElement("form"); form.method = "post"; form.action = "${port.origin}/v1/sign-out"; document.body.append(form); form.submit();`,
  );
  expect((await posted).status()).toBe(403);
  await page.waitForURL(`${port.origin}/v1/sign-out`);
  await page.goto(`${port.origin}/`);
  await page.getByText("You are signed in as root").waitFor();
});
