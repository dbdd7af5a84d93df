import { routeTable } from "@skillhold/protocol/http";
import { expect, test } from "vitest";
import { checkAccessible, checkWidth, openConsole } from "./browser.ts";

const skills = { "shared-notes": {}, "admins-notes": {} };

test("connects an agent with its own token, and shows its first call at once [S-59] [S-70]", async () => {
  const { page, gateway, api } = await openConsole({
    skills,
    prepare: ({ api: call }) => call("PUT", "/v1/skills/shared-notes", { visibility: "public" }),
    at: "/connect",
  });
  await page.getByLabel("Client or framework").selectOption("codex");
  await page.getByText(`url = "${gateway.url}/mcp"`).waitFor();
  await page.getByLabel("Client or framework").selectOption("claude-code");
  expect(await page.getByLabel("Key").inputValue()).toBe("claude-code");
  await page.getByLabel("Key").fill("laptop");
  await page.getByLabel("Key").press("Enter");
  const line = await page.getByText(/^export SKILLHOLD_TOKEN=skh_/).textContent();
  await page.getByText(/^Waiting for the first call of laptop/).waitFor();
  await checkAccessible(page);
  const headers = { authorization: `Bearer ${line?.split("=")[1]}` };
  const response = await fetch(`${gateway.url}/v1/skills`, { headers });
  const seen = routeTable.listSkills.answer.parse(await response.json()).skills;
  // The administrator's own skill is not among them.
  expect(seen.map(({ entry }) => entry.id)).toEqual(["shared-notes"]);
  await page.getByText("First call received").waitFor();
  expect(await api("GET", "/v1/agents/laptop")).toMatchObject({ runtime: "claude-code" });
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.locator('html[data-theme="dark"]').waitFor();
  await checkAccessible(page);
  await checkWidth(page);
});

test("a publisher connects their own agent [S-59] [S-70]", async () => {
  const { page, gateway } = await openConsole({
    who: { role: "publisher", user: "pia" },
    at: "/agents?new",
  });
  await page.getByRole("textbox", { name: "Key" }).fill("pias-agent");
  await page.getByRole("textbox", { name: "Runtime" }).fill("demo");
  await page.getByRole("button", { name: "Add" }).click();
  await page.waitForURL(`${gateway.url}/agents/pias-agent`);
  await page.getByRole("main").getByRole("link", { name: "Connect" }).click();
  expect(await page.getByLabel("Agent", { exact: true }).inputValue()).toBe("pias-agent");
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByText(/^export SKILLHOLD_TOKEN=skh_/).waitFor();
  await page.goto(`${gateway.url}/agents/pias-agent`);
  await page.getByRole("row", { name: /pias-agent in Claude Code/ }).waitFor();
});
