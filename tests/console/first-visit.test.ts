import { expect, test } from "vitest";
import { checkAccessible, excuse, openConsole, settled } from "./browser.ts";

const skills = { "weekly-report": {}, "house-style": {} };

test("a link leads to the skills, a skill and out again [S-59]", async () => {
  const visitor = await openConsole({ skills });
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

test("whose session ends meanwhile is led to sign in again, on whatever they do next [S-59]", async () => {
  const visitor = await openConsole({ skills });
  const { page, context } = visitor;
  await settled(page);
  await context.clearCookies();
  await page.keyboard.press("g");
  await page.keyboard.press("e");
  await page.getByRole("heading", { name: "Sign in to Skillhold" }).waitFor();
  excuse(visitor, /401/);
});

test("nothing of the code that signed someone in is left in the browser [S-53] [S-59]", async () => {
  const { page, gateway } = await openConsole();
  const code = new URL(gateway.signIn ?? "").hash.slice(1);
  const kept: unknown = await page.evaluate(
    "JSON.stringify({ ...localStorage, ...sessionStorage, at: location.href })",
  );
  expect(kept).not.toContain(code);
  expect(await page.evaluate("document.cookie")).toBe("");
});

test("an open page that a newer gateway has no files for is loaded anew, where one was going [S-59]", async () => {
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
