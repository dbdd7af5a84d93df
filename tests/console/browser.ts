import axe from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, afterEach, expect } from "vitest";
import {
  type ConsoleOptions,
  ConsoleScene,
  type Home,
  type OpenedConsole,
  settled,
  type Visitor,
} from "./console-scene.ts";
import { closePages, type Profile } from "./shared-browser.ts";

export { ann, settled } from "./console-scene.ts";
export { skillText, zipOf } from "./skill-zip.ts";

/** The gateway that the tests of a file share: each has skills and agents of its own there. */
let scene: ConsoleScene | undefined;
let home: Home | undefined;
/** What goes away with the test. */
let own: ConsoleScene | undefined;
let visitors: Visitor[] = [];
let isWatched = false;

/**
 * Registers the hooks of a test file, which close its pages and fail on complaints of the browser. Files share this module,
 * and hooks that it registered itself would only belong to the file that loads it first.
 */
export function watchFile(): void {
  isWatched = true;
  afterEach(endTest);
  afterAll(endFile);
}

function checkWatched(): void {
  if (!isWatched) throw new Error("Tests of the console need the setup file browser-setup.ts.");
}

/**
 * Opens a separate page for a test, at the shared gateway of the file. The test fails if the browser complains.
 * Contract: called once, in a test, whose skills and users have names that no other test of the file uses.
 */
export async function openConsole(options: ConsoleOptions = {}): Promise<OpenedConsole> {
  checkWatched();
  scene ??= new ConsoleScene();
  home ??= await scene.serve();
  return await watched(scene, home, options);
}

/** The same at a separate gateway, for a test that needs an empty one. */
export async function openOwnConsole(options: ConsoleOptions = {}): Promise<OpenedConsole> {
  checkWatched();
  own = new ConsoleScene();
  return await watched(own, await own.serve(options), options);
}

/** In a browser that has never been there, by the link that a gateway of its own prints. */
export async function openPrintedLink(): Promise<Visitor> {
  checkWatched();
  own = new ConsoleScene();
  const visitor = await own.openPrinted();
  visitors.push(visitor);
  return visitor;
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

async function endTest(): Promise<void> {
  const complaints = visitors.flatMap((visitor) => visitor.complaints);
  visitors = [];
  if (home !== undefined) {
    await scene?.dismiss(home);
    await leave(home.profile);
  }
  await own?.close();
  own = undefined;
  expect(complaints).toEqual([]);
}

/** The administrator of the shared gateway stays signed in, and the profile forgets the rest. */
async function leave(profile: Profile): Promise<void> {
  await closePages(profile);
  await profile.anchor.evaluate(
    'for (const key of Object.keys(localStorage)) if (key !== "skillhold.csrf") localStorage.removeItem(key)',
  );
}

async function endFile(): Promise<void> {
  isWatched = false;
  await scene?.close();
  scene = undefined;
  home = undefined;
}

/** Polls a value until it matches. */
export const eventually = <T>(look: () => T) => expect.poll(look);

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
