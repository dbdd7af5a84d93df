import { expect, test } from "vitest";
import { checkAccessible, openConsole, settled } from "./browser.ts";
import type { OpenedConsole } from "./console-scene.ts";

const skills = { "weekly-report": { "references/style.md": "Short sentences.\n" }, "house-style": {} };

/** Uses a skill as a program of the administrator's would. */
async function useSkill({ api }: Pick<OpenedConsole, "api">): Promise<string> {
  const opened = await api("POST", "/v1/sessions", { runtime: "demo", task: "Write week 46" });
  // The answer's schema says so.
  const { session } = opened as { readonly session: string };
  const call = (tool: string, input: object) => api("POST", `/v1/sessions/${session}/tools/${tool}`, input);
  await call("read_skill", { skill_id: "weekly-report" });
  await call("read_skill_resource", { skill_id: "weekly-report", path: "references/style.md" });
  await call("read_skill", { skill_id: "no-such" });
  return session;
}

test("the record tells what was done, is filtered by its address and is verified on request [S-59] [S-62]", async () => {
  const { page, gateway, api } = await openConsole({ skills });
  await useSkill({ api });
  await page.goto(`${gateway.url}/activity`);
  await page.getByText("ann published weekly-report r1").waitFor();
  await page.getByText("ann loaded weekly-report r1").waitFor();
  await page.getByLabel("Kind").selectOption("Releases");
  await page.getByText("ann loaded weekly-report r1").waitFor({ state: "detached" });
  await page.getByLabel("Skill", { exact: true }).fill("house-style");
  await page.getByText("published weekly-report").waitFor({ state: "detached" });
  expect(page.url()).toBe(`${gateway.url}/activity?kind=releases&skill=house-style`);
  await page.reload();
  await page.getByRole("button", { name: /^Entry \d+, skill.published$/ }).click();
  await page.getByText('"type": "skill.published"').waitFor();
  await checkAccessible(page);
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByText("ann loaded weekly-report r1").waitFor();
  await page.getByRole("button", { name: "Verify the record" }).click();
  await page.getByText("Chain verified").waitFor();
  await page.getByText(/\d+ entries, signed by this gateway's key/).waitFor();
});

test("what happens meanwhile comes on top, and waits for who reads further down [S-59]", async () => {
  const { page, gateway, api } = await openConsole({ skills });
  const keys = Array.from({ length: 110 }, (_, number) => `agent-${number}`);
  await Promise.all(keys.map((key) => api("POST", "/v1/agents", { key, runtime: "demo" })));
  await page.goto(`${gateway.url}/activity`);
  await page.getByText("Live", { exact: true }).first().waitFor();
  await settled(page);
  await api("POST", "/v1/agents", { key: "first", runtime: "demo" });
  await page.getByText("ann added the agent first").waitFor();
  // The end of the first page is there, and the next one is read by scrolling to it.
  await page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)");
  await page.getByText("The record begins here.").waitFor();
  await api("POST", "/v1/agents", { key: "second", runtime: "demo" });
  await page.getByRole("button", { name: "1 new" }).click();
  await page.getByText("ann added the agent second").waitFor();
  expect(await page.evaluate("window.scrollY")).toBe(0);
});

test("a session is a tree of what was handed over, with what differs today [S-59] [S-62]", async () => {
  const { page, gateway, api, publish } = await openConsole({ skills });
  const session = await useSkill({ api });
  await page.goto(`${gateway.url}/activity?kind=use`);
  await page
    .getByRole("link", { name: session.slice(0, 8) })
    .first()
    .click();
  await page.getByRole("heading", { name: "Write week 46", level: 1 }).waitFor();
  expect(page.url()).toBe(`${gateway.url}/activity/${session}`);
  await page.getByRole("button", { name: /^Loaded weekly-report/ }).click();
  await page.getByText("What the agent was handed,").waitFor();
  await page.getByText(/<skill_content name="weekly-report"/).waitFor();
  await page.getByRole("button", { name: /^Read references\/style\.md/ }).click();
  await page.getByText("Short sentences.").waitFor();
  await page.getByRole("button", { name: /no-such/ }).waitFor();
  await publish({ "weekly-report": { "references/style.md": "Long sentences.\n" } });
  await page.reload();
  const drift = page.getByRole("region", { name: "What differs today" });
  await drift.getByRole("link", { name: "weekly-report" }).waitFor();
  await checkAccessible(page);
  await page.goto(`${gateway.url}/activity/100%25`);
  await page.getByText("There is no such session on record").waitFor();
});
