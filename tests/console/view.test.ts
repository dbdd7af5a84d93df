import { expect, test } from "vitest";
import { checkAccessible, checkWidth, eventually, excuse, openConsole, settled } from "./browser.ts";
import { furnish, viewPaths } from "./showcase.ts";

test("everyone can read and reach everything of every view, in light and dark [S-59]", {
  timeout: 180_000,
}, async () => {
  const opened = await openConsole();
  const { page, gateway } = opened;
  const paths = Object.values(viewPaths(await furnish(opened)));
  for (const path of paths) {
    await page.goto(`${gateway.url}${path}`);
    for (const theme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(`html[data-theme="${theme}"]`).waitFor();
      await checkAccessible(page);
    }
  }
  excuse(opened, /404.*no-such-skill/);
});

test("no view is wider than a small phone, and its menu leads to all others [S-59]", async () => {
  const opened = await openConsole({ width: 360, height: 740 });
  const paths = Object.values(viewPaths(await furnish(opened)));
  const { page, gateway } = opened;
  for (const path of paths) {
    await page.goto(`${gateway.url}${path}`);
    await settled(page);
    await checkWidth(page);
  }
  await page.getByRole("button", { name: "Views" }).click();
  await checkAccessible(page);
  await page.getByRole("dialog").getByRole("link", { name: "Catalogue" }).click();
  await page.getByRole("heading", { name: "Catalogue", level: 1 }).waitFor();
  await checkWidth(page);
  excuse(opened, /404.*no-such-skill/);
});

test("a theme that was chosen stays, whatever the system says [S-59]", async () => {
  const { page, gateway } = await openConsole({ theme: "light" });
  const shown = () => page.evaluate("document.documentElement.dataset.theme");
  await page.getByRole("button", { name: /^Theme: system/ }).click();
  await page.getByRole("button", { name: /^Theme: light/ }).click();
  expect(await shown()).toBe("dark");
  await page.goto(`${gateway.url}/settings`);
  await settled(page);
  expect(await shown()).toBe("dark");
  await page.getByRole("button", { name: /^Theme: dark/ }).click();
  await page.emulateMedia({ colorScheme: "dark" });
  await eventually(shown).toBe("dark");
  await page.emulateMedia({ colorScheme: "light" });
  await eventually(shown).toBe("light");
});
