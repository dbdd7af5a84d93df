import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from "playwright-core";
import { browserPrograms, isProgram } from "../system-program.ts";

/** A browser profile. Its anchor stays open, because pages that it opens share its process and compiled scripts. */
export interface Profile {
  readonly context: BrowserContext;
  /** Shows a picture of the gateway, and runs no scripts of the console. */
  readonly anchor: Page;
  readonly session: CDPSession;
}

let running: Promise<Browser> | undefined;
let free: Profile[] = [];

/** The one browser of this process, which ends with it: a start costs as much as a short test. */
export async function sharedBrowser(): Promise<Browser> {
  if (running !== undefined && !(await running).isConnected()) {
    running = undefined;
    free = [];
  }
  running ??= launchBrowser();
  return await running;
}

/** Takes an empty profile, and lets its anchor show a page of a gateway. */
export async function takeProfile(url: string): Promise<Profile> {
  const browser = await sharedBrowser();
  const profile = free.pop() ?? (await newProfile(browser));
  await profile.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await profile.anchor.goto(`${url}/icon.svg`);
  return profile;
}

async function newProfile(browser: Browser): Promise<Profile> {
  const context = await browser.newContext({ reducedMotion: "reduce" });
  const anchor = await context.newPage();
  return { context, anchor, session: await context.newCDPSession(anchor) };
}

/** Opens a page in the process of the anchor. */
export async function openPage({ anchor }: Profile): Promise<Page> {
  const [page] = await Promise.all([
    anchor.waitForEvent("popup"),
    anchor.evaluate('void window.open("about:blank")'),
  ]);
  return page;
}

/** Closes all pages of a profile except its anchor. */
export async function closePages({ context, anchor }: Profile): Promise<void> {
  for (const page of context.pages()) if (page !== anchor) await page.close();
}

/** Empties a profile for the next test. Only its cache of files stays, whose addresses are those of one gateway. */
export async function returnProfile(profile: Profile): Promise<void> {
  const { context, session } = profile;
  await closePages(profile);
  await context.unrouteAll();
  await context.setOffline(false);
  await context.clearPermissions();
  await context.clearCookies();
  await session.send("Storage.clearDataForOrigin", { origin: "*", storageTypes: "all" });
  free.push(profile);
}

/** Debian's browser, with the flags that a container requires; it opens only pages of this project. */
async function launchBrowser(): Promise<Browser> {
  // Playwright removes the browser and its files when a process exits, and the end of a worker is a signal.
  process.once("SIGTERM", () => process.exit());
  const executablePath = browserPrograms.find(isProgram);
  if (executablePath === undefined) throw new Error(`The tests need ${browserPrograms.join(" or ")}.`);
  return await chromium.launch({
    handleSIGTERM: false,
    executablePath,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
