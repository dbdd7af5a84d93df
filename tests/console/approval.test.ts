import { expect, test } from "vitest";
import { checkAccessible, checkWidth, eventually, openConsole } from "./browser.ts";
import type { Api } from "./console-api.ts";
import type { OpenedConsole } from "./console-scene.ts";
import { sessionOf } from "./showcase.ts";

const pat = { role: "publisher", user: "pat" } as const;
const scripts = { "scripts/say.sh": 'echo "done $1"\n' };

/** Publishes a skill as its owner, and lets bob use it. */
async function lend(skill: string, owner: Api): Promise<void> {
  await owner("PUT", `/v1/skills/${skill}/grants/user/bob`, {});
}

async function runAs(api: Api, skill: string): Promise<() => Promise<unknown>> {
  const session = sessionOf(await api("POST", "/v1/sessions", {}));
  const path = `/v1/sessions/${session}/tools/run_skill_script`;
  return () => api("POST", path, { skill_id: skill, script: "scripts/say.sh", args: ["it"] });
}

/** pat owns one skill and ann another; bob runs both, and both runs wait. */
async function furnish({ apiAs, publish }: Pick<OpenedConsole, "apiAs" | "publish">) {
  const [own, other] = [await apiAs(pat), await apiAs({ role: "publisher", user: "olga" })];
  await publish({ "pats-tool": scripts }, own);
  await publish({ "olgas-tool": scripts }, other);
  await lend("pats-tool", own);
  await lend("olgas-tool", other);
}

test("a publisher answers runs of their own skills, and sees only the activity of these [S-70] [S-59]", async () => {
  const opened = await openConsole({ prepare: furnish, who: pat, at: "/approvals" });
  const { page, gateway } = opened;
  const bob = await opened.apiAs({ role: "publisher", user: "bob" });
  await page.getByText("No pending approvals").waitFor();
  const runs = [await runAs(bob, "olgas-tool"), await runAs(bob, "pats-tool")];
  const running = runs.map((run) => run());
  const card = page.getByRole("article", { name: "scripts/say.sh of pats-tool" });
  await card.waitFor();
  await eventually(() => page.title()).toBe("(1) Approvals · Skillhold");
  await page.getByRole("link", { name: /Approvals 1 open/ }).waitFor();
  expect(await page.getByRole("article").count()).toBe(1);
  expect(await card.getByRole("button", { name: "Approve for everyone" }).count()).toBe(0);
  await card.getByText("Show the code of scripts/say.sh").click();
  await card.getByRole("region", { name: "Text of scripts/say.sh" }).getByText("done").waitFor();
  await checkAccessible(page);
  await card.getByRole("button", { name: "Approve once" }).click();
  expect(await running[1]).toMatchObject({ ok: true });
  const history = page.getByRole("region", { name: "History" });
  await history.getByText(/pats-tool/).waitFor();
  await eventually(() => page.title()).toBe("Approvals · Skillhold");
  await page.goto(`${gateway.url}/activity`);
  await page.getByRole("button", { name: /^Run of scripts\/say.sh/ }).waitFor();
  expect(await page.getByRole("main").textContent()).not.toContain("olgas-tool");
  expect(await page.getByRole("button", { name: "Verify chain" }).count()).toBe(0);
  await checkAccessible(page);
  await page.setViewportSize({ width: 360, height: 740 });
  await checkWidth(page);
  const { questions } = Object(await opened.api("GET", "/v1/approvals"));
  await opened.api("POST", `/v1/approvals/${questions[0].id}`, { answer: "deny" });
  expect(await running[0]).toMatchObject({ ok: false });
});

test("an administrator names the approvers of a skill, and its owner then only reads [S-70] [S-59]", async () => {
  const zoe = { role: "publisher", user: "zoe" } as const;
  const opened = await openConsole({
    prepare: async ({ apiAs, publish }) => {
      const owner = await apiAs(zoe);
      await publish({ "zoes-tool": scripts }, owner);
      await lend("zoes-tool", owner);
      await apiAs({ role: "publisher", user: "max" });
    },
    at: "/skills/zoes-tool/access",
  });
  const { page, complaints } = opened;
  const panel = page.getByRole("region", { name: "Approvers" });
  await panel.getByText(/the owner, by users who manage/).waitFor();
  const add = async (name: string) => {
    await panel
      .getByRole("textbox", { name: "User" })
      .or(panel.getByRole("combobox", { name: "User" }))
      .fill(name);
    await page.keyboard.press("Enter");
  };
  await add("nobody-here");
  await page.getByText("There is no user nobody-here.").waitFor();
  // The browser reports the rejected name.
  await eventually(() => complaints.splice(0).join()).toMatch(/404.*approvers/);
  await add("bob");
  await panel.getByRole("list", { name: "Named approvers" }).getByText("bob").waitFor();
  await checkAccessible(page);
  const owner = await opened.visit({ who: zoe, at: "/approvals" });
  const running = (await runAs(await opened.apiAs({ role: "publisher", user: "bob" }), "zoes-tool"))();
  const card = owner.page.getByRole("article", { name: "scripts/say.sh of zoes-tool" });
  await card.getByText("An approver of this skill or an administrator answers.").waitFor();
  expect(await card.getByRole("button", { name: /Approve|Deny/ }).count()).toBe(0);
  expect(await owner.page.title()).toBe("Approvals · Skillhold");
  await panel.getByRole("button", { name: "Remove the approver bob" }).click();
  await panel.getByText(/the owner, by users who manage/).waitFor();
  await card.getByRole("button", { name: "Deny" }).click();
  expect(await running).toMatchObject({ ok: false });
});

/** Records the notices that the page shows. Chromium without windows denies them, so the permission is given here. */
const recorder = `
  window.shown = [];
  const Real = window.Notification;
  window.Notification = class extends Real {
    static permission = "granted";
    constructor(title, options) {
      super(title, options);
      window.shown.push([title, options.body, this]);
    }
  };`;

test("desktop notices appear after the person switched them on, and name only the skill [S-59] [S-49]", async () => {
  const opened = await openConsole({
    prepare: async ({ apiAs, publish }) => {
      const owner = await apiAs({ role: "publisher", user: "kim" });
      await publish({ "kims-tool": scripts }, owner);
      await lend("kims-tool", owner);
    },
    who: { role: "publisher", user: "kim" },
    at: "/settings",
  });
  const { page, gateway } = opened;
  await page.addInitScript(recorder);
  const shown = () => page.evaluate("window.shown.map(([title, body]) => [title, body])");
  const panel = page.getByRole("region", { name: "Notifications" });
  const toggle = panel.getByRole("switch", { name: "Desktop notifications" });
  await page.reload();
  await toggle.waitFor();
  expect(await toggle.getAttribute("aria-checked")).toBe("false");
  const bob = await opened.apiAs({ role: "publisher", user: "bob" });
  const kims = await opened.apiAs({ role: "publisher", user: "kim" });
  const run = await runAs(bob, "kims-tool");
  const answer = async () => {
    const { questions } = Object(await opened.api("GET", "/v1/approvals"));
    for (const { id } of questions) await opened.api("POST", `/v1/approvals/${id}`, { answer: "deny" });
  };
  const silent = run();
  await eventually(() => page.title()).toContain("(1)");
  expect(await shown()).toEqual([]);
  await answer();
  await silent;
  await eventually(() => page.title()).not.toContain("(1)");
  await toggle.click();
  await page.getByText("Notifications are on").waitFor();
  await checkAccessible(page);
  const running = run();
  await eventually(shown).toEqual([["Approval waiting", "A run of kims-tool waits for your answer."]]);
  await page.evaluate("window.shown[0][2].dispatchEvent(new Event('click'))");
  await page.getByRole("article", { name: "scripts/say.sh of kims-tool" }).waitFor();
  await answer();
  await running;
  await page.goto(`${gateway.url}/settings`);
  await toggle.waitFor();
  expect(await toggle.getAttribute("aria-checked")).toBe("true");
  const session = sessionOf(await bob("POST", "/v1/sessions", {}));
  const tool = (name: string, body: object) => bob("POST", `/v1/sessions/${session}/tools/${name}`, body);
  await tool("read_skill", { skill_id: "kims-tool" });
  const proposed = await tool("propose_skill_update", {
    skill_id: "kims-tool",
    justification: "A secret reason.",
    edits: [{ path: "scripts/say.sh", old: "done", new: "ready" }],
  });
  expect(proposed).toMatchObject({ ok: true });
  await eventually(shown).toEqual([["Proposal waiting", "A change of kims-tool waits for your review."]]);
  await toggle.click();
  await page.getByText("Notifications are off").waitFor();
  expect(Object(await kims("GET", "/v1/approvals")).questions).toEqual([]);
});
