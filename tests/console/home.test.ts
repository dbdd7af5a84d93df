import { routeTable } from "@skillhold/protocol/http";
import { expect, test } from "vitest";
import { checkAccessible, checkWidth, openOwnConsole } from "./browser.ts";

test("a new gateway leads from an empty home to an agent's first call, live [S-59]", async () => {
  const opened = await openOwnConsole({ at: "/home" });
  const { page, gateway, api, publish } = opened;
  await page.getByText("Get started, 0 of 4 done").waitFor();
  await checkAccessible(page);
  await page.getByRole("link", { name: "Publish", exact: true }).last().click();
  await page.waitForURL(`${gateway.url}/publish`);
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await publish({ "first-skill": {} });
  await page.getByText("Get started, 1 of 4 done").waitFor();
  await api("PUT", "/v1/skills/first-skill", { visibility: "public" });
  await api("POST", "/v1/agents", { key: "writer", runtime: "demo" });
  await page.getByText("Get started, 2 of 4 done").waitFor();
  const body = { name: "writer", role: "agent", agent: "writer" };
  const { secret } = routeTable.issueToken.answer.parse(await api("POST", "/v1/tokens", body));
  await page.getByText("Get started, 3 of 4 done").waitFor();
  await page.getByText("No use in the last 30 days").waitFor();
  const call = async (path: string, input: object) => {
    const response = await fetch(`${gateway.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify(input),
    });
    expect(response.ok).toBe(true);
    return await response.json();
  };
  const { session } = routeTable.openSession.answer.parse(await call("/v1/sessions", {}));
  await page.getByText(/^Get started/).waitFor({ state: "detached" });
  await page.getByText("not used yet").waitFor();
  await call(`/v1/sessions/${session}/tools/read_skill`, { skill_id: "first-skill" });
  await page.getByText("No skill fails, and all are in use.").waitFor();
  await page.getByText("Show as table").waitFor();
  await page.getByText(/loaded first-skill r1/).waitFor();
  await checkAccessible(page);
  await page.goto(`${gateway.url}/skills/first-skill/activity`);
  await page.getByText("writer loaded first-skill r1").waitFor();
  await page.goto(`${gateway.url}/home`);
  await page.getByText("Show as table").waitFor();
  await page.setViewportSize({ width: 360, height: 740 });
  await checkWidth(page);
});
