import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { PromptListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startHttp } from "./http-server.ts";
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

/** The common interface of the two SDK clients. */
interface AnyClient {
  listTools(): Promise<{
    readonly tools: readonly { readonly name: string; readonly description?: string | undefined }[];
  }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  listPrompts(): Promise<{ readonly prompts: readonly { readonly name: string }[] }>;
  readResource(read: { uri: string }): Promise<{ readonly contents: readonly object[] }>;
  getInstructions(): string | undefined;
  close(): Promise<void>;
}

interface Connected {
  readonly client: AnyClient;
  /** The number of prompt list notifications. */
  readonly told: () => number;
}

const info = { name: "tester", version: "1.0.0" };

async function connectOld(transport: OldStdio | OldHttp): Promise<Connected> {
  const client = new OldClient(info);
  let count = 0;
  client.setNotificationHandler(PromptListChangedNotificationSchema, () => {
    count += 1;
  });
  // With `exactOptionalPropertyTypes` the SDK's transports do not match its own interface.
  await client.connect(transport as Parameters<OldClient["connect"]>[0]);
  closing.push(() => client.close());
  return { client, told: () => count };
}

async function connectNew(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
  revision: "2025-11-25" | "2026-07-28",
): Promise<Connected> {
  let count = 0;
  const onChanged = () => {
    count += 1;
  };
  const mode = revision === "2025-11-25" ? "legacy" : { pin: revision };
  const client = new Client(info, {
    versionNegotiation: { mode },
    listChanged: { prompts: { autoRefresh: false, debounceMs: 0, onChanged } },
  });
  await client.connect(transport);
  closing.push(() => client.close());
  return { client, told: () => count };
}

async function httpUrl(): Promise<URL> {
  const server = await startHttp(scene.skills);
  closing.push(() => server.close());
  return new URL(server.url);
}

const ways: Readonly<Record<string, () => Promise<Connected>>> = {
  "an SDK of the first generation over stdio": () => connectOld(new OldStdio(scene.command)),
  "an SDK of the first generation over HTTP": async () => connectOld(new OldHttp(await httpUrl())),
  "the older revision over stdio": () => connectNew(new StdioClientTransport(scene.command), "2025-11-25"),
  "the newer revision over stdio": () => connectNew(new StdioClientTransport(scene.command), "2026-07-28"),
  "the older revision over HTTP": async () =>
    connectNew(new StreamableHTTPClientTransport(await httpUrl()), "2025-11-25"),
  "the newer revision over HTTP": async () =>
    connectNew(new StreamableHTTPClientTransport(await httpUrl()), "2026-07-28"),
};

describe.each(Object.entries(ways))("a client of %s", (_name, connect) => {
  test("uses skills and is notified of an edit on disk [S-18] [S-24] [S-57]", async () => {
    const { client, told } = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("run_skill_script");
    expect(tools.find(({ name }) => name === "read_skill")?.description).toContain("About pdf.");
    expect(client.getInstructions()).toContain("read_skill(skill_id)");
    const read = await client.callTool({ name: "read_skill", arguments: { skill_id: "pdf" } });
    expect(JSON.stringify(read)).toContain("# Steps");
    expect(read).not.toHaveProperty("structuredContent");
    const { contents } = await client.readResource({ uri: "skill://pdf/references/forms.md" });
    expect(contents).toMatchObject([{ text: "Forms.\n" }]);
    const names = async () => (await client.listPrompts()).prompts.map(({ name }) => name);
    expect(await names()).toEqual(["use_skill", "pdf"]);
    // Edits until a notification arrives, because the stream may not be open yet.
    let edits = 0;
    const edit = () => {
      edits += 1;
      if (told() === 0) scene.writeSkill("mail", `Edit ${edits}.`);
      return told();
    };
    await expect.poll(edit, { interval: 1000 }).toBeGreaterThan(0);
    expect(await names()).toEqual(["use_skill", "mail", "pdf"]);
  });
});

test("a run is canceled when an HTTP client disconnects [S-29] [S-57]", async () => {
  scene.write("skills/pdf/scripts/long.sh", "sleep 1; echo on; sleep 60\n");
  const server = await startHttp(scene.skills);
  closing.push(() => server.close());
  const client = new Client(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  closing.push(() => client.close());
  const call = { name: "run_skill_script", arguments: { skill_id: "pdf", script: "long.sh" } };
  const off = new AbortController();
  // It prints, and so it has begun.
  const onprogress = () => off.abort();
  await expect(client.callTool(call, { signal: off.signal, onprogress })).rejects.toThrow();
  const outcomes = () =>
    server.events.flatMap((event) => (event.type === "skill.script_executed" ? [event.outcome] : []));
  await vi.waitFor(() => expect(outcomes()).toEqual(["aborted"]), 120_000);
});

describe("skillhold mcp", () => {
  const start = () => {
    const { command, args, env } = scene.command;
    const server = spawn(command, args, { env });
    const texts = { out: "", err: "" };
    server.stdout.on("data", (chunk: Buffer) => {
      texts.out += chunk.toString();
    });
    server.stderr.on("data", (chunk: Buffer) => {
      texts.err += chunk.toString();
    });
    const send = (message: object) => server.stdin.write(`${JSON.stringify(message)}\n`);
    const initialize = () => {
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: info };
      send({ jsonrpc: "2.0", id: 1, method: "initialize", params });
      return vi.waitFor(() => expect(texts.out).toContain('"id":1'), { timeout: 120_000 });
    };
    return { server, texts, send, initialize };
  };

  test("lists used skills first when the catalogue cannot hold all [S-22] [S-57] [S-69]", async () => {
    for (let at = 0; at < 200; at += 1) scene.writeSkill(`a-skill-with-a-long-id-${at}`);
    const description = async (client: Client) =>
      (await client.listTools()).tools.find(({ name }) => name === "read_skill")?.description ?? "";
    const connect = async () => {
      const client = new Client(info);
      await client.connect(new StdioClientTransport(scene.command));
      return client;
    };
    const before = await connect();
    expect(await description(before)).not.toContain("`pdf`");
    await before.callTool({ name: "read_skill", arguments: { skill_id: "pdf" } });
    await before.close();
    const after = await connect();
    const text = await description(after);
    await after.close();
    expect(text).toMatch(/\nIds: `pdf`, .*\n\d+ more: search_skills\(query\)$/);
    expect(text.length).toBeLessThanOrEqual(2000);
  });

  test("--no-watch turns off reloading [S-18] [S-57]", async () => {
    const open = async (...more: readonly string[]) => {
      const { command, args, env } = scene.command;
      const { client } = await connectNew(
        new StdioClientTransport({ command, args: [...args, ...more], env }),
        "2025-11-25",
      );
      return async () => (await client.listPrompts()).prompts.map(({ name }) => name);
    };
    const [watching, still] = [await open(), await open("--no-watch")];
    expect(await watching()).toEqual(["use_skill", "pdf"]);
    expect(await still()).toEqual(["use_skill", "pdf"]);
    scene.writeSkill("mail");
    await expect.poll(watching).toEqual(["use_skill", "mail", "pdf"]);
    expect(await still()).toEqual(["use_skill", "pdf"]);
  });

  test("--strict rejects skills that break the specification [S-4] [S-57]", async () => {
    scene.write("skills/odd/SKILL.md", "---\nname: Another Name\ndescription: x\n---\n# Steps\n");
    const { command, args, env } = scene.command;
    const listed = async (...more: readonly string[]) => {
      const transport = new StdioClientTransport({ command, args: [...args, ...more], env });
      const { client } = await connectNew(transport, "2025-11-25");
      return JSON.stringify(await client.callTool({ name: "list_skills", arguments: {} }));
    };
    expect(await listed()).toContain("odd");
    const strict = await listed("--strict");
    expect(strict).toContain("pdf");
    expect(strict).not.toContain("odd");
  });

  test("asks the client's user before a run and stores its output [S-28] [S-29] [S-57]", async () => {
    scene.write("skills/pdf/scripts/make.sh", "cat /mnt/data/in.txt; echo made > out.txt\n");
    scene.write("data/in.txt", "read\n");
    const { command, args, env } = scene.command;
    const grants = [
      "--mount",
      join(scene.root, "data"),
      "--outputs",
      join(scene.root, "outputs"),
      "--structured",
    ];
    const client = new Client(info, { capabilities: { elicitation: { form: {} } } });
    const asked: string[] = [];
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { decision: "approve once" } };
    });
    await client.connect(new StdioClientTransport({ command, args: [...args, ...grants], env }));
    closing.push(() => client.close());
    await client.listTools();
    const call = { name: "run_skill_script", arguments: { skill_id: "pdf", script: "make.sh" } };
    const result = await client.callTool(call);
    expect(result).toMatchObject({
      structuredContent: { stdout: "read\n", files: [{ path: "out.txt" }], outputs: expect.any(String) },
    });
    expect(asked).toEqual([
      expect.stringContaining(`Mount: ${join(scene.root, "data")} as /mnt/data (read-only)`),
    ]);
    const [run = ""] = readdirSync(join(scene.root, "outputs"));
    expect(readFileSync(join(scene.root, "outputs", run, "out.txt"), "utf8")).toBe("made\n");
  });

  test("exits when its input ends, and writes only protocol messages [S-57]", async () => {
    const { server, texts, initialize } = start();
    await initialize();
    server.stdin.end();
    expect(await once(server, "exit")).toEqual([0, null]);
    for (const line of texts.out.trimEnd().split("\n"))
      expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
    expect(texts.err).toBe("");
  });

  test("rejects a run that needs an approval with a hint, and exits on a signal [S-28] [S-57]", async () => {
    const { server, send, initialize, texts } = start();
    await initialize();
    const call = { name: "run_skill_script", arguments: { skill_id: "pdf", script: "hello.sh" } };
    send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: call });
    await vi.waitFor(() => expect(texts.out).toContain("APPROVAL_REQUIRED"), { timeout: 120_000 });
    expect(texts.out).toContain("skillhold approve <id>");
    server.kill("SIGTERM");
    expect(await once(server, "exit")).toEqual([130, null]);
  });

  test("continues after invalid input [S-57]", async () => {
    const { server, texts, initialize } = start();
    server.stdin.write("this is no JSON\n{}\n[]\n");
    await initialize();
    server.stdin.end();
    expect(await once(server, "exit")).toEqual([0, null]);
    expect(
      texts.out
        .trimEnd()
        .split("\n")
        .every((line) => line.startsWith("{")),
    ).toBe(true);
  });
});
