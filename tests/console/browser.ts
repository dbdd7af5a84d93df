import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, expect } from "vitest";
import {
  type ConsoleOptions,
  ConsoleScene,
  type Home,
  launchBrowser,
  type OpenedConsole,
  settled,
  type Visitor,
} from "./console-scene.ts";

export { ann, settled } from "./console-scene.ts";
export { skillText, zipOf } from "./skill-zip.ts";

let browser: Browser | undefined;
/** The gateway that the tests of a file share: each has skills and agents of its own there. */
let scene: ConsoleScene | undefined;
let home: Home | undefined;
/** What goes away with the test. */
let own: ConsoleScene | undefined;
let visitors: Visitor[] = [];

/**
 * Opens a separate page for a test, at the shared gateway of the file. The test fails if the browser complains.
 * Contract: called once, in a test, whose skills and users have names that no other test of the file uses.
 */
export async function openConsole(options: ConsoleOptions = {}): Promise<OpenedConsole> {
  scene ??= new ConsoleScene(await theBrowser());
  home ??= await scene.serve();
  return await watched(scene, home, options);
}

/** The same at a separate gateway, for a test that needs an empty one. */
export async function openOwnConsole(options: ConsoleOptions = {}): Promise<OpenedConsole> {
  own = new ConsoleScene(await theBrowser());
  return await watched(own, await own.serve(options), options);
}

/** In a browser that has never been there, by the link that a gateway of its own prints. */
export async function openPrintedLink(): Promise<Visitor> {
  own = new ConsoleScene(await theBrowser());
  const visitor = await own.openPrinted();
  visitors.push(visitor);
  return visitor;
}

async function theBrowser(): Promise<Browser> {
  browser ??= await launchBrowser();
  return browser;
}

async function watched(at: ConsoleScene, from: Home, options: ConsoleOptions): Promise<OpenedConsole> {
  const opened = await at.open(from, options);
  visitors.push(opened);
  return {
    ...opened,
    visit: async (more) => {
      const visitor = await opened.visit(more);
      visitors.push(visitor);
      return visitor;
    },
  };
}

afterEach(async () => {
  const complaints = visitors.flatMap((visitor) => visitor.complaints);
  await Promise.all(visitors.map(leave));
  visitors = [];
  await own?.close();
  own = undefined;
  expect(complaints).toEqual([]);
});

/** The browser of the file stays signed in, and forgets all else that a test has left in it. */
async function leave({ context, page }: Visitor): Promise<void> {
  if (context !== home?.context) return await context.close();
  if (page.url().startsWith(home.gateway.url))
    await page.evaluate(
      'for (const key of Object.keys(localStorage)) if (key !== "skillhold.csrf") localStorage.removeItem(key)',
    );
  for (const each of context.pages()) await each.close();
}

afterAll(async () => {
  await scene?.close();
  await browser?.close();
  browser = undefined;
});

/** Polls a value until it matches; the long timeout allows for a busy machine. */
export const eventually = <T>(look: () => T, options: { readonly timeout: number } = { timeout: 30_000 }) =>
  expect.poll(look, options);

/** Takes a complaint that belongs to the test from the list, and fails without one. */
export function excuse({ complaints }: Visitor, pattern: RegExp): void {
  const others = complaints.filter((text) => !pattern.test(text));
  expect(others.length).toBeLessThan(complaints.length);
  complaints.splice(0, complaints.length, ...others);
}

/**
 * Fails on accessibility violations of the current page: of the whole page, of the view without its surroundings, of
 * color contrast alone, or of a document outside the console.
 */
export async function checkAccessible(
  page: Page,
  what: "page" | "view" | "colours" | "document" = "page",
): Promise<void> {
  if (what !== "document") await settled(page);
  // The policy of the page lets no script of a test in but by evaluation.
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(axe.source);
  const rules = what === "colours" ? { runOnly: ["color-contrast", "link-in-text-block"] } : {};
  const options = JSON.stringify({ resultTypes: ["violations"], ...rules });
  const found: unknown = await page.evaluate(
    `axe.run(${what === "page" || what === "document" ? "document" : '"#main"'}, ${options}).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html, failureSummary }) => html.slice(0, 200) + " — " + failureSummary)]))`,
  );
  expect([page.url(), found]).toEqual([page.url(), []]);
}

/** Fails when the page can be moved sideways. */
export async function checkWidth(page: Page): Promise<void> {
  const over: unknown = await page.evaluate(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  expect([page.url(), over]).toEqual([page.url(), 0]);
}
