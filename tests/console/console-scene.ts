import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { SignInRole } from "@skillhold/protocol";
import { routeTable } from "@skillhold/protocol/http";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { type RunningGateway, ServeScene, signInWith } from "../gateway/serve.fixture.ts";
import { apiFrom, type ConsoleApi } from "./console-api.ts";
import type { SkillFiles } from "./skill-zip.ts";

/** Someone who signs in with a browser. */
export interface Person {
  readonly role: SignInRole;
  readonly user: string;
}

export interface VisitOptions {
  /** The address to begin at; the list of skills when it is left out. */
  readonly at?: string;
  readonly theme?: "light" | "dark";
  readonly width?: number;
  readonly height?: number;
  /** In a browser of their own, signed in by a link of their own. */
  readonly who?: Person;
  /** By which they sign in, where it is there already. */
  readonly link?: string;
}

export interface ConsoleOptions extends Omit<VisitOptions, "link"> {
  /** Published before anyone looks, by the administrator. */
  readonly skills?: Readonly<Record<string, SkillFiles>>;
  /** What else is done there before anyone looks. */
  readonly prepare?: (routes: ConsoleApi) => Promise<unknown>;
  /** More for `skillhold serve`; without any it brings no skills along. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the browser complained about: failures of scripts, of the policy and of requests. */
  readonly complaints: string[];
  /** The sign-in link; undefined for the administrator, who is already signed in. */
  readonly link?: string;
}

/** A gateway, and the browser in which its administrator is signed in. */
export interface Home extends ConsoleApi {
  readonly context: BrowserContext;
  readonly gateway: RunningGateway;
}

export interface OpenedConsole extends Home, Visitor {
  /** Opens a page for another user at the same gateway; by default another administrator. */
  readonly visit: (options?: VisitOptions) => Promise<Visitor>;
}

const built = fileURLToPath(new URL("../../packages/console/dist/index.html", import.meta.url));
export const ann: Person = { role: "admin", user: "ann" };

const CSRF_HEADER = "x-skillhold-csrf";

/** Gateways and browsers, which all go away together. */
export class ConsoleScene {
  readonly #serving = new ServeScene();
  readonly #contexts: BrowserContext[] = [];
  readonly #browser: Browser;

  constructor(browser: Browser) {
    if (!existsSync(built)) throw new Error("The console is not built: npm run prepare");
    this.#browser = browser;
  }

  /** Starts a gateway as a process, and lets its administrator in, with the code of the link that it prints. */
  async serve({ args = ["--no-seed"], env = {} }: ConsoleOptions = {}): Promise<Home> {
    const gateway = await this.#serving.serve(args, { env });
    const { cookie = "", [CSRF_HEADER]: csrf = "" } = await signInWith(gateway.signIn);
    const context = await this.#newContext();
    const [name = "", value = ""] = cookie.split("=");
    await context.addCookies([{ name, value, url: gateway.url, httpOnly: true, sameSite: "Strict" }]);
    // The sign-in page does the same; the value has no effect without a session.
    await context.addInitScript(`localStorage.setItem("skillhold.csrf", ${JSON.stringify(csrf)})`);
    return { ...(await apiFrom(gateway, { cookie, [CSRF_HEADER]: csrf })), context, gateway };
  }

  /** Publishes the requested skills, then opens a page as the administrator or as the given user. */
  async open(home: Home, options: ConsoleOptions = {}): Promise<OpenedConsole> {
    await home.publish(options.skills ?? {});
    await options.prepare?.(home);
    const visit: OpenedConsole["visit"] = (own) => this.#visit(home, { ...options, who: ann, ...own });
    const visitor =
      options.who === undefined
        ? await enter(await home.context.newPage(), home.gateway, options)
        : await visit(options);
    return { ...home, ...visitor, visit };
  }

  /** Starts a gateway, and opens the link that it prints, as an operator does. */
  async openPrinted(): Promise<Visitor> {
    const gateway = await this.#serving.serve(["--no-seed"]);
    if (gateway.signIn === null) throw new Error("It prints no link.");
    const context = await this.#newContext();
    return await enter(await context.newPage(), gateway, { link: gateway.signIn });
  }

  async close(): Promise<void> {
    for (const context of this.#contexts.splice(0)) await context.close();
    await this.#serving.close();
  }

  async #newContext(): Promise<BrowserContext> {
    const context = await this.#browser.newContext({
      reducedMotion: "reduce",
      permissions: ["clipboard-read", "clipboard-write"],
    });
    this.#contexts.push(context);
    return context;
  }

  async #visit(home: Home, options: VisitOptions): Promise<Visitor> {
    const context = await this.#newContext();
    const link = options.link ?? (await linkTo(home, options.who ?? ann));
    return await enter(await context.newPage(), home.gateway, { ...options, link });
  }
}

async function enter(page: Page, { url }: RunningGateway, options: VisitOptions): Promise<Visitor> {
  const { at = "/skills", width = 1280, height = 800, theme = "light", link } = options;
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints = complaintsOf(page);
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: theme });
  const heading = page.getByRole("heading", { level: 1 }).first();
  if (link !== undefined) {
    await page.goto(link);
    await page.waitForURL(`${url}/home`);
    await heading.waitFor();
  }
  if (page.url() !== `${url}${at}`) await page.goto(`${url}${at}`);
  await heading.waitFor();
  return { context: page.context(), page, complaints, ...(link === undefined ? {} : { link }) };
}

/** For one thing to appear, on a machine that does much else. */
const PATIENCE_MS = 30_000;

/** Grows with what the browser complains about from now on. */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  return complaints;
}

/** A link that signs someone in, as the administrator makes one. */
async function linkTo({ api, gateway }: Home, who: Person): Promise<string> {
  const made = routeTable.issueSignIn.answer.parse(await api("POST", "/v1/sign-in-codes", who));
  return `${gateway.url}/sign-in#${made.code}`;
}

/** Debian's browser, with the flags that a container requires; it opens only pages of this project. */
export async function launchBrowser(): Promise<Browser> {
  return await chromium.launch({
    executablePath: "/usr/bin/chromium",
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

/** Waits until the page shows no loading placeholder. */
export async function settled(page: Page): Promise<void> {
  await page.locator("main").first().waitFor();
  await page.locator('[role="status"][aria-label="Loading"]').first().waitFor({ state: "detached" });
  // The browser draws the last change within two frames.
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
}
