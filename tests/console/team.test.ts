import { expect, test } from "vitest";
import { z } from "zod";
import { ann, checkAccessible, checkWidth, excuse, openConsole, settled } from "./browser.ts";

const skills = { "weekly-report": {}, "house-style": {} };

test("adds an agent, limits it, pins it to a revision and removes it [S-59]", async () => {
  const { page, gateway, api } = await openConsole({ skills, at: "/agents" });
  await page.getByRole("button", { name: "New agent" }).first().click();
  await page.getByRole("textbox", { name: /^Key/ }).fill("writer");
  await page.getByRole("textbox", { name: /^Runtime/ }).fill("demo");
  await page.getByRole("button", { name: "Add" }).click();
  await page.waitForURL(`${gateway.url}/agents/writer`);
  await page.getByLabel("Selected skills only").check();
  await page.getByLabel("house-style", { exact: true }).check();
  await page.getByLabel("Skill to pin").selectOption("house-style");
  await page.getByRole("button", { name: "Pin" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("writer saved").waitFor();
  expect(await api("GET", "/v1/agents/writer")).toMatchObject({
    allow: ["house-style"],
    pins: { "house-style": 1 },
  });
  await checkAccessible(page);
  await page.getByRole("button", { name: "Remove" }).click();
  const dialog = page.getByRole("dialog", { name: "Remove writer" });
  expect(await dialog.getByRole("button", { name: "Remove" }).isDisabled()).toBe(true);
  await dialog.getByRole("textbox").press("Enter");
  await dialog.getByRole("textbox").fill("writer");
  await dialog.getByRole("textbox").press("Enter");
  await page.waitForURL(`${gateway.url}/agents`);
  await page.getByRole("link", { name: "writer" }).waitFor({ state: "detached" });
});

test("keeps typed text when someone else changes the agent, and does not save over the change [S-59]", async () => {
  const { page, api, complaints } = await openConsole({
    skills,
    prepare: (routes) => routes.api("POST", "/v1/agents", { key: "editor", runtime: "demo" }),
    at: "/agents/editor",
  });
  await page.getByText("Live", { exact: true }).first().waitFor();
  await page.getByLabel("agent.yaml").fill("skills: [");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The manifest is invalid").waitFor();
  await api("PUT", "/v1/agents/editor", { displayName: "The editor" });
  await page.getByRole("heading", { name: "The editor" }).waitFor();
  expect(await page.getByLabel("agent.yaml").inputValue()).toBe("skills: [");
  await page.getByLabel("agent.yaml").fill("skills: [house-style]");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(/PRECONDITION_FAILED/).waitFor();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Unsaved changes").waitFor({ state: "detached" });
  expect(await page.getByLabel("Display name").inputValue()).toBe("The editor");
  expect(complaints.splice(0).map((text) => /status of (\d+)/.exec(text)?.[1])).toEqual(["400", "412"]);
});

test("shows a token once with its usage, and revokes it [S-59]", async () => {
  const { page, gateway } = await openConsole({
    prepare: ({ api }) => api("POST", "/v1/agents", { key: "program", runtime: "demo" }),
    at: "/tokens?new&agent=program",
  });
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name" }).fill("A program");
  await checkAccessible(page);
  await dialog.getByRole("button", { name: "Create" }).click();
  const line = await dialog.getByText(/^export SKILLHOLD_TOKEN=/).textContent();
  await dialog.getByText(/--token-env SKILLHOLD_TOKEN/).waitFor();
  // The secret is shown once, so keys do not close it.
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await dialog.getByText(/--token-env SKILLHOLD_TOKEN/).waitFor();
  const headers = { authorization: `Bearer ${line?.split("=")[1]}` };
  const me = () => fetch(`${gateway.url}/v1/me`, { headers });
  expect(await (await me()).json()).toMatchObject({ agent: "program", role: "agent" });
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Revoke A program" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page
    .getByRole("row", { name: /^A program/ })
    .getByText("revoked", { exact: true })
    .waitFor();
  expect((await me()).status).toBe(401);
});

test("an administrator invites people, sees who has access, and ends it [S-53] [S-59] [S-70]", async () => {
  const opened = await openConsole({ at: "/people" });
  const { page } = opened;
  const invite = async (user: string) => {
    await page.getByRole("button", { name: "Invite person" }).click();
    const form = page.getByRole("dialog", { name: "Invite person" });
    await form.getByRole("textbox", { name: "User" }).fill(user);
    expect(await form.getByRole("combobox", { name: "Role" }).inputValue()).toBe("viewer");
    await form.getByRole("textbox", { name: "User" }).press("Enter");
    const made = page.getByRole("dialog", { name: `Sign-in link for ${user}` });
    await made.getByRole("button", { name: /sign-in#/ }).click();
    await made.getByText("Copied", { exact: true }).waitFor();
    await checkAccessible(page);
    await made.getByRole("button", { name: "Done" }).click();
    return String(await page.evaluate("navigator.clipboard.readText()"));
  };
  const [link, other] = [await invite("vic"), await invite("wes")];
  const invited = page.getByRole("region", { name: "List of open invitations" });
  await invited.getByRole("row", { name: /vic/ }).waitFor();
  await invited.getByRole("button", { name: "Revoke the invitation of wes" }).click();
  await invited.getByRole("row", { name: /wes/ }).waitFor({ state: "detached" });
  await checkAccessible(page);
  const theirs = await opened.visit({ link, at: "/tokens?new" });
  await theirs.page.getByText("vic · viewer").first().waitFor();
  // Every role has tokens of its own, and not more than its own permissions.
  const dialog = theirs.page.getByRole("dialog", { name: "New token" });
  expect(await dialog.getByLabel("Role").locator("option").allTextContents()).toEqual(["viewer"]);
  await dialog.getByRole("textbox", { name: "Name" }).fill("Laptop of vic");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText(/^export SKILLHOLD_TOKEN=/).waitFor();
  await dialog.getByRole("button", { name: "Done" }).click();
  await theirs.page.getByRole("row", { name: /^Laptop of vic/ }).waitFor();
  const people = page.getByRole("region", { name: "List of people" });
  await people.getByRole("row", { name: /^vic viewer/ }).waitFor();
  await invited.waitFor({ state: "detached" });
  await page.setViewportSize({ width: 360, height: 740 });
  await checkWidth(page);
  await people.getByRole("button", { name: "End access of vic" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "End access" }).click();
  await people.getByRole("row", { name: /^vic no access/ }).waitFor();
  await theirs.page.goto(other);
  await theirs.page.getByText(/was used before or revoked/).waitFor();
  excuse(theirs, /401/);
});

test("the settings describe the gateway and show its documents [S-59]", async () => {
  const visitor = await openConsole({ who: ann, at: "/settings" });
  const { page, context } = visitor;
  await settled(page);
  await page.getByText("SQLite").waitFor();
  await page.getByText(/^Show all \d+ limits$/).click();
  await page.getByText("catalogueTokens").waitFor();
  await page.getByLabel("dark").check();
  await checkAccessible(page);
  await page.getByRole("main").getByRole("link", { name: "API" }).click();
  const opened = context.waitForEvent("page");
  await page.getByRole("button", { name: "Plain page" }).click();
  const reference = await opened;
  await reference.getByText("/v1/skills/{id}/toggle").first().waitFor();
  await reference.emulateMedia({ colorScheme: "dark" });
  await checkAccessible(reference, "document");
  await page.goBack();
  await page.getByRole("main").getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in to Skillhold" }).waitFor();
  // The command for another link must use the store of this gateway.
  await page.getByText("SKILLHOLD_DATA=<folder>").waitFor();
  excuse(visitor, /401/);
});

test("the settings and the list of skills show the same number [S-59]", async () => {
  const { page, api, gateway } = await openConsole({ skills, at: "/settings" });
  await api("POST", "/v1/skills/weekly-report/toggle", { enabled: false });
  const list = await api("GET", "/v1/skills?view=all");
  const { total } = z.object({ total: z.int() }).parse(list);
  await page.goto(`${gateway.url}/settings`);
  await page.getByText(`${total} skills`, { exact: true }).waitFor();
  await page.goto(`${gateway.url}/skills`);
  await page.getByRole("link", { name: "weekly-report" }).waitFor();
  await page.getByRole("link", { name: `All ${total}` }).waitFor();
});

test("the palette lists recent items first, and runs actions [S-59]", async () => {
  const { page } = await openConsole({ skills, at: "/skills/weekly-report" });
  await page.getByRole("heading", { name: /weekly-report/, level: 1 }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("option").first().waitFor();
  await page.getByRole("option", { selected: true, name: /weekly-report/ }).waitFor();
  await checkAccessible(page);
  await page.keyboard.type("dark theme");
  await page.keyboard.press("Enter");
  await page.locator("html[data-theme=dark]").waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("new tok");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "New token" }).waitFor();
  expect(page.url()).toContain("/tokens?new");
});

test("the owner of an agent accepts and declines grants of others, and the granter sees them wait [S-43] [S-59]", async () => {
  const pia = { user: "pia", role: "publisher" } as const;
  const otto = { user: "otto", role: "publisher" } as const;
  const opened = await openConsole({
    prepare: async ({ apiAs, publish }) => {
      const [granter, owner] = [await apiAs(pia), await apiAs(otto)];
      await owner("POST", "/v1/agents", { key: "ottos-helper", runtime: "demo" });
      await publish({ "pia-notes": {}, "pia-plans": {} }, granter);
      for (const id of ["pia-notes", "pia-plans"])
        await granter("PUT", `/v1/skills/${id}/grants/agent/ottos-helper`, {});
    },
  });
  const granter = await opened.visit({ who: pia, at: "/agents" });
  const waiting = granter.page.getByRole("region", { name: "Pending grants" });
  await waiting.getByRole("row", { name: /pia-notes.*waits for otto/ }).waitFor();
  expect(await waiting.getByRole("button").count()).toBe(0);

  const owner = await opened.visit({ who: otto, at: "/agents/ottos-helper" });
  const pending = owner.page.getByRole("region", { name: "Pending grants" });
  await pending.getByRole("row", { name: /pia-notes/ }).waitFor();
  await checkAccessible(owner.page);
  const agent = await opened.apiAs({ role: "agent", user: "otto", agent: "ottos-helper" });
  const visible = async () =>
    z
      .object({ skills: z.array(z.object({ entry: z.object({ id: z.string() }) })) })
      .parse(await agent("GET", "/v1/skills"))
      .skills.map(({ entry }) => entry.id)
      .filter((id) => id.startsWith("pia-"));
  expect(await visible()).toEqual([]);
  await pending.getByRole("button", { name: "Accept pia-notes for ottos-helper" }).click();
  await pending.getByRole("row", { name: /pia-notes/ }).waitFor({ state: "detached" });
  expect(await visible()).toEqual(["pia-notes"]);
  await pending.getByRole("button", { name: "Decline pia-plans for ottos-helper" }).click();
  await pending.waitFor({ state: "detached" });
  expect(await visible()).toEqual(["pia-notes"]);
  await granter.page.reload();
  await granter.page.getByRole("heading", { name: "Agents" }).first().waitFor();
  await settled(granter.page);
  expect(await waiting.count()).toBe(0);
});
