import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { makeScene } from "./stdio-server.ts";

let scene: ReturnType<typeof makeScene>;
const closing: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  scene = makeScene();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  scene.remove();
});

async function connect(...options: readonly string[]): Promise<Client> {
  const { command, args, env } = scene.command;
  const client = new Client({ name: "tester", version: "1.0.0" });
  const started = [...args.slice(0, args.indexOf("--root")), ...options];
  await client.connect(new StdioClientTransport({ command, args: started, env, cwd: scene.root }));
  closing.push(() => client.close());
  return client;
}

const publish = (client: Client, path: string) =>
  client.callTool({ name: "publish_skill", arguments: { path } });

test("an agent publishes a skill from its workspace and from no other folder [S-24] [S-41] [S-57]", async () => {
  scene.write("work/notes/SKILL.md", "---\nname: notes\ndescription: Takes notes.\n---\nWrite.\n");
  const client = await connect("--publish-from", "work", "--structured");
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === "publish_skill")?.outputSchema).toBeDefined();
  expect(await publish(client, "notes")).toMatchObject({
    structuredContent: { id: "notes", revision: 1, trust: "third_party", visibility: "private" },
  });
  const listed = async () => JSON.stringify(await client.callTool({ name: "list_skills" }));
  await vi.waitFor(async () => expect(await listed()).toContain('"notes"'), 120_000);
  for (const path of ["../skills/pdf", scene.skills])
    expect(await publish(client, path)).toMatchObject({
      isError: true,
      _meta: { "skillhold/error": { code: "POLICY_DENIED" } },
    });
});

test("publish_skill is not offered without a workspace [S-24] [S-57]", async () => {
  const client = await connect();
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("publish_skill");
  await expect(publish(client, "skills/pdf")).rejects.toMatchObject({ code: -32602 });
});
