import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSkillhold } from "@skillhold/host";
import { expect, onTestFinished, test } from "vitest";
import { type ServedGateway, serveGateway } from "../gateway/remote.fixture.ts";
import { WorkspaceFolder } from "./workspace.fixture.ts";

async function openGateway(): Promise<ServedGateway> {
  const served = await serveGateway();
  onTestFinished(() => served.close());
  return served;
}

async function open(
  folder: WorkspaceFolder,
  served?: ServedGateway,
  { env = {}, id = "seo" }: { readonly env?: Record<string, string>; readonly id?: string } = {},
) {
  const data = mkdtempSync(join(tmpdir(), "skillhold-data-"));
  const warnings: string[] = [];
  const gateway =
    served === undefined
      ? {}
      : { gateway: { url: served.url, token: await served.tokenOf("agent", "ann", id) } };
  const skillhold = await openSkillhold({
    runtime: "test",
    data,
    env: { PATH: process.env["PATH"], ...env },
    workspace: { folder: folder.path, id, debounceMs: 10, ...gateway },
    onWarning: (message) => warnings.push(message),
  });
  onTestFinished(async () => {
    await skillhold.close();
    rmSync(data, { recursive: true, force: true });
  });
  const { workspace } = skillhold;
  if (workspace === undefined) throw new Error("The workspace was not opened.");
  const agent = skillhold.session();
  const prompt = async () => (await agent.forAgent()).system;
  return { skillhold, workspace, agent, prompt, warnings };
}

test("a workspace's agent gets the composed prompt, and only listed skills exist for it [S-9] [S-56]", async () => {
  const folder = new WorkspaceFolder()
    .config(["b-skill", "calculator"])
    .skill("a-skill")
    .skill("b-skill", "Do b carefully.")
    .write("skills/calculator/tools/add.py", "def add(): ...\n")
    .write("system-prompt.md", "You are SEO.");
  const { skillhold, workspace, prompt } = await open(folder);
  expect((await skillhold.list()).map(({ id }) => id)).toEqual(["b-skill", "calculator"]);
  const text = await prompt();
  expect(text.startsWith("You are SEO.\n\n## Your Skills\n\n### b-skill\n\nAbout b-skill.")).toBe(true);
  expect(text).toContain("Do b carefully.");
  expect(text).toContain("### calculator");
  expect(text).not.toContain("a-skill");
  folder.config(["a-skill"]);
  await workspace.reload();
  expect((await skillhold.list()).map(({ id }) => id)).toEqual(["a-skill"]);
  expect(await prompt()).not.toContain("### b-skill");
});

test("a skill added to one workspace appears in the prompt of its peer, without a restart [S-56]", async () => {
  const served = await openGateway();
  const [one, two] = [
    new WorkspaceFolder("one").config(["first"]).skill("first").write("system-prompt.md", "One."),
    new WorkspaceFolder("two").config([]).write("system-prompt.md", "Two."),
  ];
  const a = await open(one, served, { id: "one" });
  const b = await open(two, served, { id: "two" });
  await expect.poll(() => b.prompt()).toContain("- **one** (id: `one`, status: online)\n  Skills: first");
  one.skill("second").config(["first", "second"]);
  await expect.poll(() => a.prompt()).toContain("### second");
  await expect.poll(() => b.prompt()).toContain("Skills: first, second");
  const events = await served.gateway.registry.store.eventsAfter(0, 1000);
  const updates = events.flatMap(({ event }) =>
    event.type === "workspace.card_updated" && event.agent === "one" ? [event.skills] : [],
  );
  expect(updates.at(-1)).toEqual(["first", "second"]);
  await a.workspace.report({ task: "Audit the site", activeTasks: 1 });
  const stored = await served.gateway.registry.store.findWorkspace("one");
  expect(stored).toMatchObject({ task: "Audit the site", status: "online" });
});

test("a gateway that is away keeps the workspace running, and gets the card later [S-56]", async () => {
  const served = await openGateway();
  const folder = new WorkspaceFolder().config(["first"]).skill("first").write("system-prompt.md", "One.");
  await served.leave();
  const { prompt, workspace, warnings } = await open(folder, served);
  expect(await prompt()).toContain("### first");
  expect(warnings.length).toBeGreaterThan(0);
  await served.comeBack();
  await workspace.report({ task: "Back" });
  await expect
    .poll(async () => (await served.gateway.registry.store.findWorkspace("seo"))?.status)
    .toBe("online");
});

/** A platform that fails its first request. */
async function openPlatform() {
  const requests: { readonly path: string; readonly token: string | undefined; readonly body: unknown }[] =
    [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body: unknown = JSON.parse(Buffer.concat(parts).toString());
    requests.push({ path: request.url ?? "", token: request.headers.authorization, body });
    response.statusCode = requests.length === 1 ? 500 : 200;
    response.end("{}");
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  // The server listens on a port, so the address is an object.
  const { port } = server.address() as AddressInfo;
  return { requests, url: `http://127.0.0.1:${port}` };
}

test("pushes the card to a platform that the operator allows, and retries a failed push [S-56]", async () => {
  const platform = await openPlatform();
  const folder = new WorkspaceFolder()
    .config(["first"], `platforms:\n  - url: ${platform.url}\n    token_env: PLATFORM_TOKEN\n`)
    .skill("first")
    .write("system-prompt.md", "One.");
  const env = { SKILLHOLD_PLATFORM_HOSTS: "127.0.0.1", PLATFORM_TOKEN: "secret" };
  const { workspace } = await open(folder, undefined, { env });
  await expect.poll(() => workspace.pushes).toMatchObject([{ url: platform.url, ok: true }]);
  expect(platform.requests).toHaveLength(2);
  expect(platform.requests.at(-1)).toMatchObject({
    path: "/registry/update-card",
    token: "Bearer secret",
    body: { workspace_id: "seo", agent_card: { skills: [{ id: "first" }] } },
  });
});

test("does not push to a loopback address that a config names, and the workspace works [S-56]", async () => {
  const platform = await openPlatform();
  const folder = new WorkspaceFolder()
    .config(["first"], `platforms: ["${platform.url}", "https://127.0.0.1:9"]\n`)
    .skill("first")
    .write("system-prompt.md", "One.");
  const { workspace, prompt } = await open(folder);
  await expect.poll(() => workspace.pushes.map(({ ok }) => ok)).toEqual([false, false]);
  expect(platform.requests).toEqual([]);
  expect(await prompt()).toContain("### first");
});
