import { expect, test } from "vitest";
import { checkAccessible, eventually, openConsole, settled, skillText } from "./browser.ts";

const skills = {
  forms: { "SKILL.md": skillText("forms", "Fill in PDF forms. Use for forms and applications.") },
  slides: { "SKILL.md": skillText("slides", "Make slides for a talk. Use for decks.") },
  bound: { "SKILL.md": skillText("bound", "Only for one framework.", "Do it.", "runtime: [molecule]\n") },
};

test("shows the catalogue as an agent gets it, with a reason for each missing skill [S-59]", async () => {
  const { page, api } = await openConsole({ skills, at: "/catalogue?runtime=other&format=json" });
  const block = page.getByRole("region", { name: "Prompt block" });
  await block.waitFor();
  const told = async (query: string) => JSON.stringify(await api("GET", `/v1/catalogue?${query}`));
  expect(await told("runtime=other&format=json")).toContain(JSON.stringify(await block.textContent()));
  expect(await page.getByRole("region", { name: "In the prompt", exact: true }).textContent()).not.toContain(
    "bound",
  );
  await page.getByRole("button", { name: /^1 hidden/ }).click();
  const reasons = page.getByRole("region", { name: "Reasons" });
  await eventually(() => reasons.getByRole("row").count()).toBe(2);
  expect(await reasons.textContent()).toMatch(/bound.*runtime/);
  await page.reload();
  await settled(page);
  await eventually(() => reasons.getByRole("row").count()).toBe(2);
  await page.getByRole("button", { name: "Copy prompt block" }).click();
  await eventually(() => page.evaluate("navigator.clipboard.readText()")).toBe(await block.textContent());
  await page.getByLabel("Runtime").fill("molecule");
  await eventually(() =>
    page.getByRole("region", { name: "In the prompt", exact: true }).textContent(),
  ).toContain("bound");
  await checkAccessible(page);
});

test("a search shows its hits, the matching words and the parts of each score [S-59]", async () => {
  const { page } = await openConsole({ skills, at: "/search" });
  await page.getByRole("button", { name: "Fill in PDF forms" }).click();
  const first = page.getByRole("main").getByRole("listitem").first();
  await page.getByRole("link", { name: "forms", exact: true }).waitFor();
  expect(await first.locator("mark").allTextContents()).toContain("PDF");
  const parts = await first.getByRole("listitem").allTextContents();
  const sum = parts.reduce((all, part) => all + Number(/[\d.]+$/.exec(part)?.[0]), 0);
  const score = Number(await first.locator("p.font-mono").textContent());
  // Each part is rounded, and what puts equals in an order is small.
  expect(Math.abs(score - sum)).toBeLessThan(0.05);
  expect(parts.some((part) => part.startsWith("other"))).toBe(score - sum > 0.05);
  await page.getByRole("button", { name: "Compare queries" }).click();
  await page.getByLabel("Second query").fill("a deck for a talk");
  await page.getByRole("link", { name: "slides", exact: true }).waitFor();
  await checkAccessible(page);
  await page.reload();
  await page.getByRole("link", { name: "slides", exact: true }).waitFor();
  expect(await page.getByLabel("Query", { exact: true }).inputValue()).toBe("Fill in PDF forms");
});
