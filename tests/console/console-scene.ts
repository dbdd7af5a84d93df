import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { writeArchive } from "@skillhold/core/registry";
import type { Role } from "@skillhold/protocol";
import { routeTable } from "@skillhold/protocol/http";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { type RunningGateway, ServeScene } from "../gateway/serve.fixture.ts";

/** The files of a skill beside or instead of a SKILL.md that is made up. */
export type SkillFiles = Readonly<Record<string, string>>;

export interface ConsoleOptions {
  /** Published before anyone looks, by the administrator. */
  readonly skills?: Readonly<Record<string, SkillFiles>>;
  /** More for `skillhold serve`; without any it brings no skills along. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly theme?: "light" | "dark";
  readonly width?: number;
  readonly height?: number;
}

export interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the browser complained about: failures of scripts, of the policy and of requests. */
  readonly complaints: string[];
}

export interface OpenedConsole extends Visitor {
  readonly gateway: RunningGateway;
  /** Calls a route with an administrator's token, and gives what it answers. */
  readonly api: (method: string, path: string, body?: unknown) => Promise<unknown>;
  /** The same in the name of someone else, who gets a token for it. */
  readonly apiAs: (who: Who) => Promise<OpenedConsole["api"]>;
  readonly publish: (
    skills: Readonly<Record<string, SkillFiles>>,
    as?: OpenedConsole["api"],
  ) => Promise<void>;
  /** Someone else at the same gateway, in a browser of their own, signed in by a link of their own. */
  readonly visit: (options?: ConsoleOptions) => Promise<Visitor>;
}

export interface Who {
  readonly role: Role;
  readonly user: string;
  readonly agent?: string;
}

const built = fileURLToPath(new URL("../../packages/console/dist/index.html", import.meta.url));

/** Gateways and browsers, which all go away together. */
export class ConsoleScene {
  readonly #serving = new ServeScene();
  readonly #contexts: BrowserContext[] = [];
  readonly #browser: Browser;

  constructor(browser: Browser) {
    if (!existsSync(built)) throw new Error("The console is not built: npm run prepare");
    this.#browser = browser;
  }

  /** Starts a gateway as a process, and signs a browser in by the link that it prints. */
  async open(options: ConsoleOptions = {}): Promise<OpenedConsole> {
    const { skills = {}, args = ["--no-seed"], env = {} } = options;
    const gateway = await this.#serving.serve(args, { env });
    const visitor = await this.#enter(gateway.signIn ?? "", gateway, options);
    const api = apiWith(await tokenFrom(visitor.page, { name: "test", role: "admin" }), gateway);
    const publish: OpenedConsole["publish"] = async (more, as = api) => {
      if (Object.keys(more).length === 0) return;
      const { answer } = routeTable.uploadSkills;
      const { skills: done } = answer.parse(await as("POST", "/v1/skills/upload", await zipOf(more)));
      for (const each of done) if (each.status === "failed") throw new Error(JSON.stringify(each));
    };
    await publish(skills);
    return {
      ...visitor,
      gateway,
      api,
      publish,
      apiAs: async (who) =>
        apiWith(secretOf(await api("POST", "/v1/tokens", { name: "t", ...who })), gateway),
      visit: async (more = {}) => this.#enter(await this.#linkTo(gateway), gateway, { ...options, ...more }),
    };
  }

  async close(): Promise<void> {
    for (const context of this.#contexts.splice(0)) await context.close();
    await this.#serving.close();
  }

  async #enter(link: string, { url }: RunningGateway, options: ConsoleOptions): Promise<Visitor> {
    const { width = 1280, height = 800, theme = "light" } = options;
    const context = await this.#browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      reducedMotion: "reduce",
      permissions: ["clipboard-read", "clipboard-write"],
    });
    this.#contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(`${message.text()} (${message.location().url})`);
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    await page.goto(link);
    await page.waitForURL(`${url}/skills`);
    await page.getByRole("heading", { name: "Skills", level: 1 }).waitFor();
    return { context, page, complaints };
  }

  async #linkTo({ url, data }: RunningGateway): Promise<string> {
    const command = this.#serving.start(["token", "sign-in", "--url", url, "--json"], {
      SKILLHOLD_DATA: data,
    });
    return JSON.parse(await command.line()).data.link;
  }
}

/** Debian's browser, with what it needs in a container; only pages of our own are opened in it. */
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

/** Waits until nothing on the page stands in for something that is on its way. */
export async function settled(page: Page): Promise<void> {
  await page.locator("main").first().waitFor();
  await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
  // What was changed last is drawn with the frame after the next.
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

/** A ZIP of skills, each in a folder of its id. */
export async function zipOf(skills: Readonly<Record<string, SkillFiles>>): Promise<Uint8Array<ArrayBuffer>> {
  const files = Object.entries(skills).flatMap(([id, own]) =>
    Object.entries({ "SKILL.md": skillText(id), ...own }).map(([path, text]) => ({
      path: `${id}/${path}`,
      executable: path.endsWith(".sh"),
      content: Buffer.from(text),
    })),
  );
  return new Uint8Array(await writeArchive("zip", files));
}

export function skillText(id: string, description = `About ${id}.`, body = "Do it.", more = ""): string {
  return `---\nname: ${id}\ndescription: ${JSON.stringify(description)}\n${more}---\n${body}\n`;
}

/** A token that the signed-in page issues, as its own view does. */
async function tokenFrom(page: Page, spec: object): Promise<string> {
  const answer: unknown = await page.evaluate(
    `fetch("/v1/tokens", { method: "POST", body: ${JSON.stringify(JSON.stringify(spec))}, headers: { "content-type": "application/json", "x-skillhold-csrf": localStorage.getItem("skillhold.csrf") } }).then((response) => response.json())`,
  );
  return secretOf(answer);
}

function secretOf(answer: unknown): string {
  return routeTable.issueToken.answer.parse(answer).secret;
}

function apiWith(secret: string, { url }: RunningGateway): OpenedConsole["api"] {
  return async (method, path, body) => {
    const isArchive = body instanceof Uint8Array;
    const type = isArchive ? "application/zip" : "application/json";
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, ...(body === undefined ? {} : { "content-type": type }) },
      // The bytes of an archive are over a buffer of their own.
      ...(body === undefined
        ? {}
        : { body: isArchive ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
}
