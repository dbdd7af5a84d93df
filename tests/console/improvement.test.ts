import { expect, test } from "vitest";
import { openConsole } from "./browser.ts";
import type { ConsoleApi } from "./console-api.ts";
import { sessionOf } from "./showcase.ts";
import { skillText } from "./skill-zip.ts";

const SKILL = "totals";
const BROKEN = 'echo "reading $1"\necho "no such column: amout" >&2\nexit 3\n';
const FIXED = 'echo "sum of $1"\n';

/** A session of an agent with a token of its own. */
async function openAgent({ api, apiAs }: ConsoleApi, key: string) {
  await api("POST", "/v1/agents", { key, runtime: "demo" });
  await api("PUT", `/v1/skills/${SKILL}/grants/agent/${key}`, {});
  const agent = await apiAs({ role: "agent", user: `agent:${key}`, agent: key });
  const session = sessionOf(await agent("POST", "/v1/sessions", { task: "Add up the amounts" }));
  return (name: string, input: object) => agent("POST", `/v1/sessions/${session}/tools/${name}`, input);
}

test("an agent proposes a fix for a failed script, and the next agent gets it after a review [S-49] [S-59]", async () => {
  const opened = await openConsole({ at: "/proposals" });
  const { page, publish } = opened;
  const text = skillText(SKILL, "Adds up the amounts of a table.", "Run scripts/sum.sh with the file.");
  await publish({ [SKILL]: { "SKILL.md": text, "scripts/sum.sh": BROKEN } });
  const script = { skill_id: SKILL, script: "scripts/sum.sh", args: ["a.csv"] };

  const first = await openAgent(opened, "finder");
  await first("read_skill", { skill_id: SKILL });
  expect(await first("run_skill_script", script)).toMatchObject({ data: { exitCode: 3 } });
  const proposed = await first("propose_skill_update", {
    skill_id: SKILL,
    justification: "The script asks for a column that does not exist.",
    files: [{ path: "scripts/sum.sh", content: FIXED }],
  });
  expect(proposed).toMatchObject({ ok: true, data: { state: "pending" } });

  // The failed run of the session is evidence by itself.
  await page.getByRole("link", { name: new RegExp(SKILL) }).click();
  const evidence = page.getByRole("list", { name: "Evidence" });
  await evidence.getByText("exit 3").waitFor();
  await evidence.getByText("no such column: amout").waitFor();
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByRole("link", { name: "applied as r2" }).waitFor();

  const second = await openAgent(opened, "adder");
  const read = await second("read_skill_resource", { skill_id: SKILL, path: "scripts/sum.sh" });
  expect(JSON.stringify(read)).toContain("sum of $1");
  expect(await second("run_skill_script", script)).toMatchObject({
    ok: true,
    data: { stdout: "sum of a.csv\n" },
  });
});
