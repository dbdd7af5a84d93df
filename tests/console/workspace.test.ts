import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSkillhold } from "@skillhold/host";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { checkAccessible, checkWidth, openOwnConsole } from "./browser.ts";

const CONFIG = "# Ours\nskills: # in order\n  - gone # soon\n";

function hostFolder(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skillhold-hosted-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const key of ["seo", "writer"]) {
    mkdirSync(join(root, key));
    writeFileSync(join(root, key, "config.yaml"), `name: ${key}\n${CONFIG}`);
    writeFileSync(join(root, key, "system-prompt.md"), `You are ${key}.`);
  }
  return root;
}

const names = ["one", "two", "three", "four", "five"];
const skills = Object.fromEntries(names.map((name) => [`skill-${name}`, {}]));

async function open(root: string) {
  return await openOwnConsole({
    skills,
    at: "/workspaces",
    args: ["--no-seed", "--workspaces", root],
    prepare: async ({ api }) => {
      for (const key of ["seo", "writer"]) {
        await api("POST", "/v1/agents", { key, runtime: "langgraph" });
        await api("PUT", `/v1/workspaces/${key}`, key === "seo" ? {} : { parent: "seo" });
      }
    },
  });
}

test("a skill dropped on a workspace is in its prompt, on its badge and in the prompt of its peer [S-56] [S-59]", async () => {
  const root = hostFolder();
  const { page, gateway, api } = await open(root);
  const agents = await Promise.all(
    ["seo", "writer"].map(async (key) => {
      const issued = await api("POST", "/v1/tokens", { name: key, role: "agent", agent: key });
      const { secret } = z.looseObject({ secret: z.string() }).parse(issued);
      const data = mkdtempSync(join(tmpdir(), "skillhold-data-"));
      const skillhold = await openSkillhold({
        runtime: "langgraph",
        data,
        env: { PATH: process.env["PATH"] },
        workspace: { folder: join(root, key), gateway: { url: gateway.url, token: secret } },
        onWarning: () => {},
      });
      onTestFinished(async () => {
        await skillhold.close();
        rmSync(data, { recursive: true, force: true });
      });
      const session = skillhold.session();
      return { prompt: async () => (await session.forAgent()).system };
    }),
  );
  const card = page.getByRole("article", { name: "seo", exact: true });
  await card.getByText("online").waitFor();
  await page.getByText("skill-one", { exact: true }).dragTo(card);
  await card.getByText("skill-one", { exact: true }).waitFor();
  await expect.poll(() => agents[0]?.prompt()).toContain("### skill-one");
  await expect.poll(() => agents[1]?.prompt()).toContain("Skills: skill-one");
  expect(readFileSync(join(root, "seo/config.yaml"), "utf8")).toBe(`name: seo\n${CONFIG}  - skill-one\n`);
});

test("skills are added by keyboard, shown as four badges and a number, and the config is checked [S-56] [S-59]", async () => {
  const { page, complaints } = await open(hostFolder());
  const card = page.getByRole("article", { name: "seo", exact: true });
  for (const name of names) {
    await card.getByRole("button", { name: /^Add skill/ }).press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Skill", { exact: true }).selectOption(`skill-${name}`);
    await dialog.getByRole("button", { name: "Add", exact: true }).press("Enter");
    await page.getByText(`skill-${name} added to seo`).waitFor();
  }
  await card.getByText("+1", { exact: true }).waitFor();
  await checkAccessible(page);
  await checkWidth(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.locator('html[data-theme="dark"]').waitFor();
  await checkAccessible(page);
  await card.getByRole("button", { name: "seo", exact: true }).click();
  const detail = page.getByRole("dialog", { name: "seo" });
  await detail.getByText("skills/gone does not exist", { exact: false }).waitFor();
  await checkAccessible(page);
  const config = detail.getByRole("textbox", { name: "config.yaml" });
  await config.fill("skills: [../x]\n");
  await detail.getByRole("button", { name: "Save" }).click();
  await detail.getByText(/CONFIG_INVALID/).waitFor();
  expect(complaints.splice(0).map((text) => /status of (\d+)/.exec(text)?.[1])).toEqual(["400"]);
  await config.fill("name: Search\nskills: [skill-two]\n");
  await detail.getByRole("button", { name: "Save" }).click();
  await page.getByRole("article", { name: "Search" }).getByText("skill-two", { exact: true }).waitFor();
});
