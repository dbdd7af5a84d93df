import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { ann, checkAccessible, excuse, openConsole, openPrintedLink, settled } from "./browser.ts";

const skills = { "weekly-report": {}, "house-style": {} };

test("a sign-in link leads to the skills, a skill and the sign-out [S-59]", async () => {
  const visitor = await openConsole({ skills, who: ann, link: "new" });
  const { page, gateway } = visitor;
  expect(page.url()).toBe(`${gateway.url}/skills`);
  await page.getByText("Live", { exact: true }).first().waitFor();
  await page.getByRole("link", { name: "weekly-report" }).click();
  await page.getByRole("heading", { name: /weekly-report/, level: 1 }).waitFor();
  expect(page.url()).toBe(`${gateway.url}/skills/weekly-report`);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in to Skillhold" }).waitFor();
  await checkAccessible(page);
  expect(await page.getByRole("link", { name: "weekly-report" }).count()).toBe(0);
  await page.goto(`${gateway.url}/skills/weekly-report`);
  await page.getByRole("heading", { name: "Sign in to Skillhold" }).waitFor();
  excuse(visitor, /401/);
});

test("leads to the sign-in on the next action after the session has ended [S-59]", async () => {
  const visitor = await openConsole({ skills, who: ann });
  const { page, context } = visitor;
  await settled(page);
  await context.clearCookies();
  await page.keyboard.press("g");
  await page.keyboard.press("e");
  await page.getByRole("heading", { name: "Sign in to Skillhold" }).waitFor();
  excuse(visitor, /401/);
});

test("the printed link signs the administrator in and leaves no code in the browser [S-53] [S-59]", async () => {
  const { page, link = "" } = await openPrintedLink();
  await page.getByText("ann · admin").first().waitFor();
  const code = new URL(link).hash.slice(1);
  expect(code).not.toBe("");
  const kept: unknown = await page.evaluate(
    "JSON.stringify({ ...localStorage, ...sessionStorage, at: location.href })",
  );
  expect(kept).not.toContain(code);
  expect(await page.evaluate("document.cookie")).toBe("");
});

test("reloads an open page that a newer gateway has no files for, at the requested address [S-59]", async () => {
  const visitor = await openConsole({ skills });
  const { page, gateway } = visitor;
  const gone: string[] = [];
  await page.route(/\/assets\/settings-[^/]*\.js$/, async (route) => {
    gone.push(route.request().url());
    if (gone.length > 1) await route.continue();
    else await route.fulfill({ status: 404, body: "" });
  });
  await settled(page);
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
  expect(page.url()).toBe(`${gateway.url}/settings`);
  expect(gone).toHaveLength(2);
  excuse(visitor, /404.*settings-|dynamically imported/);
});

test("keeps the page without the gateway, and loads a missing view when it is back [S-59]", async () => {
  const visitor = await openConsole({ skills });
  const { page, context } = visitor;
  await settled(page);
  await context.setOffline(true);
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByText("Reconnecting").first().waitFor();
  await page.getByRole("status", { name: "Loading" }).first().waitFor();
  // The browser reports what it could not reach.
  await expect.poll(() => visitor.complaints.length).toBeGreaterThan(0);
  await context.setOffline(false);
  await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
  excuse(visitor, /ERR_INTERNET_DISCONNECTED|dynamically imported/);
});

const BUDGET = 150_000;
const dist = new URL("../../packages/console/dist/", import.meta.url);
const read = (path: string) => readFileSync(fileURLToPath(new URL(`.${path}`, dist)), "utf8");

/** What a browser fetches before it can show anything: what the page names, and what that imports at once. */
function firstFiles(): ReadonlySet<string> {
  const found = new Set(["/index.html"]);
  for (const path of found) {
    const text = read(path);
    const isPage = path.endsWith(".html");
    const pattern = isPage ? /(?:src|href)="(\/[^"]+)"/g : /(?:\bfrom|\bimport)\s*"(\.\/[^"]+\.js)"/g;
    for (const [, name = ""] of text.matchAll(pattern))
      found.add(isPage ? name : new URL(name, `http://console${path}`).pathname);
  }
  return found;
}

test("the built first view is within its budget [S-59]", () => {
  const files = [...firstFiles()];
  expect(files.some((path) => path.endsWith(".css"))).toBe(true);
  const sizes = files.map((path) => gzipSync(read(path), { level: 9 }).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(BUDGET);
});

test("the first view's downloads are within the budget, and the next visit downloads no file [S-59]", async () => {
  const { page, gateway, context } = await openConsole({ skills: { one: {} } });
  const visit = async (fresh: typeof page) => {
    const network = await context.newCDPSession(fresh);
    await network.send("Network.enable");
    const paths = new Map<string, string>();
    const sizes = new Map<string, number>();
    network.on("Network.requestWillBeSent", ({ requestId, request }) =>
      paths.set(requestId, new URL(request.url).pathname),
    );
    network.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      const path = paths.get(requestId) ?? "";
      if (encodedDataLength > 0 && !path.startsWith("/v1/")) sizes.set(path, encodedDataLength);
    });
    await fresh.goto(`${gateway.url}/skills`);
    await fresh.getByRole("link", { name: "one" }).waitFor();
    await settled(fresh);
    return sizes;
  };
  await (await context.newCDPSession(page)).send("Network.clearBrowserCache");
  const first = await visit(page);
  expect([...first.keys()]).toContain("/skills");
  expect([...first.keys()].filter((path) => path.startsWith("/assets/")).length).toBeGreaterThan(1);
  expect([...first.values()].reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(BUDGET);
  const second = await visit(await context.newPage());
  expect([...second.keys()].filter((path) => path.startsWith("/assets/"))).toEqual([]);
});
