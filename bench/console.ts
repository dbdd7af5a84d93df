import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { ConsoleScene } from "../tests/console/console-scene.ts";
import { sharedBrowser } from "../tests/console/shared-browser.ts";
import { writeSkill } from "../tests/gateway/serve.fixture.ts";
import { median } from "./measure.ts";

/** Scrolls down by most of a screen a frame, and gives how long each frame took. */
const scroll = `new Promise((resolve) => {
  const frames = [];
  let last = performance.now();
  const step = (now) => {
    frames.push(now - last);
    last = now;
    window.scrollBy(0, 600);
    if (frames.length < 300) requestAnimationFrame(step);
    else resolve({ frames: frames.slice(1), rows: document.querySelectorAll("[data-row]").length });
  };
  requestAnimationFrame(step);
})`;

const ROUNDS = 7;
const COMPARED_SKILLS = 308;
const SCROLLED_SKILLS = 5000;

/** The list of skills in a real browser: its bytes, how long until it is there, and how smoothly it scrolls. */
export async function benchConsole(sizes: readonly number[]): Promise<void> {
  try {
    if (sizes.length === 0) await withSkills(COMPARED_SKILLS, compareFirstRow);
    for (const size of sizes.length === 0 ? [SCROLLED_SKILLS] : sizes)
      await withSkills(size, (page, url) => measureScroll(page, url, size));
  } finally {
    await (await sharedBrowser()).close();
  }
}

async function withSkills(size: number, measure: (page: Page, url: string) => Promise<void>): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "skillhold-bench-"));
  const scene = new ConsoleScene();
  try {
    for (let at = 0; at < size; at += 1) writeSkill(root, `skill-${String(at).padStart(5, "0")}`);
    const { page, gateway } = await scene.open(await scene.serve({ args: ["--no-seed", "--root", root] }));
    page.setDefaultTimeout(120_000);
    await measure(page, gateway.url);
  } finally {
    await scene.close();
    await rm(root, { recursive: true, force: true });
  }
}

const program = new Set(["document", "script", "stylesheet"]);

/** The first view against a static page of the same number of bytes and the same rows, without a cache in between. */
async function compareFirstRow(page: Page, url: string): Promise<void> {
  const context = page.context();
  const bodies: { readonly type: string; readonly bytes: Buffer }[] = [];
  const reading: Promise<unknown>[] = [];
  page.on("response", (response) => {
    const type = response.request().resourceType();
    const keep = async () => bodies.push({ type, bytes: await response.body() });
    reading.push(keep().catch(() => undefined));
  });
  await openFirstRow(page, `${url}/skills`);
  await page.waitForLoadState("networkidle");
  await Promise.all(reading);
  const gzip = (chosen: typeof bodies) => chosen.reduce((sum, { bytes }) => sum + gzipSync(bytes).length, 0);
  const own = gzip(bodies.filter(({ type }) => program.has(type)));
  const all = gzip(bodies);
  console.log(
    `console  first view: ${(own / 1000).toFixed(1)} kB of page, script and style with gzip (limit 150), ` +
      `${(all / 1000).toFixed(1)} kB with the data of ${COMPARED_SKILLS} skills`,
  );
  const fixed = await serveStatic(all);
  try {
    const times: { readonly console: number[]; readonly fixed: number[] } = { console: [], fixed: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      times.console.push(await timeFirstRow(context, `${url}/skills`));
      times.fixed.push(await timeFirstRow(context, fixed.url));
    }
    const [shown, base] = [median(times.console), median(times.fixed)];
    console.log(
      `console  first row of ${COMPARED_SKILLS} skills: ${shown.toFixed(0)} ms, ${(shown / base).toFixed(1)} times ` +
        `a static page of the same bytes (${base.toFixed(0)} ms), median of ${ROUNDS}`,
    );
  } finally {
    await fixed.close();
  }
}

async function openFirstRow(page: Page, url: string): Promise<void> {
  await page.goto(url, { waitUntil: "commit" });
  await page.getByRole("link", { name: "skill-00000" }).waitFor();
}

/** In a new page, whose requests skip the cache. */
async function timeFirstRow(context: ReturnType<Page["context"]>, url: string): Promise<number> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  const started = performance.now();
  await openFirstRow(page, url);
  const ms = performance.now() - started;
  await page.close();
  return ms;
}

/** Serves the rows as one document, filled to a number of bytes that no encoding makes smaller. */
async function serveStatic(bytes: number) {
  const rows = Array.from({ length: COMPARED_SKILLS }, (_, at) => {
    const id = `skill-${String(at).padStart(5, "0")}`;
    return `<li><a href="/skills/${id}">${id}</a> About ${id}.</li>`;
  });
  const page = `<!doctype html><title>Skills</title><ul>${rows.join("")}</ul>`;
  const rest = Math.max(0, bytes - page.length - "<!---->".length);
  const filled = `<!--${randomBytes(rest).toString("hex").slice(0, rest)}-->${page}`;
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html", "cache-control": "no-store" }).end(filled);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}/`,
    close: () => new Promise<void>((done) => server.close(() => done())),
  };
}

async function measureScroll(page: Page, url: string, size: number): Promise<void> {
  const started = performance.now();
  await page.goto(`${url}/skills`);
  await page.getByRole("link", { name: "skill-00000" }).waitFor();
  const shown = performance.now() - started;
  const { frames, rows } = Object(await page.evaluate(scroll));
  const sorted = [...frames].toSorted((a: number, b: number) => a - b);
  const late = frames.filter((ms: number) => ms > 34).length;
  console.log(
    `console  ${size} skills: shown in ${shown.toFixed(0)} ms; a frame ${median(frames).toFixed(1)} ms, ` +
      `95 % within ${sorted[Math.floor(sorted.length * 0.95)]?.toFixed(1)} ms, ${late} of ${frames.length} late; ${rows} rows in the page`,
  );
}
