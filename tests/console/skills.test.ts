import { expect, test } from "vitest";
import { eventually, openConsole, settled } from "./browser.ts";

const skills = { alpha: {}, beta: {}, gamma: {} };

test("a skill that is switched off leaves the catalogue, and comes back with undo [S-59]", async () => {
  const { page, gateway } = await openConsole({ skills });
  const block = () => page.getByRole("region", { name: "The prompt block" }).textContent();
  await page.goto(`${gateway.url}/catalogue`);
  await eventually(block).toContain("beta");
  await page.getByRole("link", { name: "Skills", exact: true }).click();
  await page.getByRole("switch", { name: /^beta/ }).click();
  await page.getByText("beta is off").waitFor();
  await page.getByRole("link", { name: "Catalogue" }).click();
  await eventually(block).not.toContain("beta");
  expect(await block()).toContain("alpha");
  await page.getByRole("button", { name: "Undo" }).click();
  await eventually(block).toContain("beta");
});

test("several skills are put away at once, and brought back with undo [S-59]", async () => {
  const { page } = await openConsole({ skills });
  await page.getByRole("checkbox", { name: "Choose alpha" }).check();
  await page.getByRole("checkbox", { name: "Choose gamma" }).check();
  await page.getByRole("toolbar", { name: "Chosen skills" }).getByRole("button", { name: "Delete" }).click();
  await page.getByText("2 skills deleted").waitFor();
  await eventually(() => page.getByRole("link", { name: /^(alpha|gamma)$/ }).count()).toBe(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await eventually(() => page.getByRole("link", { name: /^(alpha|gamma)$/ }).count()).toBe(2);
});

test("the keyboard is enough: /, j, k, Enter, ⌘K, g s and ? [S-59]", async () => {
  const { page, gateway } = await openConsole({ skills });
  const { keyboard } = page;
  await settled(page);
  await keyboard.press("/");
  await keyboard.type("bet");
  await eventually(() => page.url()).toBe(`${gateway.url}/skills?q=bet`);
  await keyboard.press("Control+a");
  await keyboard.press("Delete");
  await keyboard.press("Tab");
  await page.evaluate("document.activeElement.blur()");
  for (const key of ["j", "j", "j", "k", "Enter"]) await keyboard.press(key);
  await page.waitForURL(`${gateway.url}/skills/beta`);
  await keyboard.press("g");
  await keyboard.press("c");
  await page.waitForURL(`${gateway.url}/catalogue`);
  await keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Skill, view or command" }).waitFor();
  await keyboard.type("gamma");
  await page.getByRole("option", { name: /^gamma/ }).waitFor();
  await keyboard.press("Enter");
  await page.waitForURL(`${gateway.url}/skills/gamma`);
  await keyboard.press("g");
  await keyboard.press("s");
  await page.waitForURL(`${gateway.url}/skills`);
  await keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await keyboard.press("Escape");
  await eventually(() => page.getByRole("dialog").count()).toBe(0);
});

test("two browsers see each other's changes by themselves [S-59]", async () => {
  const first = await openConsole({ skills });
  const second = await first.visit();
  await second.page.getByText("Live", { exact: true }).first().waitFor();
  await first.page.getByRole("switch", { name: /^alpha/ }).click();
  const theirs = second.page.getByRole("switch", { name: /^alpha/ });
  await eventually(() => theirs.getAttribute("aria-checked")).toBe("false");
  await second.page.getByRole("switch", { name: /^gamma/ }).click();
  const mine = first.page.getByRole("switch", { name: /^gamma/ });
  await eventually(() => mine.getAttribute("aria-checked")).toBe("false");
  await first.publish({ delta: {} });
  for (const { page } of [first, second]) await page.getByRole("link", { name: "delta" }).waitFor();
});

test("what was lost with the connection is there when it comes back [S-59]", async () => {
  const opened = await openConsole({ skills });
  const { page, context } = opened;
  await page.getByText("Live", { exact: true }).first().waitFor();
  await context.setOffline(true);
  await opened.publish({ delta: {} });
  await context.setOffline(false);
  await page.getByRole("link", { name: "delta" }).waitFor();
  opened.complaints.splice(
    0,
    opened.complaints.length,
    ...opened.complaints.filter((text) => !/ERR_INTERNET_DISCONNECTED/.test(text)),
  );
});

test("an address shows the same again: filters, order, words and tab [S-59]", async () => {
  const { page, gateway, context } = await openConsole({ skills });
  await page.getByRole("switch", { name: /^beta/ }).click();
  await page.getByText("beta is off").waitFor();
  await page.getByRole("button", { name: /^Disabled/ }).click();
  await page.getByRole("combobox", { name: "Order" }).selectOption("updated");
  await page.getByRole("searchbox", { name: "Search skills" }).fill("beta");
  await page.waitForURL(/q=beta/);
  const address = page.url();
  expect(new URL(address).search).toMatch(/health=disabled.*order=updated.*q=beta/);
  for (const again of [page, await context.newPage()]) {
    await again.goto(address);
    await settled(again);
    expect(await again.getByRole("searchbox", { name: "Search skills" }).inputValue()).toBe("beta");
    expect(await again.getByRole("combobox", { name: "Order" }).inputValue()).toBe("updated");
    expect(await again.getByRole("button", { name: /^Disabled/ }).getAttribute("aria-pressed")).toBe("true");
    expect(await again.getByRole("link", { name: /^(alpha|beta|gamma)$/ }).allTextContents()).toEqual([
      "beta",
    ]);
  }
  await page.goto(`${gateway.url}/catalogue?format=json&task=maps&runtime=crewai&state=visible`);
  await settled(page);
  await page.reload();
  expect(await page.getByRole("combobox", { name: /^Format/ }).inputValue()).toBe("json");
  expect(await page.getByRole("textbox", { name: /^Task/ }).inputValue()).toBe("maps");
  expect(await page.getByRole("textbox", { name: /^Runtime/ }).inputValue()).toBe("crewai");
  expect(await page.getByRole("button", { name: "visible" }).getAttribute("aria-pressed")).toBe("true");
});
