// Writes a picture of every view, in light and dark and at two widths, to the folder `screenshots`.
//   npm run screenshots
import { mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { ConsoleScene, settled } from "./console-scene.ts";
import { sharedBrowser } from "./shared-browser.ts";
import { furnish, viewPaths } from "./showcase.ts";

const folder = fileURLToPath(new URL("../../screenshots/", import.meta.url));
const widths = [1280, 360] as const;
const themes = ["light", "dark"] as const;

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const scene = new ConsoleScene();
try {
  const opened = await scene.open(await scene.serve({ args: [] }));
  const { page, gateway } = opened;
  const paths = Object.entries(viewPaths(await furnish(opened)));
  for (const width of widths) {
    await page.setViewportSize({ width, height: width === 360 ? 740 : 800 });
    for (const [name, path] of paths) {
      await page.goto(`${gateway.url}${path}`);
      for (const theme of themes) {
        await page.emulateMedia({ colorScheme: theme });
        await page.waitForLoadState("networkidle");
        await settled(page);
        await page.screenshot({ path: `${folder}${name}-${theme}-${width}.png` });
      }
    }
  }
  process.stdout.write(`${paths.length * widths.length * themes.length} pictures are in ${folder}\n`);
} finally {
  await scene.close();
  await (await sharedBrowser()).close();
}
