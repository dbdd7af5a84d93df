import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import {
  checkAccessible,
  checkWidth,
  eventually,
  excuse,
  openConsole,
  settled,
  skillText,
} from "./browser.ts";

const script = (sum: number) => `import sys\n\n\ndef main():\n    total = ${sum}\n    print(total)\n`;
const invoices = (sum: number) => ({
  "SKILL.md": skillText(
    "invoices",
    "Reads invoices and adds them up.",
    "# Steps\n\nSee [the rules](references/rules.md).\n",
    `version: 1.${sum}.0\n`,
  ),
  "scripts/add.py": script(sum),
  "references/rules.md": "# Rules\n\nAdd all of them.\n",
  "assets/mark.bin": "\0\0",
});

const hostile = skillText(
  "hostile",
  "About nothing.",
  `<script>window.harm = 1</script>
<img src="x" onerror="window.harm = 1">

[run](javascript:window.harm=1) [data](data:text/html,x) [out](../../v1/me) [page](https://example.org/)
![beacon](https://evil.example/beacon.png)
\u202Eright to left ${"long".repeat(5000)}`,
  "metadata:\n  openclaw:\n    homepage: javascript:window.harm=1\n",
);

async function open(page: Page, url: string, place: string): Promise<void> {
  await page.goto(`${url}/skills/${place}`);
  await settled(page);
}

test("every part of a skill has an address, and can be read and reached by everyone [S-59]", async () => {
  const { page, gateway, publish, visit } = await openConsole({ skills: { invoices: invoices(1) } });
  await publish({ invoices: invoices(2) });
  const small = await visit({ theme: "dark", width: 360 });
  const parts = ["", "/files", "/versions", "/access", "/dependencies", "/activity", "/validation"];
  for (const part of parts) {
    for (const each of [page, small.page]) {
      await open(each, gateway.url, `invoices${part}`);
      await each.getByRole("heading", { name: "invoices", level: 1 }).waitFor();
      await checkAccessible(each);
      await checkWidth(each);
    }
  }
}, 120_000);

test("links and findings lead to files and lines, which have addresses [S-59]", async () => {
  const { page, gateway } = await openConsole({ skills: { invoices: invoices(1) } });
  await open(page, gateway.url, "invoices");
  await page.getByRole("link", { name: "the rules" }).click();
  await page.getByRole("heading", { name: "references/rules.md" }).waitFor();
  await page
    .getByRole("navigation", { name: "Files" })
    .getByRole("link", { name: /add\.py/ })
    .click();
  await page.getByRole("link", { name: "Line 5", exact: true }).click();
  expect(page.url()).toBe(`${gateway.url}/skills/invoices/files/scripts/add.py#L5`);
  await page.reload();
  const line = page.getByRole("link", { name: "Line 5", exact: true });
  await eventually(() => line.getAttribute("aria-current"), { timeout: 10_000 }).toBe("location");
  await page.locator("code span", { hasText: "def" }).first().waitFor();
  await page.getByRole("link", { name: /mark\.bin/ }).click();
  await page.getByText("This file is not text").waitFor();
  await open(page, gateway.url, "invoices/validation?profile=strict");
  await page.getByRole("link", { name: "line 4" }).click();
  const found = page.getByRole("link", { name: "Line 4", exact: true });
  await expect.poll(() => found.getAttribute("aria-current"), { timeout: 10_000 }).toBe("location");
});

test("another revision is compared, counts again, and that is undone [S-59]", async () => {
  const { page, gateway, publish, api } = await openConsole({ skills: { invoices: invoices(1) } });
  await publish({ invoices: invoices(2) });
  await open(page, gateway.url, "invoices/versions");
  const change = page.getByRole("region", { name: "Change of scripts/add.py" });
  await change.getByText("total = 1").first().waitFor();
  await change.getByText("total = 2").first().waitFor();
  await page.getByRole("button", { name: "Roll back to r1" }).click();
  const dialog = page.getByRole("dialog", { name: "Let r1 of invoices count" });
  await dialog.getByText("2 files would change").waitFor();
  await checkAccessible(page);
  await dialog.getByRole("button", { name: "Let r1 count" }).click();
  await page.getByRole("row", { name: /r1 .*counts/ }).waitFor();
  expect(await api("GET", "/v1/skills/invoices")).toMatchObject({ entry: { revision: 1 } });
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("row", { name: /r2 .*counts/ }).waitFor();
  expect(await api("GET", "/v1/skills/invoices")).toMatchObject({ entry: { revision: 2 } });
});

test("a grant is given and explained, and seen by another browser [S-59]", async () => {
  const { page, gateway, api, apiAs, publish, visit } = await openConsole();
  const bob = await apiAs({ role: "publisher", user: "bob" });
  await publish({ invoices: invoices(1) }, bob);
  await api("POST", "/v1/agents", { key: "writer", runtime: "demo", owner: "cat" });
  const other = await visit();
  await open(other.page, gateway.url, "invoices/access?agent=writer");
  await other.page.getByText("No.", { exact: true }).waitFor();
  await open(page, gateway.url, "invoices/access");
  await page.getByRole("button", { name: "Grant", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Grant invoices" });
  await dialog.getByRole("combobox", { name: "Agent" }).selectOption("writer");
  await dialog.getByRole("combobox", { name: /^Revision/ }).selectOption("1");
  await checkAccessible(page);
  await dialog.getByRole("button", { name: "Grant", exact: true }).click();
  await page.getByRole("row", { name: /^agent writer/ }).waitFor();
  await other.page.getByText("By a grant to the agent.").waitFor();
  await page.getByRole("button", { name: "Take the grant of writer back" }).click();
  await other.page.getByText("No.", { exact: true }).waitFor();
});

test("what is shown is edited, and not over what someone else has changed meanwhile [S-59]", async () => {
  const visitor = await openConsole({ skills: { invoices: invoices(1) } });
  const { page, gateway, api } = visitor;
  await open(page, gateway.url, "invoices");
  const edit = async () => {
    await page.getByRole("button", { name: "More to do" }).click();
    await page.getByRole("button", { name: "Edit what is shown" }).click();
    return page.getByRole("dialog", { name: "Edit invoices" });
  };
  const first = await edit();
  await first.getByLabel("Name to show").fill("Bills");
  await first.getByLabel("Tags").fill("office, money");
  await first.getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "money" }).waitFor();
  const second = await edit();
  await second.getByLabel("Description").fill("Mine.");
  await api("PUT", "/v1/skills/invoices", { description: "Theirs." });
  await second.getByRole("button", { name: "Save" }).click();
  await second.getByText("It is not as you last saw it.").waitFor();
  excuse(visitor, /412/);
  expect(await api("GET", "/v1/skills/invoices")).toMatchObject({
    entry: { name: "Bills", description: "Theirs." },
  });
});

test("what someone else deletes can be restored, and so can what one deletes by typing its id [S-59]", async () => {
  const { page, gateway, api } = await openConsole({ skills: { invoices: invoices(1), plain: {} } });
  await open(page, gateway.url, "plain");
  await api("DELETE", "/v1/skills/plain");
  await page.getByText("It is deleted.").waitFor();
  await page.getByRole("button", { name: "Restore" }).click();
  await page.getByRole("switch", { name: /plain/ }).waitFor();
  await api("DELETE", "/v1/skills/plain");
  await open(page, gateway.url, "invoices");
  await page.getByRole("button", { name: "More to do" }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete invoices" });
  expect(await dialog.getByRole("button", { name: "Delete" }).isDisabled()).toBe(true);
  await dialog.getByLabel("Type invoices to go on").fill("invoices");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("No skills yet").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("link", { name: "invoices" }).waitFor();
});

test("a hostile SKILL.md stays harmless [S-59]", async () => {
  const { page, gateway } = await openConsole({ skills: { hostile: { "SKILL.md": hostile } } });
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await open(page, gateway.url, "hostile");
  await page.getByText("beacon").waitFor();
  const links: unknown = await page.evaluate(
    `[...document.querySelectorAll("#main a")].map((link) => link.href).filter((href) => !href.startsWith(location.origin + "/skills"))`,
  );
  expect(links).toEqual(["https://example.org/"]);
  expect(await page.getByRole("link", { name: /^page/ }).getAttribute("rel")).toBe("noopener noreferrer");
  expect(await page.evaluate("window.harm")).toBeUndefined();
  expect(asked.filter((url) => !url.startsWith(gateway.url))).toEqual([]);
  await checkWidth(page);
  await checkAccessible(page);
});
