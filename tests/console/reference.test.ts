import { expect, test } from "vitest";
import { checkAccessible, checkWidth, eventually, excuse, openConsole, settled } from "./browser.ts";

test("the API view lists the routes of the gateway, finds one and sends a read [S-53] [S-59]", async () => {
  const { page, gateway } = await openConsole({ skills: { listed: {} }, at: "/api" });
  await page.getByText(/^\d{3} routes$/).waitFor();
  await checkAccessible(page);
  await page.keyboard.press("/");
  await page.keyboard.type("show a skill's metrics metrics usage of a skill");
  await page.getByText("No matching routes").waitFor();
  await page.getByLabel("Search routes").fill("get /v1/skills list skills");
  const row = page.getByRole("button", { name: /^GET \/v1\/skills List skills/ });
  await row.press("Enter");
  expect(new URL(page.url()).searchParams.get("route")).toBe("listSkills");
  await page.getByRole("button", { name: "Try it" }).click();
  const form = page.getByRole("form", { name: "Try GET /v1/skills" });
  await form.getByLabel("limit").fill("1");
  await form.getByRole("button", { name: "Send" }).click();
  await form.getByText("200", { exact: true }).waitFor();
  await eventually(() => form.getByRole("region", { name: "Response" }).textContent()).toContain(
    '"skills": [',
  );
  await checkAccessible(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await checkAccessible(page);
  await page.setViewportSize({ width: 360, height: 740 });
  await settled(page);
  await checkWidth(page);
  await page.goto(`${gateway.url}/api?route=listSkills`);
  await page.getByRole("button", { name: /^GET \/v1\/skills List skills/, expanded: true }).waitFor();
});

test("a request that changes something is sent only after a confirmation [S-59]", async () => {
  const visitor = await openConsole({ skills: { toggled: {} }, at: "/api?route=toggleSkill" });
  const { page, api } = visitor;
  await page.getByRole("button", { name: "Try it" }).click();
  const form = page.getByRole("form", { name: "Try POST /v1/skills/{id}/toggle" });
  const send = form.getByRole("button", { name: "Send" });
  await form.getByLabel("id *").fill("toggled");
  await form.getByLabel("Body").fill('{ "enabled": false }');
  expect(await send.isDisabled()).toBe(true);
  await form.getByRole("checkbox").check();
  await send.click();
  await form.getByText("200", { exact: true }).waitFor();
  expect(await api("GET", "/v1/skills/toggled")).toMatchObject({ registry: { enabled: false } });
  // Each request is confirmed by itself.
  expect(await send.isDisabled()).toBe(true);
  await form.getByLabel("Body").fill("{");
  await form.getByRole("checkbox").check();
  await send.click();
  await form.getByText("The body must be JSON.").waitFor();
  await form.getByLabel("id *").fill("absent");
  await form.getByLabel("Body").fill('{ "enabled": true }');
  await form.getByRole("checkbox").check();
  await send.click();
  await form.getByText("404", { exact: true }).waitFor();
  excuse(visitor, /404/);
});
