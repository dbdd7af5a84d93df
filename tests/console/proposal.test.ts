import { expect, test } from "vitest";
import { checkAccessible, checkWidth, eventually, openConsole } from "./browser.ts";
import type { ConsoleApi } from "./console-api.ts";
import { sessionOf } from "./showcase.ts";
import { skillText } from "./skill-zip.ts";

const text = (line: string) => skillText("release-steps", "How a release is made, step by step.", line);

/** An agent with a token of its own reads the skill and proposes a change of it. */
async function propose({ api, apiAs, publish }: ConsoleApi): Promise<void> {
  await publish({ "release-steps": { "SKILL.md": text("Tag the commit and write the notes.") } });
  await api("POST", "/v1/agents", { key: "improver", runtime: "demo" });
  await api("PUT", "/v1/skills/release-steps/grants/agent/improver", {});
  const agent = await apiAs({ role: "agent", user: "agent:improver", agent: "improver" });
  const session = sessionOf(await agent("POST", "/v1/sessions", { task: "Make a release" }));
  const tool = (name: string, input: object) => agent("POST", `/v1/sessions/${session}/tools/${name}`, input);
  await tool("read_skill", { skill_id: "release-steps" });
  const proposed = await tool("propose_skill_update", {
    skill_id: "release-steps",
    justification: "The tag must be signed, or the pipeline stops.",
    edits: [{ path: "SKILL.md", old: "Tag the commit", new: "Sign the tag of the commit" }],
    evidence: [{ text: "The pipeline of Monday stopped at the tag." }],
  });
  expect(proposed).toMatchObject({ ok: true });
}

test("reads, discusses, approves and applies an agent's proposal by keyboard [S-49] [S-59]", async () => {
  const { page, gateway, api } = await openConsole({ at: "/proposals", prepare: propose });
  await page.getByRole("link", { name: /Proposals 1 open/ }).waitFor();
  await page.getByRole("link", { name: /release-steps/ }).waitFor();
  await checkAccessible(page);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Change of release-steps", level: 1 }).waitFor();
  await page.getByText("The tag must be signed, or the pipeline stops.").waitFor();
  await page.getByText("The pipeline of Monday stopped at the tag.").waitFor();
  await page.getByText("by improver", { exact: false }).first().waitFor();
  const diff = page.getByRole("region", { name: "Change of SKILL.md" });
  await eventually(() => diff.locator("mark:visible").allTextContents()).toContain("Sign");
  await page.getByRole("button", { name: "Unified" }).click();
  await page.getByRole("button", { name: "Side by side" }).waitFor();
  await checkAccessible(page);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.locator('html[data-theme="dark"]').waitFor();
  await checkAccessible(page);
  await checkWidth(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  expect(await page.getByRole("button", { name: "Request changes" }).isDisabled()).toBe(true);
  await page.keyboard.press("c");
  await page.keyboard.type("Which pipeline?");
  await page.getByRole("button", { name: "Comment" }).click();
  await page.getByText("Which pipeline?").waitFor();
  // The change may arrive over the socket before the response, and until then no other act is possible.
  await eventually(() => page.getByRole("button", { name: "Approve" }).isEnabled()).toBe(true);
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("a");
  await page.getByRole("button", { name: "Apply" }).waitFor();
  await eventually(() => page.getByRole("button", { name: "Apply" }).isEnabled()).toBe(true);
  await page.keyboard.press("p");
  await page.getByRole("link", { name: "applied as r2" }).waitFor();
  expect(await api("GET", "/v1/skills/release-steps")).toMatchObject({
    body: expect.stringContaining("Sign the tag of the commit"),
  });
  await page.goto(`${gateway.url}/skills/release-steps/proposals`);
  await page.getByRole("link", { name: /release-steps applied/ }).waitFor();
  await page.goto(`${gateway.url}/proposals`);
  await page.getByText("No proposal waits for you").waitFor();
});
