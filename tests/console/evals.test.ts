import { expect, test } from "vitest";
import { taskReport } from "../eval-report.fixture.ts";
import { checkAccessible, checkWidth, openConsole, skillText } from "./browser.ts";

const files = (body: string) => ({
  "SKILL.md": skillText("forms", "Fills in PDF forms.", body),
  "evals/triggers.json": JSON.stringify([
    { query: "fill in this PDF form", should_trigger: true },
    { query: "water the garden", should_trigger: false },
  ]),
});

test("the evals tab scores triggers, charts task evals by revision, and opens their runs [S-51] [S-59]", async () => {
  const { page, api } = await openConsole({
    skills: { forms: files("One.") },
    prepare: ({ publish }) => publish({ forms: files("Two.") }),
    at: "/skills/forms/evals",
  });
  await page.getByText("No task evals yet").waitFor();
  await page.getByRole("button", { name: "Score by search" }).click();
  const triggers = page.getByRole("region", { name: "Trigger evals" });
  await triggers.getByText("100 %").waitFor();
  await triggers.getByRole("button", { name: "Show runs" }).click();
  const queries = page.getByRole("dialog", { name: "Evals of forms r2" });
  await queries.getByText("fill in this PDF form").waitFor();
  await queries.getByRole("button", { name: "Close" }).click();
  const { evals } = (await api("GET", "/v1/skills/forms/evals")) as { evals: { treeHash: never }[] };
  await api("POST", "/v1/skills/forms/evals", taskReport("forms", evals[0]?.treeHash));
  await page.getByRole("img", { name: /Pass rate by revision: r2 100 %/ }).waitFor();
  const tasks = page.getByRole("region", { name: "Task evals" });
  await tasks.getByText("not significant").waitFor();
  await checkAccessible(page);
  await checkWidth(page);
  await tasks.getByRole("button", { name: "Show runs" }).click();
  const runs = page.getByRole("dialog", { name: "Evals of forms r2" });
  await runs.getByText("without skill, run 1").click();
  await runs.getByText("the fail output").waitFor();
  expect(await runs.locator("li", { hasText: "failed" }).first().textContent()).toContain("without skill");
});

test("a proposal shows how its content ranks beside the current one [S-49] [S-51] [S-59]", async () => {
  const { page, gateway, api } = await openConsole({
    skills: {
      forms: files("One."),
      paint: { "SKILL.md": skillText("paint", "Paints PDF pictures to fill a wall.") },
    },
    at: "/proposals",
  });
  const { treeHash } = (await api("GET", "/v1/skills/forms")) as { treeHash: string };
  const { id } = (await api("POST", "/v1/proposals", {
    ...{ skill: "forms", base: treeHash, justification: "Plainer words." },
    files: [{ path: "SKILL.md", content: skillText("forms", "Does office work.", "One.") }],
  })) as { id: string };
  await page.goto(`${gateway.url}/proposals/${id}`);
  const evals = page.getByRole("region", { name: "Evals" });
  await evals.getByText(/^100 % .* → 0 % /).waitFor();
  await evals.getByText("fill in this PDF form").waitFor();
  await checkAccessible(page);
  await checkWidth(page);
});
