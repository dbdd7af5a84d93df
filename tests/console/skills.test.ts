import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { ann, checkAccessible, checkWidth, eventually, openConsole, settled, skillText } from "./browser.ts";

const skill = (id: string, tag: string) => ({
  "SKILL.md": skillText(id, `About ${id}.`, "Do it.", `tags: [${tag}]\n`),
});

/** Skills that no other test has, with a tag that no others have. */
function skillsOf(tag: string) {
  const ids = ["alpha", "beta", "gamma"].map((name) => `${tag}-${name}`);
  return Object.fromEntries(ids.map((id) => [id, skill(id, tag)]));
}

/** Presses the keys of a shortcut, once, in a view that has come, and waits for the view that they lead to. */
async function goBy(page: Page, keys: readonly string[], { from, to }: Way): Promise<void> {
  await page.getByRole("heading", { name: from, level: 1 }).waitFor();
  await settled(page);
  for (const key of keys) await page.keyboard.press(key);
  await page.getByRole("heading", { name: to, level: 1 }).waitFor();
}

interface Way {
  readonly from: RegExp;
  readonly to: string;
}

test("a skill that is switched off leaves the catalogue, and comes back with undo [S-59]", async () => {
  const { page } = await openConsole({ skills: skillsOf("off"), at: "/catalogue" });
  const block = () => page.getByRole("region", { name: "Prompt block" }).textContent();
  await eventually(block).toContain("off-beta");
  await page.getByRole("link", { name: "Skills", exact: true }).click();
  await page.getByRole("switch", { name: /^off-beta/ }).click();
  await page.getByText("off-beta is off").waitFor();
  await page.getByRole("link", { name: "Catalogue" }).click();
  await eventually(block).not.toContain("off-beta");
  expect(await block()).toContain("off-alpha");
  await page.getByRole("button", { name: "Undo" }).click();
  await eventually(block).toContain("off-beta");
});

test("archives several skills at once, and restores them with undo [S-59]", async () => {
  const { page } = await openConsole({ skills: skillsOf("many"), at: "/skills?tag=many" });
  const chosen = () => page.getByRole("link", { name: /^many-(alpha|gamma)$/ }).count();
  await page.getByRole("checkbox", { name: "Select many-alpha" }).check();
  const tools = page.getByRole("toolbar", { name: "Selected skills" });
  await page.setViewportSize({ width: 1280, height: 360 });
  await eventually(async () => (await tools.boundingBox())?.y ?? 360).toBeLessThan(360);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("checkbox", { name: "Select many-gamma" }).check();
  await page
    .getByRole("toolbar", { name: "Selected skills" })
    .getByRole("button", { name: "Delete" })
    .click();
  await page.getByText("2 skills deleted").waitFor();
  await eventually(chosen).toBe(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await eventually(chosen).toBe(2);
});

test("undo of a bulk switch affects only the skills that it changed [S-59]", async () => {
  const { page } = await openConsole({ skills: skillsOf("some"), at: "/skills?tag=some" });
  const isOn = (id: string) => page.getByRole("switch", { name: id }).getAttribute("aria-checked");
  await page.getByRole("switch", { name: /^some-alpha/ }).click();
  await page.getByText("some-alpha is off").waitFor();
  for (const id of ["some-alpha", "some-beta"])
    await page.getByRole("checkbox", { name: `Select ${id}` }).check();
  await page
    .getByRole("toolbar", { name: "Selected skills" })
    .getByRole("button", { name: "Disable" })
    .click();
  const done = page.getByRole("listitem").filter({ hasText: "1 skill disabled" });
  await done.waitFor();
  await eventually(() => isOn("some-beta")).toBe("false");
  await done.getByRole("button", { name: "Undo" }).click();
  await eventually(() => isOn("some-beta")).toBe("true");
  expect(await isOn("some-alpha")).toBe("false");
});

test("works by keyboard alone: /, j, k, Enter, ⌘K, g s and ? [S-59]", async () => {
  const { page, gateway } = await openConsole({ skills: skillsOf("key"), at: "/skills?tag=key" });
  const { keyboard } = page;
  const rows = () => page.getByRole("link", { name: /^key-/ }).count();
  await eventually(rows).toBe(3);
  await keyboard.press("/");
  await keyboard.type("bet");
  await eventually(() => page.url()).toBe(`${gateway.url}/skills?tag=key&q=bet`);
  await keyboard.press("Control+a");
  await keyboard.press("Delete");
  await eventually(rows).toBe(3);
  await keyboard.press("Tab");
  await page.evaluate("document.activeElement.blur()");
  for (const key of ["j", "j", "j", "k", "Enter"]) await keyboard.press(key);
  await page.waitForURL(`${gateway.url}/skills/key-beta`);
  await goBy(page, ["g", "c"], { from: /key-beta/, to: "Catalogue" });
  expect(page.url()).toBe(`${gateway.url}/catalogue`);
  await keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search skills, views and commands" }).waitFor();
  await keyboard.type("key-gamma");
  await page.getByRole("option", { name: /^key-gamma/ }).waitFor();
  await keyboard.press("Enter");
  await page.waitForURL(`${gateway.url}/skills/key-gamma`);
  await goBy(page, ["g", "s"], { from: /key-gamma/, to: "Skills" });
  expect(page.url()).toBe(`${gateway.url}/skills`);
  await keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await keyboard.press("Escape");
  await eventually(() => page.getByRole("dialog").count()).toBe(0);
});

test("two browsers see each other's changes live [S-59]", async () => {
  const first = await openConsole({ skills: skillsOf("two"), at: "/skills?tag=two" });
  const second = await first.visit();
  for (const { page } of [first, second]) await page.getByText("Live", { exact: true }).first().waitFor();
  await first.page.getByRole("switch", { name: /^two-alpha/ }).click();
  const theirs = second.page.getByRole("switch", { name: /^two-alpha/ });
  await eventually(() => theirs.getAttribute("aria-checked")).toBe("false");
  await second.page.getByRole("switch", { name: /^two-gamma/ }).click();
  const mine = first.page.getByRole("switch", { name: /^two-gamma/ });
  await eventually(() => mine.getAttribute("aria-checked")).toBe("false");
  await first.publish({ "two-delta": skill("two-delta", "two") });
  for (const { page } of [first, second]) await page.getByRole("link", { name: "two-delta" }).waitFor();
});

test("changes during a lost connection appear when it returns [S-59]", async () => {
  const opened = await openConsole({ skills: skillsOf("lost"), who: ann, at: "/skills?tag=lost" });
  const { page, context, complaints } = opened;
  await page.getByText("Live", { exact: true }).first().waitFor();
  await context.setOffline(true);
  await page.getByText("Reconnecting", { exact: true }).first().waitFor();
  const toggle = page.getByRole("switch", { name: /^lost-alpha/ });
  await toggle.click();
  await page.getByText("The gateway cannot be reached.").waitFor();
  await eventually(() => toggle.getAttribute("aria-checked")).toBe("true");
  await opened.publish({ "lost-delta": skill("lost-delta", "lost") });
  await context.setOffline(false);
  await page.getByRole("link", { name: "lost-delta" }).waitFor();
  // Whether the page asked for something in between is a matter of moments.
  const others = complaints.filter((text) => !/ERR_INTERNET_DISCONNECTED/.test(text));
  complaints.splice(0, complaints.length, ...others);
});

test("an address restores filters, order, query and tab [S-59]", async () => {
  const { page, gateway, context } = await openConsole({ skills: skillsOf("same"), at: "/skills?tag=same" });
  await page.getByRole("switch", { name: /^same-beta/ }).click();
  await page.getByText("same-beta is off").waitFor();
  await page.getByRole("button", { name: /^Disabled/ }).click();
  await page.getByRole("combobox", { name: "Sort by" }).selectOption("updated");
  await page.getByRole("searchbox", { name: "Search skills" }).fill("beta");
  await page.waitForURL(/q=beta/);
  const address = page.url();
  expect(new URL(address).search).toMatch(/tag=same.*health=disabled.*order=updated.*q=beta/);
  for (const again of [page, await context.newPage()]) {
    await again.goto(address);
    await settled(again);
    expect(await again.getByRole("searchbox", { name: "Search skills" }).inputValue()).toBe("beta");
    expect(await again.getByRole("combobox", { name: "Sort by" }).inputValue()).toBe("updated");
    expect(await again.getByRole("button", { name: /^Disabled/ }).getAttribute("aria-pressed")).toBe("true");
    const shown = () => again.getByRole("link", { name: /^same-(alpha|beta|gamma)$/ }).allTextContents();
    await eventually(shown).toEqual(["same-beta"]);
  }
  await page.getByRole("combobox", { name: "Tag" }).selectOption("");
  await eventually(() => page.url()).not.toContain("tag=");
  await page.getByRole("combobox", { name: "Tag" }).selectOption("same");
  await eventually(() => page.url()).toContain("tag=same");
  await page.goto(`${gateway.url}/catalogue?format=json&task=maps&runtime=crewai&state=visible`);
  await settled(page);
  await page.reload();
  expect(await page.getByRole("combobox", { name: "Format" }).inputValue()).toBe("json");
  expect(await page.getByRole("textbox", { name: "Task" }).inputValue()).toBe("maps");
  expect(await page.getByRole("textbox", { name: "Runtime" }).inputValue()).toBe("crewai");
  expect(await page.getByRole("button", { name: "visible" }).getAttribute("aria-pressed")).toBe("true");
});

test("while a search runs, shows no skill as missing and no earlier result [S-59]", async () => {
  const { page } = await openConsole({ skills: { "word-excel": {}, "word-other": {} } });
  const search = page.getByRole("searchbox");
  const held: (() => void)[] = [];
  await page.route(/\/v1\/skills\/search/, async (route) => {
    await new Promise<void>((resolve) => held.push(resolve));
    await route.continue();
  });
  await search.fill("zzzqqq");
  await eventually(() => held.length).toBe(1);
  expect(await page.getByText("No matching skills").count()).toBe(0);
  await page.getByRole("status", { name: "Loading" }).waitFor();
  held.shift()?.();
  await page.getByText("No matching skills").waitFor();
  await search.fill("yyyqqq");
  await page.getByText("No matching skills").waitFor({ state: "detached" });
  await eventually(() => held.length).toBe(1);
  held.shift()?.();
  await page.getByText("No matching skills").waitFor();
});

test("a deleted skill is in the trash until it is restored, and the palette finds agents [S-59]", async () => {
  const { page, api, gateway } = await openConsole({
    skills: { "old-recipe": {} },
    prepare: async ({ api: call }) => {
      await call("DELETE", "/v1/skills/old-recipe");
      await call("POST", "/v1/agents", { key: "cook", runtime: "demo", displayName: "The cook" });
    },
  });
  await page.getByRole("link", { name: "Trash" }).click();
  await page.getByRole("row", { name: /old-recipe/ }).waitFor();
  await checkAccessible(page);
  await page.setViewportSize({ width: 360, height: 740 });
  await checkWidth(page);
  await page.getByRole("button", { name: "Restore old-recipe" }).click();
  await page.getByRole("row", { name: /old-recipe/ }).waitFor({ state: "detached" });
  expect(await api("GET", "/v1/skills/old-recipe")).toMatchObject({ registry: { status: "active" } });
  await page.keyboard.press("Control+k");
  await page.keyboard.type("the cook");
  await page.getByRole("option", { selected: true, name: /The cook/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(`${gateway.url}/agents/cook`);
});

test("grants, tags and exports selected skills together [S-59]", async () => {
  const { page, api } = await openConsole({
    skills: skillsOf("bulk"),
    prepare: ({ api: call }) => call("POST", "/v1/agents", { key: "bulk-agent", runtime: "demo" }),
    at: "/skills?tag=bulk",
  });
  const tools = page.getByRole("toolbar", { name: "Selected skills" });
  const choose = async () => {
    for (const id of ["bulk-alpha", "bulk-beta"])
      await page.getByRole("checkbox", { name: `Select ${id}` }).check();
  };
  await choose();
  await checkAccessible(page);
  await tools.getByRole("button", { name: "Grant" }).click();
  const dialog = page.getByRole("dialog", { name: "Grant 2 skills" });
  await dialog.getByLabel("Agent").selectOption("bulk-agent");
  await checkAccessible(page);
  await dialog.getByRole("button", { name: "Grant" }).click();
  await page.getByText("2 skills granted to bulk-agent").waitFor();
  const grants = async (id: string) => JSON.stringify(await api("GET", `/v1/skills/${id}/grants`));
  expect(await grants("bulk-beta")).toContain("bulk-agent");
  expect(await grants("bulk-gamma")).not.toContain("bulk-agent");
  await page.getByLabel("Agent", { exact: true }).selectOption("bulk-agent");
  await eventually(() => page.getByRole("link", { name: /^bulk-/ }).count()).toBe(2);
  await page.getByRole("button", { name: "Undo" }).first().click();
  await page.getByText("No matching skills").waitFor();
  await page.getByLabel("Agent", { exact: true }).selectOption("Any agent");
  await choose();
  await tools.getByRole("button", { name: "Tag" }).click();
  await page.getByLabel("Tags").fill("quick, bulk");
  await page.getByLabel("Tags").press("Enter");
  await page.getByText("2 skills tagged").waitFor();
  expect(await api("GET", "/v1/skills/bulk-alpha")).toMatchObject({ entry: { tags: ["bulk", "quick"] } });
  await page.getByRole("combobox", { name: "Tag", exact: true }).selectOption("quick");
  await eventually(() => page.getByRole("link", { name: /^bulk-/ }).count()).toBe(2);
  await choose();
  const downloading = page.waitForEvent("download");
  await tools.getByRole("button", { name: "Export" }).click();
  expect((await downloading).suggestedFilename()).toBe("skills.zip");
  await page.setViewportSize({ width: 360, height: 740 });
  await checkWidth(page);
});

test("the palette finds sessions, and actions on a skill [S-59]", async () => {
  const { page, gateway } = await openConsole({
    skills: skillsOf("act"),
    prepare: ({ api }) => api("POST", "/v1/sessions", { runtime: "demo", task: "Sort the letters" }),
    at: "/skills?tag=act",
  });
  const { keyboard } = page;
  await settled(page);
  await keyboard.press("Control+k");
  await keyboard.type("sort the");
  await page.getByRole("option", { name: /^Sort the letters/ }).waitFor();
  await checkAccessible(page);
  await keyboard.press("Enter");
  await page.getByRole("heading", { name: "Sort the letters", level: 1 }).waitFor();
  await keyboard.press("Control+k");
  await keyboard.type("disable act-beta");
  await page.getByRole("option", { name: /^Disable act-beta/ }).waitFor();
  await keyboard.press("Enter");
  await page.getByText("act-beta is off").waitFor();
  await keyboard.press("Control+k");
  await keyboard.type("files of act-beta");
  await page.getByRole("option", { name: /^Files of act-beta/ }).waitFor();
  await keyboard.press("Enter");
  await page.waitForURL(`${gateway.url}/skills/act-beta/files`);
});
