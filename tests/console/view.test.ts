import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import {
  checkAccessible,
  checkWidth,
  eventually,
  excuse,
  openConsole,
  openOwnConsole,
  settled,
} from "./browser.ts";
import { furnish, viewPaths } from "./showcase.ts";

type Paths = ReturnType<typeof viewPaths>;

/** Identifies a view: its heading, the current items of its bars, and other visible text. */
interface Sign {
  readonly title: string;
  readonly current: readonly string[];
  readonly shows?: string;
}

const ofSkills = { title: "Skills", current: ["Skills", "all"] };
const ofReport = (...current: readonly string[]) => ({
  title: "weekly-report",
  current: ["Skills", ...current],
});
const named = (title: string) => ({ title, current: [title] });

const signs: Readonly<Record<keyof Paths, Sign>> = {
  home: { ...named("Home"), shows: "text=Usage of all skills" },
  skills: { ...ofSkills, shows: 'input[type="search"][value=""]' },
  "skills-filtered": { ...ofSkills, shows: 'input[type="search"][value="report"]' },
  "skills-empty": { ...ofSkills, shows: "text=No matching skills" },
  skill: ofReport("Overview"),
  "skill-files": ofReport("Files", "SKILL.md"),
  "skill-file": ofReport("Files", "collect.py"),
  "skill-versions": ofReport("Versions"),
  "skill-access": ofReport("Access"),
  "skill-dependencies": { title: "map-maker", current: ["Skills", "Dependencies"] },
  "skill-activity": ofReport("Activity"),
  "skill-validation": ofReport("Validation"),
  "skill-missing": { title: "no-such-skill", current: ["Skills"] },
  publish: named("Publish"),
  install: named("Install"),
  sources: named("Sources"),
  catalogue: named("Catalogue"),
  search: { ...named("Search"), shows: 'input[type="search"][value="report"]' },
  proposals: { title: "Proposals", current: ["Proposals", "open"] },
  "skill-proposals": ofReport("Proposals"),
  approvals: named("Approvals"),
  activity: named("Activity"),
  session: { title: "Write this week's report", current: ["Activity"] },
  dependencies: named("Dependencies"),
  agents: named("Agents"),
  agent: { title: "Scribe", current: ["Agents"] },
  workspaces: named("Workspaces"),
  map: named("Map"),
  connect: { title: "Connect your agent", current: ["Connect"] },
  people: named("People"),
  tokens: named("Tokens"),
  webhooks: named("Webhooks"),
  api: named("API"),
  settings: named("Settings"),
  missing: { title: "Page not found", current: [] },
};

function signsAt(paths: Paths): readonly (readonly [string, Sign])[] {
  // The names are those of the paths.
  const names = Object.keys(paths) as (keyof Paths)[];
  return names.map((name) => [paths[name], signs[name]]);
}

/** Fails unless the view is the one that was asked for. */
async function checkSign(page: Page, { title, current, shows }: Sign): Promise<void> {
  await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
  const names = page.locator("nav [aria-current] > span:first-of-type");
  await eventually(() => names.allTextContents()).toEqual(current);
  if (shows !== undefined) await page.locator(shows).first().waitFor();
}

const small = { width: 360, height: 740 };
const large = { width: 1280, height: 800 };

// A hundred checks of pages take minutes on a busy machine.
const patience = { timeout: 900_000 };

test("every view is accessible in light and dark, and fits a phone [S-59]", patience, async () => {
  let session = "";
  const opened = await openConsole({
    prepare: async (routes) => {
      ({ session } = await furnish(routes));
    },
  });
  const { page, gateway } = opened;
  const paths = viewPaths({ session });
  const first = paths.home;
  for (const [path, sign] of signsAt(paths)) {
    // As a link in the page does.
    await page.evaluate(`history.pushState(null, "", ${JSON.stringify(path)})`);
    await checkSign(page, sign);
    await checkAccessible(page);
    await checkWidth(page);
    expect(page.url()).toBe(`${gateway.url}${path}`);
    // A theme changes only colors, and all views share the same surroundings.
    await page.emulateMedia({ colorScheme: "dark" });
    await page.locator('html[data-theme="dark"]').waitFor();
    await checkAccessible(page, path === first ? "page" : "colours");
    await page.setViewportSize(small);
    await checkAccessible(page, path === first ? "page" : "view");
    await checkWidth(page);
    await page.emulateMedia({ colorScheme: "light" });
    await page.locator('html[data-theme="light"]').waitFor();
    await page.setViewportSize(large);
  }
  excuse(opened, /404.*no-such-skill/);
});

test("an empty view says what to do next [S-59]", async () => {
  const { page } = await openOwnConsole();
  await page.getByText("No skills yet").waitFor();
  await page.getByRole("main").getByRole("link", { name: "Publish" }).last().click();
  await page.getByText(/^A skill is a folder with a SKILL\.md/).waitFor();
  await page.getByRole("link", { name: "Catalogue" }).click();
  await page.getByText("The prompt block is empty").waitFor();
  await page.getByRole("link", { name: "Search" }).click();
  await page.getByText("There are no skills to search yet.").waitFor();
  await page.getByRole("link", { name: "Approvals" }).click();
  await page.getByText("No pending approvals").waitFor();
  await page.getByRole("link", { name: "Dependencies" }).click();
  await page.getByText("Nothing missing").waitFor();
  await page.getByRole("link", { name: "Agents" }).click();
  await page.getByText("No agents yet").waitFor();
  await page.getByRole("main").getByRole("button", { name: "New agent" }).last().click();
  await page.getByRole("dialog", { name: "New agent" }).waitFor();
});

test("on a phone a menu leads to all views [S-59]", async () => {
  const { page } = await openConsole(small);
  await page.getByRole("button", { name: "Views" }).click();
  await checkAccessible(page);
  await page.getByRole("dialog").getByRole("link", { name: "Catalogue" }).click();
  await page.getByRole("heading", { name: "Catalogue", level: 1 }).waitFor();
  await checkWidth(page);
});

test("a chosen theme overrides the system's [S-59]", async () => {
  const { page, gateway } = await openConsole({ theme: "light" });
  const shown = () => page.evaluate("document.documentElement.dataset.theme");
  await page.getByRole("button", { name: /^Theme: system/ }).click();
  await page.getByRole("button", { name: /^Theme: light/ }).click();
  await eventually(shown).toBe("dark");
  await page.goto(`${gateway.url}/settings`);
  await settled(page);
  expect(await shown()).toBe("dark");
  await page.getByRole("button", { name: /^Theme: dark/ }).click();
  await page.emulateMedia({ colorScheme: "dark" });
  await eventually(shown).toBe("dark");
  await page.emulateMedia({ colorScheme: "light" });
  await eventually(shown).toBe("light");
});
