import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { SignInRole } from "@skillhold/protocol";
import { routeTable } from "@skillhold/protocol/http";
import type { BrowserContext, Page } from "playwright-core";
import { type RunningGateway, ServeScene, signInWith } from "../gateway/serve.fixture.ts";
import { apiFrom, type ConsoleApi } from "./console-api.ts";
import { openPage, type Profile, returnProfile, takeProfile } from "./shared-browser.ts";
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
  /** Signs in as this user, in a separate profile. */
  readonly who?: Person;
  /** Opens a sign-in link as a person does: this one, or a new one. Without it, the code is exchanged over HTTP. */
  readonly link?: string | "new";
}

export interface ConsoleOptions extends VisitOptions {
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

/** A gateway, and the profile in which its administrator is signed in. */
export interface Home extends ConsoleApi {
  readonly profile: Profile;
  readonly gateway: RunningGateway;
}

export interface OpenedConsole extends Home, Visitor {
  /** Opens a page for another user at the same gateway; by default another administrator. */
  readonly visit: (options?: VisitOptions) => Promise<Visitor>;
}

const built = fileURLToPath(new URL("../../packages/console/dist/index.html", import.meta.url));
export const ann: Person = { role: "admin", user: "ann" };

const CSRF_HEADER = "x-skillhold-csrf";

/** Gateways and profiles, which all go away together. */
export class ConsoleScene {
  readonly #serving = new ServeScene();
  readonly #profiles: Profile[] = [];

  constructor() {
    if (!existsSync(built)) throw new Error("The console is not built: npm run prepare");
  }

  /** Starts a gateway as a process, and lets its administrator in, with the code of the link that it prints. */
  async serve({ args = ["--no-seed"], env = {} }: ConsoleOptions = {}): Promise<Home> {
    const gateway = await this.#serving.serve(args, { env });
    const profile = await this.#take(gateway);
    const headers = await signInto(profile, gateway, gateway.signIn);
    return { ...(await apiFrom(gateway, headers)), profile, gateway };
  }

  /** Publishes the requested skills, then opens a page as the administrator or as the given user. */
  async open(home: Home, options: ConsoleOptions = {}): Promise<OpenedConsole> {
    await home.publish(options.skills ?? {});
    await options.prepare?.(home);
    const { link: _, ...shared } = options;
    const visit: OpenedConsole["visit"] = (own) => this.#visit(home, { ...shared, who: ann, ...own });
    const visitor =
      options.who === undefined
        ? await enter(await openPage(home.profile), home.gateway, options)
        : await visit(options);
    return { ...home, ...visitor, visit };
  }

  /** Starts a gateway, and opens the link that it prints, as an operator does. */
  async openPrinted(): Promise<Visitor> {
    const gateway = await this.#serving.serve(["--no-seed"]);
    if (gateway.signIn === null) throw new Error("The gateway prints no link.");
    const profile = await this.#take(gateway);
    return await enter(await openPage(profile), gateway, { link: gateway.signIn });
  }

  async close(): Promise<void> {
    for (const profile of this.#profiles.splice(0)) await returnProfile(profile);
    await this.#serving.close();
  }

  /** Returns the profiles of all visitors but the administrator's. */
  async dismiss({ profile: kept }: Home): Promise<void> {
    for (const profile of this.#profiles.splice(0))
      if (profile === kept) this.#profiles.push(profile);
      else await returnProfile(profile);
  }

  async #take({ url }: RunningGateway): Promise<Profile> {
    const profile = await takeProfile(url);
    this.#profiles.push(profile);
    return profile;
  }

  async #visit(home: Home, options: VisitOptions): Promise<Visitor> {
    const { who = ann, link: given, ...shown } = options;
    const profile = await this.#take(home.gateway);
    const link = given === undefined || given === "new" ? await linkTo(home, who) : given;
    if (given !== undefined) return await enter(await openPage(profile), home.gateway, { ...shown, link });
    await signInto(profile, home.gateway, link);
    return await enter(await openPage(profile), home.gateway, shown);
  }
}

/** Signs a profile in as the sign-in page does, and returns the headers of its session. */
async function signInto({ context, anchor }: Profile, { url }: RunningGateway, link: string | null) {
  const headers = await signInWith(link);
  const { cookie = "", [CSRF_HEADER]: csrf = "" } = headers;
  const [name = "", value = ""] = cookie.split("=");
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: "Strict" }]);
  await anchor.evaluate(`localStorage.setItem("skillhold.csrf", ${JSON.stringify(csrf)})`);
  return headers;
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
const PATIENCE_MS = 120_000;

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

/** Waits until the page shows no loading placeholder. */
export async function settled(page: Page): Promise<void> {
  await page.locator("main").first().waitFor();
  await page.locator('[role="status"][aria-label="Loading"]').first().waitFor({ state: "detached" });
  // The browser draws the last change within two frames.
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
}
