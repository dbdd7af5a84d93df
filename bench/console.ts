import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConsoleScene, launchBrowser } from "../tests/console/console-scene.ts";
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

/** The list of skills in a real browser: how long until it is there, and how smoothly it scrolls. */
export async function benchConsole(sizes: readonly number[]): Promise<void> {
  const browser = await launchBrowser();
  for (const size of sizes) {
    const root = await mkdtemp(join(tmpdir(), "skillhold-bench-"));
    const scene = new ConsoleScene(browser);
    try {
      for (let at = 0; at < size; at += 1) writeSkill(root, `skill-${String(at).padStart(5, "0")}`);
      const { page, gateway } = await scene.open(await scene.serve({ args: ["--no-seed", "--root", root] }));
      page.setDefaultTimeout(120_000);
      const started = performance.now();
      await page.goto(`${gateway.url}/skills`);
      await page.getByRole("link", { name: "skill-00000" }).waitFor();
      const shown = performance.now() - started;
      const { frames, rows } = Object(await page.evaluate(scroll));
      const sorted = [...frames].toSorted((a: number, b: number) => a - b);
      const late = frames.filter((ms: number) => ms > 34).length;
      console.log(
        `console  ${size} skills: shown in ${shown.toFixed(0)} ms; a frame ${median(frames).toFixed(1)} ms, ` +
          `95 % within ${sorted[Math.floor(sorted.length * 0.95)]?.toFixed(1)} ms, ${late} of ${frames.length} late; ${rows} rows in the page`,
      );
    } finally {
      await scene.close();
      await rm(root, { recursive: true, force: true });
    }
  }
  await browser.close();
}
