import { expect, test } from "vitest";
import { checkAccessible, eventually, openConsole, settled } from "./browser.ts";
import type { OpenedConsole } from "./console-scene.ts";
import { sessionOf } from "./showcase.ts";

const skills = { asks: { "scripts/say.sh": 'echo "done $1"\n' } };

/** Someone whose agent runs the skill's script; the answer comes when a person has decided. */
async function runScript(opened: OpenedConsole, args: readonly string[]): Promise<() => Promise<unknown>> {
  const ada = await opened.apiAs({ role: "publisher", user: "ada" });
  await opened.publish(skills, ada);
  const session = sessionOf(await ada("POST", "/v1/sessions", {}));
  return () =>
    ada("POST", `/v1/sessions/${session}/tools/run_skill_script`, {
      skill_id: "asks",
      script: "scripts/say.sh",
      args,
    });
}

test("a question appears in the open inbox by itself, and a yes lets the script run [S-28] [S-59]", async () => {
  const opened = await openConsole();
  const { page, gateway } = opened;
  const run = await runScript(opened, ["<b>x y</b>"]);
  await page.goto(`${gateway.url}/approvals`);
  await page.getByText("Nobody waits for you").waitFor();
  const running = run();
  const card = page.getByRole("article", { name: "scripts/say.sh of asks" });
  await card.waitFor();
  expect(await page.getByRole("link", { name: /Approvals 1 open/ }).count()).toBe(1);
  expect(await card.textContent()).toContain('"<b>x y</b>"');
  expect(await card.textContent()).toMatch(/Network.*none/);
  await checkAccessible(page);
  await card.getByRole("button", { name: "Approve once" }).click();
  expect(await running).toMatchObject({ ok: true, data: { stdout: "done <b>x y</b>\n" } });
  await page.getByText("Nobody waits for you").waitFor();
});

test("a no and a yes for the content are given by keys, and what was approved is taken back [S-28] [S-59]", async () => {
  const opened = await openConsole();
  const { page, gateway } = opened;
  const run = await runScript(opened, ["me"]);
  await page.goto(`${gateway.url}/approvals`);
  await settled(page);
  const card = page.getByRole("article", { name: "scripts/say.sh of asks" });
  const refused = run();
  await card.getByRole("button", { name: "Deny" }).and(page.locator("[aria-keyshortcuts]")).waitFor();
  await page.keyboard.press("d");
  expect(await refused).toMatchObject({ ok: false });
  await eventually(() => card.count()).toBe(0);
  const running = run();
  await card.getByRole("button", { name: "Deny" }).and(page.locator("[aria-keyshortcuts]")).waitFor();
  await page.keyboard.press("c");
  expect(await running).toMatchObject({ ok: true });
  expect(await run()).toMatchObject({ ok: true });
  await page.getByRole("button", { name: "Take back the approval of scripts/say.sh" }).click();
  await eventually(() => page.getByRole("button", { name: /^Take back/ }).count()).toBe(0);
  const asked = run();
  await card.waitFor();
  await card.getByRole("button", { name: "Deny" }).click();
  expect(await asked).toMatchObject({ ok: false });
});
