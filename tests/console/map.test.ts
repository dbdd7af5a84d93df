import { expect, test } from "vitest";
import { checkAccessible, checkWidth, eventually, openConsole, openOwnConsole, settled } from "./browser.ts";
import { sessionOf } from "./showcase.ts";

test("the map shows which agents may use which skills, and which they used [S-59] [S-65]", async () => {
  const numbers = Array.from({ length: 40 }, (_, number) => `mapped-${String(number).padStart(2, "0")}`);
  const opened = await openConsole({
    skills: Object.fromEntries(numbers.map((id) => [id, {}])),
    prepare: async ({ api, apiAs }) => {
      for (const key of ["map-reader", "map-writer"])
        await api("POST", "/v1/agents", { key, runtime: "demo" });
      for (const id of ["mapped-01", "mapped-02"])
        await api("PUT", `/v1/skills/${id}/grants/agent/map-reader`, {});
      const reader = await apiAs({ role: "agent", user: "agent:map-reader", agent: "map-reader" });
      const session = sessionOf(await reader("POST", "/v1/sessions", {}));
      for (const id of ["mapped-01", "mapped-02"])
        await reader("POST", `/v1/sessions/${session}/tools/read_skill`, { skill_id: id });
      await api("DELETE", "/v1/skills/mapped-02/grants/agent/map-reader");
      await api("PUT", "/v1/skills/mapped-03/grants/agent/map-reader", {});
    },
    at: "/map",
  });
  const { page } = opened;
  const matrix = page.getByRole("table", { name: "Skills by row and agents by column" });
  const row = (id: string) => matrix.getByRole("row", { name: new RegExp(`^${id}`) });
  await row("mapped-01").getByText("may use it, used 1 time").waitFor();
  await row("mapped-02").getByText("no access now, used 1 time").waitFor();
  await row("mapped-03").getByText("may use it, not used").waitFor();
  expect(await row("mapped-04").getByText("no access").count()).toBe(2);
  await checkAccessible(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await checkAccessible(page);
  await page.getByLabel("Show", { exact: true }).selectOption("unused");
  await eventually(() => matrix.getByRole("rowheader").count()).toBe(1);
  await page.getByLabel("Show", { exact: true }).selectOption("all");
  await page.getByLabel("Agent", { exact: true }).selectOption("map-reader");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Show as table" }).press("Enter");
  const table = page.getByRole("table", { name: "Pairs of an agent and a skill" });
  await eventually(() => table.getByRole("row").count()).toBe(4);
  await table.getByRole("row", { name: "map-reader mapped-02 no 1" }).waitFor();
  await settled(page);
  await checkAccessible(page);
  await page.setViewportSize({ width: 360, height: 740 });
  await checkWidth(page);
  await page.getByRole("button", { name: "Show as matrix" }).click();
  await row("mapped-01").waitFor();
  await checkWidth(page);
});

test("a publisher's map has only their own agents and visible skills [S-54] [S-59]", async () => {
  const { page } = await openConsole({
    skills: { "map-hidden": {} },
    prepare: async ({ api, apiAs, publish }) => {
      await api("POST", "/v1/agents", { key: "map-other", runtime: "demo" });
      const pip = await apiAs({ role: "publisher", user: "map-pip" });
      await pip("POST", "/v1/agents", { key: "map-own", runtime: "demo" });
      await publish({ "map-visible": {} }, pip);
    },
    who: { role: "publisher", user: "map-pip" },
    at: "/map",
  });
  const matrix = page.getByRole("table", { name: "Skills by row and agents by column" });
  await matrix.getByRole("rowheader", { name: "map-visible" }).waitFor();
  expect(await matrix.getByRole("columnheader").allTextContents()).toEqual(["Skill", "map-own"]);
  expect(await page.getByText("map-hidden").count()).toBe(0);
});

test("a map of 300 skills and 120 agents stays readable, says its limits and works by keyboard [S-59] [S-65]", async () => {
  const numbered = (name: string, length: number) =>
    Array.from({ length }, (_, number) => `${name}-${String(number).padStart(3, "0")}`);
  const [skills, agents] = [numbered("wide", 300), numbered("many", 120)];
  const opened = await openOwnConsole({
    prepare: async ({ api, publish }) => {
      // An archive has at most 50 skills.
      for (let start = 0; start < skills.length; start += 50)
        await publish(Object.fromEntries(skills.slice(start, start + 50).map((id) => [id, {}])));
      for (const key of agents) await api("POST", "/v1/agents", { key, runtime: "demo" });
      for (const [place, key] of agents.entries())
        await api("PUT", `/v1/skills/${skills[place * 2]}/grants/agent/${key}`, {});
    },
    at: "/map",
  });
  const { page } = opened;
  const matrix = page.getByRole("table", { name: "Skills by row and agents by column" });
  await page.getByText("300 skills, 100 agents.").waitFor();
  await page.getByText("One map shows 100 agents.").waitFor();
  expect(await matrix.getByRole("columnheader").count()).toBe(101);
  expect(await matrix.getByRole("rowheader").count()).toBe(300);
  // The heads of rows and columns stay while the cells scroll.
  const region = page.getByRole("region", { name: "Agents and skills" });
  await region.focus();
  await page.keyboard.press("End");
  await eventually(() => region.evaluate(({ scrollTop }) => scrollTop > 0)).toBe(true);
  const isShown = (name: string) =>
    matrix.getByRole("columnheader", { name }).evaluate((head) => {
      const { top, height } = head.getBoundingClientRect();
      const box = head.closest("section")?.getBoundingClientRect();
      return top >= (box?.top ?? 0) - 1 && height > 0;
    });
  expect(await isShown("many-000")).toBe(true);
  await page.keyboard.press("ArrowRight");
  await eventually(() => region.evaluate(({ scrollLeft }) => scrollLeft > 0)).toBe(true);
  await page.getByRole("searchbox", { name: "Skill" }).focus();
  await page.keyboard.type("wide-200");
  await eventually(() => matrix.getByRole("rowheader").count()).toBe(1);
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  await page.getByRole("button", { name: "Next agents" }).press("Enter");
  await page.getByText("300 skills, 20 agents.").waitFor();
  await matrix.getByRole("columnheader", { name: "many-119" }).waitFor();
  await settled(page);
  await checkAccessible(page);
  await page.getByRole("button", { name: "First agents" }).press("Enter");
  await page.getByText("300 skills, 100 agents.").waitFor();
  await page.setViewportSize({ width: 360, height: 740 });
  await checkWidth(page);
});
