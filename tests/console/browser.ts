import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, expect } from "vitest";
import {
  type ConsoleOptions,
  ConsoleScene,
  launchBrowser,
  type OpenedConsole,
  settled,
  type Visitor,
} from "./console-scene.ts";

export { settled, skillText, zipOf } from "./console-scene.ts";

let browser: Browser | undefined;
let scene: ConsoleScene | undefined;
let visitors: Visitor[] = [];

/** Contract: called in a test. What it opens goes away with that test, which fails if the browser complained. */
export async function openConsole(options: ConsoleOptions = {}): Promise<OpenedConsole> {
  browser ??= await launchBrowser();
  scene ??= new ConsoleScene(browser);
  const opened = await scene.open(options);
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
  visitors = [];
  await scene?.close();
  scene = undefined;
  expect(complaints).toEqual([]);
});

afterAll(async () => {
  await browser?.close();
  browser = undefined;
});

/** What is looked at again and again until it is so, however busy the machine is. */
export const eventually = <T>(look: () => T, options: { readonly timeout: number } = { timeout: 30_000 }) =>
  expect.poll(look, options);

/** Takes a complaint that belongs to the test from the list, and fails without one. */
export function excuse({ complaints }: Visitor, pattern: RegExp): void {
  const others = complaints.filter((text) => !pattern.test(text));
  expect(others.length).toBeLessThan(complaints.length);
  complaints.splice(0, complaints.length, ...others);
}

/** Fails for what someone could not read, reach or understand on the page as it is now. */
export async function checkAccessible(page: Page): Promise<void> {
  await settled(page);
  // The policy of the page lets no script of a test in but by evaluation.
  await page.evaluate(axe.source);
  const found: unknown = await page.evaluate(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html, failureSummary }) => html.slice(0, 200) + " — " + failureSummary)]))`,
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
