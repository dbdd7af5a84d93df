import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { checkAccessible, eventually, openConsole, settled } from "./browser.ts";
import type { OpenedConsole } from "./console-scene.ts";
import { sessionOf } from "./showcase.ts";

/** Runs a script of the administrator's skill as the agent; an administrator's skill runs without a question. */
async function runAs(opened: OpenedConsole, agent: string, skill: string): Promise<string> {
  await opened.api("POST", "/v1/agents", { key: agent, runtime: "demo" });
  const api = await opened.apiAs({ role: "agent", user: `${agent}-owner`, agent });
  await opened.publish({ [skill]: { "scripts/say.sh": 'cat; echo "key sk-abcdefgh12345678 $1" >&2\n' } });
  await opened.api("PUT", `/v1/skills/${skill}/grants/agent/${agent}`, {});
  const session = sessionOf(await api("POST", "/v1/sessions", {}));
  const input = { skill_id: skill, script: "scripts/say.sh", args: ["now"], stdin: "hello" };
  await api("POST", `/v1/sessions/${session}/tools/run_skill_script`, input);
  return session;
}

test("shows a run as one row that opens to its steps, by mouse and keyboard [S-59] [S-62]", async () => {
  const opened = await openConsole({ at: "/activity?kind=runs" });
  const { page } = opened;
  const session = await runAs(opened, "grouper", "grouped");
  const row = page.getByRole("button", { name: /^Run of scripts\/say\.sh, exit 0/ });
  await row.waitFor();
  await page.getByText(/^grouper ran scripts\/say\.sh of grouped/).waitFor();
  await eventually(() => page.getByRole("button", { name: /^Entry/ }).count()).toBe(0);
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  const steps = page.getByRole("list", { name: "Steps of scripts/say.sh" });
  await steps.getByText("Requested to run scripts/say.sh of grouped").waitFor();
  expect(await steps.getByRole("listitem").count()).toBe(3);
  await checkAccessible(page);
  await page.keyboard.press("x");
  await steps.waitFor({ state: "detached" });
  await row.click();
  await page.getByRole("link", { name: "Open session" }).click();
  await page.waitForURL(`**/activity/${session}`);
});

test("a session shows a script's input and output, without secrets [S-59] [S-62]", async () => {
  const opened = await openConsole();
  const { page, gateway } = opened;
  const session = await runAs(opened, "reader", "told");
  await page.goto(`${gateway.url}/activity/${session}`);
  await page.getByRole("button", { name: /^Run scripts\/say\.sh/ }).click();
  await page.getByText('"now"').first().waitFor();
  const text = (name: string) => page.getByRole("region", { name, exact: true });
  await text("Standard input").getByText("hello").waitFor();
  await text("Output").getByText("hello").waitFor();
  await text("Errors").getByText("key [redacted] now").waitFor();
  await checkAccessible(page);
});

test("the gateway filters the log by agent, person and day, and exports the filtered log [S-59]", async () => {
  const opened = await openConsole({ at: "/activity", width: 360, height: 800 });
  const { page } = opened;
  await runAs(opened, "filtered", "chosen");
  await page.getByLabel("Agent", { exact: true }).fill("filtered");
  await page.getByText("filtered opened a session in demo").waitFor();
  await page
    .getByText(/ann published/)
    .first()
    .waitFor({ state: "detached" });
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export" }).click();
  await page.getByRole("button", { name: "CSV" }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe("activity.csv");
  const lines = (await readFile(await download.path(), "utf8")).trimEnd().split("\r\n");
  expect(lines.length).toBeGreaterThan(4);
  expect(lines.slice(1).every((line) => line.includes(",filtered,"))).toBe(true);
  await page.getByLabel("Agent", { exact: true }).fill("");
  await page.getByLabel("Person").fill("filtered-owner");
  await page.getByText("filtered opened a session in demo").waitFor();
  await page.getByLabel("From", { exact: true }).fill("2031-01-01");
  await page.getByText("No matching events").waitFor();
  await page.getByLabel("From", { exact: true }).fill("2020-01-01");
  await page.getByLabel("To", { exact: true }).fill("2030-12-31");
  await page.getByText("filtered opened a session in demo").waitFor();
  await settled(page);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
  await checkAccessible(page);
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByText(/ann published chosen/).waitFor();
});
