import { expect, test } from "vitest";
import { checkAccessible, eventually, openConsole, settled } from "./browser.ts";
import type { Api } from "./console-api.ts";
import type { OpenedConsole } from "./console-scene.ts";
import { sessionOf } from "./showcase.ts";

/** Someone whose agent runs the skill's script; the answer comes when a person has decided. */
async function runScript(
  opened: OpenedConsole,
  args: readonly string[],
  { skill = "asks", code = 'echo "done $1"\n' } = {},
): Promise<() => Promise<unknown>> {
  const ada = await opened.apiAs({ role: "publisher", user: "ada" });
  await opened.publish({ [skill]: { "scripts/say.sh": code } }, ada);
  const session = sessionOf(await ada("POST", "/v1/sessions", {}));
  return () =>
    ada("POST", `/v1/sessions/${session}/tools/run_skill_script`, {
      skill_id: skill,
      script: "scripts/say.sh",
      args,
    });
}

test("a question appears in the open inbox, and a yes lets the script run [S-28] [S-59]", async () => {
  const opened = await openConsole({ at: "/approvals" });
  const { page } = opened;
  const run = await runScript(opened, ["<b>x y</b>"]);
  await page.getByText("No pending approvals").waitFor();
  const running = run();
  const card = page.getByRole("article", { name: "scripts/say.sh of asks" });
  await card.waitFor();
  await page.getByRole("link", { name: /Approvals 1 open/ }).waitFor();
  expect(await card.textContent()).toContain('"<b>x y</b>"');
  expect(await card.textContent()).toMatch(/Network.*none/);
  await card.getByText("ada", { exact: true }).waitFor();
  await card.getByText("the user ada", { exact: true }).waitFor();
  await card.getByText("Show the code of scripts/say.sh").waitFor();
  await checkAccessible(page);
  await card.getByRole("button", { name: "Approve once" }).click();
  expect(await running).toMatchObject({ ok: true, data: { stdout: "done <b>x y</b>\n" } });
  await page.getByText("No pending approvals").waitFor();
});

test("a question shows the code that would run and its changes since the last approval [S-28] [S-59]", async () => {
  const opened = await openConsole({ at: "/approvals" });
  const { page } = opened;
  const card = page.getByRole("article", { name: "scripts/say.sh of changes" });
  const code = card.getByRole("region", { name: "Text of scripts/say.sh" });
  const approved = (await runScript(opened, ["me"], { skill: "changes" }))();
  await card.waitFor();
  expect(await code.count()).toBe(0);
  await card.getByText("Show the code of scripts/say.sh").click();
  await code.getByText('echo "done $1"').waitFor();
  await card.getByText("No earlier approval to compare with.").waitFor();
  await card.getByRole("button", { name: "Approve once" }).click();
  expect(await approved).toMatchObject({ ok: true });
  await eventually(() => card.count()).toBe(0);
  const changed = { skill: "changes", code: 'echo "gone $1"\n' };
  const denied = (await runScript(opened, ["me"], changed))();
  await card.getByText("Show the code of scripts/say.sh").click();
  const changes = card.getByRole("region", { name: "Change of scripts/say.sh" });
  await changes.getByText('echo "done $1"').first().waitFor();
  await changes.getByText('echo "gone $1"').first().waitFor();
  await settled(page);
  await checkAccessible(page);
  await card.getByRole("button", { name: "Deny" }).click();
  expect(await denied).toMatchObject({ ok: false });
});

test("gives and lists an approval for any arguments and one for everyone [S-28] [S-59]", async () => {
  const opened = await openConsole({ at: "/approvals" });
  const { page } = opened;
  const card = page.getByRole("article", { name: "scripts/say.sh of asks" });
  const running = (await runScript(opened, ["me"]))();
  await card.getByRole("button", { name: "Approve with any arguments" }).click();
  expect(await running).toMatchObject({ ok: true });
  expect(await (await runScript(opened, ["--other", "x"]))()).toMatchObject({ ok: true });
  await page.getByRole("button", { name: "Revoke the approval of scripts/say.sh" }).click();
  await eventually(() => page.getByRole("button", { name: /^Revoke/ }).count()).toBe(0);
  const again = (await runScript(opened, ["me"]))();
  await card.getByRole("button", { name: "Approve for everyone" }).click();
  expect(await again).toMatchObject({ ok: true });
  await page.getByRole("cell", { name: "everyone" }).waitFor();
  await page.getByRole("button", { name: "Revoke the approval of scripts/say.sh" }).click();
  await eventually(() => page.getByRole("button", { name: /^Revoke/ }).count()).toBe(0);
});

test("answers no, and yes for the content, by keyboard, and revokes the approval [S-28] [S-59]", async () => {
  const opened = await openConsole({ at: "/approvals" });
  const { page } = opened;
  const run = await runScript(opened, ["me"]);
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
  await page.getByRole("button", { name: "Revoke the approval of scripts/say.sh" }).click();
  await eventually(() => page.getByRole("button", { name: /^Revoke/ }).count()).toBe(0);
  const asked = run();
  await card.waitFor();
  await card.getByRole("button", { name: "Deny" }).click();
  expect(await asked).toMatchObject({ ok: false });
});

test("an answer to one question does not answer the question that replaces it [S-28] [S-59]", async () => {
  const opened = await openConsole({ at: "/approvals" });
  const { page } = opened;
  const [first, second] = [await runScript(opened, ["first"]), await runScript(opened, ["second"])];
  const running = first();
  const cards = page.getByRole("article", { name: "scripts/say.sh of asks" });
  await cards.nth(0).waitFor();
  const waiting = second();
  await cards.nth(1).waitFor();
  await settled(page);
  // A double click approves only one run.
  await cards.nth(0).getByRole("button", { name: "Approve once" }).dblclick();
  expect(await running).toMatchObject({ ok: true, data: { stdout: "done first\n" } });
  await eventually(() => cards.count()).toBe(1);
  expect(await cards.textContent()).toContain("second");
  await cards.getByRole("button", { name: "Deny" }).click();
  expect(await waiting).toMatchObject({ ok: false });
});

const style = { "references/style.md": "Short sentences.\n" };

/** Uses a skill as a program of the administrator's would. */
async function useSkill(skill: string, api: Api): Promise<string> {
  const opened = await api("POST", "/v1/sessions", { runtime: "demo", task: "Write week 46" });
  // The answer's schema says so.
  const { session } = opened as { readonly session: string };
  const call = (tool: string, input: object) => api("POST", `/v1/sessions/${session}/tools/${tool}`, input);
  await call("read_skill", { skill_id: skill });
  await call("read_skill_resource", { skill_id: skill, path: "references/style.md" });
  await call("read_skill", { skill_id: "no-such" });
  return session;
}

test("the log describes events, is filtered by its address and is verified on request [S-59] [S-62]", async () => {
  const { page, gateway } = await openConsole({
    skills: { "weekly-report": style, "house-style": {} },
    prepare: ({ api }) => useSkill("weekly-report", api),
    at: "/activity",
  });
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
  await page.getByRole("button", { name: "Verify chain" }).click();
  await page.getByText("Chain verified").waitFor();
  await page.getByText(/\d+ entries, signed by this gateway's key/).waitFor();
});

test("new events appear on top, and wait while the reader is further down [S-59]", async () => {
  const keys = Array.from({ length: 110 }, (_, number) => `agent-${number}`);
  const { page, api } = await openConsole({
    prepare: (routes) =>
      Promise.all(keys.map((key) => routes.api("POST", "/v1/agents", { key, runtime: "demo" }))),
    at: "/activity",
  });
  await page.getByText("Live", { exact: true }).first().waitFor();
  await settled(page);
  await api("POST", "/v1/agents", { key: "first", runtime: "demo" });
  await page.getByText("ann added the agent first").waitFor();
  // At the end of a page the next one is read by scrolling to it.
  const scroll = () => page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)");
  await eventually(async () => {
    await scroll();
    return await page.getByText("Start of the log").count();
  }).toBe(1);
  await api("POST", "/v1/agents", { key: "second", runtime: "demo" });
  await page.getByRole("button", { name: "1 new" }).click();
  await page.getByText("ann added the agent second").waitFor();
  await eventually(() => page.evaluate("window.scrollY")).toBe(0);
});

test("a session is a tree of served content, with its differences from today [S-59] [S-62]", async () => {
  let session = "";
  const { page, gateway, publish } = await openConsole({
    skills: { minutes: style },
    prepare: async ({ api }) => {
      session = await useSkill("minutes", api);
    },
    at: "/activity?kind=use",
  });
  await page
    .getByRole("link", { name: session.slice(0, 8) })
    .first()
    .click();
  await page.getByRole("heading", { name: "Write week 46", level: 1 }).waitFor();
  expect(page.url()).toBe(`${gateway.url}/activity/${session}`);
  await page.getByRole("button", { name: /^Loaded minutes/ }).click();
  await page.getByText("What the agent received,").waitFor();
  await page.getByText(/<skill_content name="minutes"/).waitFor();
  await page.getByRole("button", { name: /^Read references\/style\.md/ }).click();
  await page.getByText("Short sentences.").waitFor();
  await page.getByRole("button", { name: /no-such/ }).waitFor();
  await publish({ minutes: { "references/style.md": "Long sentences.\n" } });
  await page.reload();
  const drift = page.getByRole("region", { name: "Changed since this session" });
  await drift.getByRole("link", { name: "minutes" }).waitFor();
  await checkAccessible(page);
  await page.goto(`${gateway.url}/activity/100%25`);
  await page.getByText("Session not found").waitFor();
});
