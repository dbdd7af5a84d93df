import { expect, test } from "vitest";
import { eventually, openConsole, settled, skillText } from "./browser.ts";

const release = (body: string) => ({ mine: { "SKILL.md": skillText("mine", "About mine.", body) } });

test("two releases are compared, and the earlier one counts again until that is undone [S-43] [S-59]", async () => {
  const { page, gateway, publish, api } = await openConsole({ skills: release("Do it slowly.") });
  await publish(release("Do it fast."));
  const body = () => page.getByRole("main").textContent();
  await page.goto(`${gateway.url}/skills/mine/versions?from=1&to=2`);
  const change = page.getByRole("region", { name: "Change of SKILL.md" });
  await eventually(() => change.textContent()).toMatch(/Do it slowly\.[\s\S]*Do it fast\./);
  await page.getByRole("button", { name: "Roll back to r1" }).click();
  const dialog = page.getByRole("dialog", { name: "Let r1 of mine count" });
  await dialog.getByText("1 file would change").waitFor();
  await dialog.getByRole("button", { name: "Let r1 count" }).click();
  await page.getByText("r1 of mine counts now").waitFor();
  expect(await api("GET", "/v1/skills/mine")).toMatchObject({ entry: { revision: 1 } });
  await page.getByRole("button", { name: "Roll forward to r2" }).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("r2 of mine counts again").waitFor();
  expect(await api("GET", "/v1/skills/mine")).toMatchObject({ entry: { revision: 2 } });
  await page.goto(`${gateway.url}/skills/mine`);
  await settled(page);
  await eventually(body).toContain("Do it fast.");
});

test("a grant lets an agent see a skill, and it is said why [S-46] [S-59]", async () => {
  const { page, gateway, api } = await openConsole({ skills: { mine: {} } });
  await api("POST", "/v1/agents", { key: "scribe", runtime: "langchain", owner: "bob" });
  await page.goto(`${gateway.url}/skills/mine/access?agent=scribe`);
  await settled(page);
  const agents = page.getByRole("region", { name: "Every agent" });
  await eventually(() => agents.getByRole("row", { name: /scribe/ }).textContent()).toContain("not granted");
  await page.getByRole("button", { name: "Grant", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Grant mine" });
  await dialog.getByLabel("Agent").selectOption("scribe");
  await dialog.getByRole("button", { name: "Grant", exact: true }).click();
  await page.getByText("scribe may use mine").waitFor();
  await eventually(() => agents.getByRole("row", { name: /scribe/ }).textContent()).toMatch(
    /r1[\s\S]*grant/i,
  );
  const grants = page.getByRole("region", { name: "Everyone who was granted it" });
  await grants.getByRole("button", { name: "Take the grant of scribe back" }).click();
  await eventually(() => agents.getByRole("row", { name: /scribe/ }).textContent()).toContain("not granted");
});

test("every place of a skill has an address that shows it again [S-59]", async () => {
  const lines = Array.from({ length: 200 }, (_, at) => `print(${at + 1})`).join("\n");
  const { page, gateway, publish } = await openConsole({ skills: { mine: { "scripts/run.py": lines } } });
  await publish({ mine: { "scripts/run.py": "print('changed')\n" } });
  await page.goto(`${gateway.url}/skills/mine/files/scripts/run.py?revision=1#L150`);
  for (const _ of ["first", "again"]) {
    await page.getByText("print(150)").waitFor();
    const top = await page.getByText("print(150)").evaluate((line) => line.getBoundingClientRect().top);
    expect(top).toBeGreaterThanOrEqual(0);
    expect(top).toBeLessThan(800);
    await page.reload();
  }
  for (const tab of ["versions", "access", "dependencies", "activity", "validation"]) {
    await page.goto(`${gateway.url}/skills/mine/${tab}`);
    await settled(page);
    const current = page.getByRole("main").getByRole("link").and(page.locator("[aria-current=page]"));
    expect((await current.textContent())?.toLowerCase()).toContain(tab);
  }
});
