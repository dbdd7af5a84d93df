import { afterAll, expect, test } from "vitest";
import { ServeScene, writeSkill } from "../gateway/serve.fixture.ts";
import { checkAccessible, eventually, excuse, openConsole } from "./browser.ts";
import type { ConsoleApi } from "./console-api.ts";
import type { OpenedConsole } from "./console-scene.ts";

const vic = { role: "viewer", user: "vic" } as const;
const pat = { role: "publisher", user: "pat" } as const;

const commands = new ServeScene();
afterAll(() => commands.close());

/** Takes a skill in at a gateway as one that comes with it. */
async function seed(id: string, { gateway: { data } }: Pick<OpenedConsole, "gateway">): Promise<void> {
  const folder = commands.folder();
  writeSkill(folder, id);
  const { code } = await commands.start(["seed", folder], { SKILLHOLD_DATA: data }).ended;
  expect(code).toBe(0);
}

/** A skill of the team's, one of pat's, and one that vic may manage by a grant, as far as the role of a viewer goes. */
async function furnishRoles({ api, apiAs, publish }: ConsoleApi): Promise<void> {
  await publish({ "team-skill": {}, "lent-skill": {} });
  await publish({ "pats-skill": {} }, await apiAs(pat));
  await api("PUT", "/v1/skills/lent-skill/grants/user/vic", { canManage: true });
  for (const id of ["team-skill", "lent-skill"])
    await api("PUT", `/v1/skills/${id}`, { visibility: "public" });
}

test("a viewer sees no button that would fail, and a note about features for others [S-59]", async () => {
  const visitor = await openConsole({ prepare: furnishRoles, who: vic });
  const { page, gateway } = visitor;
  const main = page.getByRole("main");
  await page.getByRole("link", { name: "lent-skill" }).waitFor();
  expect(await main.getByRole("switch").count()).toBe(0);
  expect(await main.getByRole("checkbox").count()).toBe(0);
  expect(await main.getByRole("link", { name: "Publish" }).count()).toBe(0);
  const views = page.getByRole("navigation", { name: "Views" }).first().getByRole("link");
  expect(await views.allTextContents()).toEqual([
    ...["Home", "Skills", "Catalogue", "Search", "Proposals", "Dependencies", "Tokens", "API", "Settings"],
  ]);
  await page.goto(`${gateway.url}/skills/lent-skill/access`);
  await page
    .getByText(/can use it/)
    .first()
    .waitFor();
  const pressed = /grant|revoke|make|roll|delete|edit|archive|restore/i;
  expect((await main.getByRole("button").allTextContents()).filter((name) => pressed.test(name))).toEqual([]);
  await page.getByRole("button", { name: "More actions" }).click();
  expect(
    await page.getByRole("dialog", { name: "More actions" }).getByRole("button").allTextContents(),
  ).toEqual(["Download as ZIP"]);
  for (const path of ["/approvals", "/agents/writer", "/People", "/ACTIVITY/x", "/webhooks"]) {
    await page.goto(`${gateway.url}${path}`);
    await page.getByText(/^Only for (publishers and )?administrators$/).waitFor();
  }
  await checkAccessible(page);
});

test("a publisher changes their own skills, and has no buttons for others [S-59]", async () => {
  const { page, gateway } = await openConsole({ prepare: furnishRoles, who: pat });
  const main = page.getByRole("main");
  await page.getByRole("link", { name: "team-skill" }).waitFor();
  expect(await main.getByRole("checkbox").count()).toBe(1);
  await page.getByRole("switch", { name: /^pats-skill/ }).click();
  await page.getByText("pats-skill is off").waitFor();
  await page.getByRole("checkbox", { name: "Select pats-skill" }).check();
  await page.getByRole("toolbar").getByRole("button", { name: "Archive" }).click();
  await page.getByText("1 skill archived").waitFor();
  await page.goto(`${gateway.url}/skills/team-skill/versions`);
  await page.getByRole("row", { name: /r1/ }).waitFor();
  expect(await main.getByRole("switch").count()).toBe(0);
  expect(await main.getByRole("button", { name: /^Roll/ }).count()).toBe(0);
  await page.goto(`${gateway.url}/people`);
  await page.getByText("Only for administrators").waitFor();
});

test("only administrators switch a bundled skill [S-59]", async () => {
  const opened = await openConsole({ at: "/skills?tab=core" });
  await seed("core-skill", opened);
  const publisher = await opened.visit({ who: pat });
  for (const { page } of [opened, publisher]) await page.getByRole("link", { name: "core-skill" }).waitFor();
  expect(await publisher.page.getByRole("main").getByRole("switch").count()).toBe(0);
  expect(await publisher.page.getByRole("main").getByRole("checkbox").count()).toBe(0);
  await publisher.page.getByRole("link", { name: "core-skill" }).click();
  await publisher.page.getByRole("heading", { name: /core-skill/, level: 1 }).waitFor();
  expect(await publisher.page.getByRole("main").getByRole("switch").count()).toBe(0);
  await opened.page.getByRole("switch", { name: /^core-skill/ }).click();
  await opened.page.getByText("core-skill is off").waitFor();
  // The open page of the publisher loses the skill.
  await publisher.page.getByText("Skill not found").waitFor();
  excuse(publisher, /404.*core-skill/);
});

test("a user who may not view as an agent sees their own view at any address [S-59]", async () => {
  const { page, gateway } = await openConsole({
    prepare: async ({ api, publish }) => {
      await publish({ "open-notes": {} });
      await api("PUT", "/v1/skills/open-notes", { visibility: "public" });
      await api("POST", "/v1/agents", { key: "bounded", runtime: "demo", allow: ["team-skill"] });
    },
    who: vic,
    at: "/catalogue?agent=bounded",
  });
  const block = () => page.getByRole("region", { name: "Prompt block" }).textContent();
  await eventually(block).toContain("open-notes");
  expect(await page.getByRole("textbox", { name: "Runtime" }).isEnabled()).toBe(true);
  await page.goto(`${gateway.url}/search?q=open+notes&agent=bounded`);
  await page.getByRole("link", { name: "open-notes", exact: true }).waitFor();
  await page.goto(`${gateway.url}/skills/open-notes/access?agent=bounded&user=ann`);
  await page.getByText("Yes, at r1.").waitFor();
});

test("viewing as an agent shows what its own token shows [S-59] [S-70]", async () => {
  const olga = { role: "publisher", user: "olga" } as const;
  const opened = await openConsole({
    prepare: async ({ api, apiAs, publish }) => {
      await publish({ "anns-secret": {} });
      await publish({ "olgas-notes": {}, "olgas-secret": {} }, await apiAs(olga));
      await api("POST", "/v1/agents", { key: "olgas-agent", runtime: "demo", owner: "olga" });
      await api("PUT", "/v1/skills/olgas-notes/grants/agent/olgas-agent", {});
    },
    at: "/catalogue",
  });
  const { page, gateway } = opened;
  const block = () => page.getByRole("region", { name: "Prompt block" }).textContent();
  await eventually(block).toContain("anns-secret");
  await page.getByRole("combobox", { name: "View as" }).selectOption("olgas-agent");
  await page.getByText("Sees public skills and those granted to it.").waitFor();
  await eventually(() => page.getByRole("textbox", { name: "Runtime" }).inputValue()).toBe("demo");
  await eventually(block).toContain("olgas-notes");
  expect(await block()).not.toMatch(/anns-secret|olgas-secret/);
  await page.goto(`${gateway.url}/search?q=notes+secret&agent=olgas-agent`);
  await page.getByRole("link", { name: "olgas-notes", exact: true }).waitFor();
  expect(await page.getByRole("link", { name: "anns-secret" }).count()).toBe(0);
  await page.goto(`${gateway.url}/skills/olgas-notes/access?agent=olgas-agent`);
  await page.getByText("Yes, at r1.").waitFor();
  await page
    .getByRole("combobox", { name: "On behalf of" })
    .getByText("No person")
    .waitFor({ state: "attached" });
  const owner = await opened.visit({ who: olga, at: "/catalogue?agent=olgas-agent" });
  const owners = () => owner.page.getByRole("region", { name: "Prompt block" }).textContent();
  await eventually(owners).toContain("olgas-notes");
  expect(await owners()).not.toContain("olgas-secret");
});

test("a field's hint describes it and is not part of its name [S-59]", async () => {
  const { page } = await openConsole({ at: "/agents?new" });
  const key = page.getByRole("textbox", { name: "Key", exact: true });
  await key.waitFor();
  const about = await key.getAttribute("aria-describedby");
  expect(await page.locator(`[id="${about}"]`).textContent()).toBe(
    "A permanent id, used in grants and tokens.",
  );
});
