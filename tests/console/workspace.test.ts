import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
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

const Report = z.object({ at: z.number(), system: z.string(), skills: z.array(z.string()) });

/** Starts a workspace in another process and collects its reports. */
async function startWorkspace(folder: string, gateway: { readonly url: string }, secret: string) {
  const data = mkdtempSync(join(tmpdir(), "skillhold-data-"));
  const program = join(import.meta.dirname, "workspace-process.ts");
  const args = ["--conditions=@skillhold/source", program, folder, gateway.url, secret, data];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.kill();
    await exited;
    rmSync(data, { recursive: true, force: true });
  });
  const reports: z.infer<typeof Report>[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => reports.push(Report.parse(JSON.parse(line))));
  /** The time of the first report that matches. */
  const seen = async (isMatch: (report: z.infer<typeof Report>) => boolean): Promise<number> => {
    await expect.poll(() => reports.some(isMatch)).toBe(true);
    return reports.find(isMatch)?.at ?? Number.NaN;
  };
  return { child, seen };
}

test("a skill dropped on a workspace reaches its process, its card and the process of its peer [S-56] [S-59]", async () => {
  const root = hostFolder();
  const { page, gateway, api } = await open(root);
  const start = async (key: string) => {
    const issued = await api("POST", "/v1/tokens", { name: key, role: "agent", agent: key });
    const { secret } = z.looseObject({ secret: z.string() }).parse(issued);
    return await startWorkspace(join(root, key), gateway, secret);
  };
  const [seo, writer] = [await start("seo"), await start("writer")];
  await seo.seen(({ system }) => system.includes("**writer**"));
  await writer.seen(({ system }) => system.includes("**seo**"));
  const card = page.getByRole("article", { name: "seo", exact: true });
  await card.getByText("online").waitFor();
  const isRequest = (request: { url(): string; method(): string }) =>
    request.method() === "POST" && request.url().endsWith("/v1/workspaces/seo/skills");
  const dropped = page.waitForRequest(isRequest).then(() => Date.now());
  await page.getByText("skill-one", { exact: true }).dragTo(card);
  const droppedAt = await dropped;
  await card.getByText("skill-one", { exact: true }).waitFor();
  const badge = Date.now();
  const own = await seo.seen(
    ({ system, skills: ids }) => system.includes("### skill-one") && ids.includes("skill-one"),
  );
  const peer = await writer.seen(({ system }) => system.includes("Skills: skill-one"));
  const served = await api("GET", "/workspaces/seo/.well-known/agent-card.json");
  expect(served).toMatchObject({ skills: [{ id: "skill-one" }] });
  expect([seo.child.exitCode, writer.child.exitCode]).toEqual([null, null]);
  expect(readFileSync(join(root, "seo/config.yaml"), "utf8")).toBe(`name: seo\n${CONFIG}  - skill-one\n`);
  const times = { badge, "own prompt and card": own, "peer's prompt": peer };
  const shown = Object.entries(times).map(([name, at]) => `${name} ${at - droppedAt} ms`);
  process.stdout.write(`After the drop: ${shown.join(", ")}\n`);
});

test("adds skills by keyboard, shows four badges and a count, and checks the config [S-56] [S-59]", async () => {
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
