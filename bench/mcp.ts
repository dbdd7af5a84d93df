import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { type CallToolResult, createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { openLibrary } from "@skillhold/core/library";
import { openSession, systemPorts } from "@skillhold/core/session";
import { nodeHost } from "@skillhold/core/source";
import { type McpSkills, mcpHandler, serveMcpStdio } from "@skillhold/mcp/server";
import { z } from "zod";
import { withInstallation, workspaceLauncher } from "./installation.ts";
import { compare } from "./measure.ts";

const ROUNDS = 400;
const STARTS = 9;
/** An edit of a moment ago is looked at in full on each reading, and skills are edited seldom. */
const REST_MS = 3000;
const REVISION = "2026-07-28";

/** Measures calls of read_skill, and the start of the server, beside a server of the bare SDK that returns the same text. */
export async function benchMcp(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "skillhold-mcp-bench-"));
  try {
    writeSkill(join(root, "skills/pdf"));
    await sleep(REST_MS);
    writeFileSync(join(root, ANSWER), JSON.stringify(await readOnce(root)));
    await benchStdio(root);
    await benchHttp(root);
    await withInstallation((installed) => benchInitialize(root, installed));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const line = "One line of the instructions that say what to do next.\n";
const text = line.repeat(70);
/** The file that holds what read_skill answers. */
const ANSWER = "answer.json";
/** With every use on a durable record, which waits for the disk; the others show the protocol alone. */
const RECORDED = "read_skill of the command line, recorded";

function writeSkill(folder: string): void {
  mkdirSync(join(folder, "references"), { recursive: true });
  writeFileSync(join(folder, "SKILL.md"), `---\nname: pdf\ndescription: Reads PDF files.\n---\n${text}`);
  writeFileSync(join(folder, "references/forms.md"), line);
}

async function benchStdio(root: string): Promise<void> {
  const self = [process.execPath, "--conditions=@skillhold/source", import.meta.filename] as const;
  const [node, ...args] = self;
  const env = { PATH: process.env["PATH"] ?? "", HOME: join(root, "home") };
  const started = [
    { args: [...args, "echo", root] },
    { args: [...args, "skills", root] },
    { args: [workspaceLauncher, "mcp", "--root", join(root, "skills")] },
  ].map(async (command) => connect(new StdioClientTransport({ command: node, ...command, env })));
  const [echo, bare, command] = await Promise.all(started);
  if (echo === undefined || bare === undefined || command === undefined) return;
  await report("stdio", echo, { read_skill: bare, [RECORDED]: command });
  for (const client of [echo, bare, command]) await client.close();
}

/** From the start of the process to the answer of `initialize`. */
async function benchInitialize(root: string, installed: string): Promise<void> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: join(root, "home") };
  const start = (args: readonly string[]) => async () => {
    const client = new Client({ name: "bench", version: "1" }, { versionNegotiation: { mode: "legacy" } });
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [...args], env }));
    await client.close();
  };
  const echo = ["--conditions=@skillhold/source", resolve(import.meta.dirname, "mcp-echo.ts")];
  const launchers = [workspaceLauncher, installed];
  const [base = 0, ...times] = await compare(
    [start(echo), ...launchers.map((launcher) => start([launcher, "mcp", "--root", join(root, "skills")]))],
    STARTS,
  );
  const [source = 0, ours = 0] = times.map((ms) => ms / base);
  console.log(
    `mcp: start, initialize of an SDK echo ${base.toFixed(0)} ms, of skillhold mcp ${times.map((ms) => ms.toFixed(0)).join(" and ")} ms, ratio ${source.toFixed(2)} in the workspace and ${ours.toFixed(2)} installed (aim: at most 1.5)`,
  );
}

async function benchHttp(root: string): Promise<void> {
  const skills = await openSkills(root);
  const ours = mcpHandler({ open: () => skills, library: skills.library });
  const who = { key: "bench", viewer: skills.viewer };
  const theirs = createMcpHandler(echoServer(root));
  const servers = await Promise.all([
    listen(theirs),
    listen({ fetch: (request) => ours.fetch(request, who) }),
  ]);
  const clients = await Promise.all(
    servers.map(({ url }) => connect(new StreamableHTTPClientTransport(url))),
  );
  const [echo, bare] = clients;
  if (echo !== undefined && bare !== undefined) await report("HTTP", echo, { read_skill: bare });
  for (const client of clients) await client.close();
  await Promise.all([ours.close(), theirs.close(), ...servers.map(({ close }) => close())]);
  await skills.library.close();
}

async function report(way: string, echo: Client, ours: Readonly<Record<string, Client>>): Promise<void> {
  const say = { name: "echo", arguments: { text: "x" } };
  const read = { name: "read_skill", arguments: { skill_id: "pdf", again: true } };
  const tasks = Object.values(ours).map((client) => () => client.callTool(read));
  const [base = 0, ...times] = await compare([() => echo.callTool(say), ...tasks], ROUNDS);
  for (const [at, name] of Object.keys(ours).entries()) {
    const ms = times[at] ?? 0;
    const aim = name === RECORDED ? "" : " (aim: at most 1.5)";
    console.log(
      `mcp: ${way}, echo of the SDK ${base.toFixed(2)} ms, ${name} ${ms.toFixed(2)} ms, ratio ${(ms / base).toFixed(2)}${aim}`,
    );
  }
}

async function connect(transport: StdioClientTransport | StreamableHTTPClientTransport): Promise<Client> {
  const client = new Client(
    { name: "bench", version: "1" },
    { versionNegotiation: { mode: { pin: REVISION } } },
  );
  await client.connect(transport);
  return client;
}

async function listen(handler: Parameters<typeof toNodeHandler>[0]) {
  const answer = toNodeHandler(handler);
  // Under `exactOptionalPropertyTypes` a request of Node is not quite what the adapter asks for.
  const server = createServer((request, response) => void answer(request as never, response));
  const started = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", started.resolve);
  await started.promise;
  // A server that listens on a port has an address of that kind.
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: new URL(`http://127.0.0.1:${port}/mcp`), close };
}

/** Returns the answer of read_skill to every call. */
function echoServer(root: string): () => McpServer {
  const answer: CallToolResult = JSON.parse(readFileSync(join(root, ANSWER), "utf8"));
  return () => {
    const server = new McpServer({ name: "echo", version: "1" });
    const inputSchema = z.object({ text: z.string() });
    server.registerTool("echo", { description: "Echoes.", inputSchema }, async () => answer);
    return server;
  };
}

async function readOnce(root: string): Promise<CallToolResult> {
  const skills = await openSkills(root);
  const session = await openSession(skills.library, skills.viewer, systemPorts());
  const { text } = await session.activate("pdf");
  await session.close();
  await skills.library.close();
  return { content: [{ type: "text", text }] };
}

async function openSkills(root: string): Promise<McpSkills> {
  const source = { label: "skills", kind: "user", trust: "user", root: join(root, "skills") } as const;
  const library = await openLibrary({ sources: [source], host: nodeHost(process), watch: true });
  const viewer = { runtime: "bench" };
  return { library, viewer, openSession: () => openSession(library, viewer, systemPorts()) };
}

const [role, root = ""] = process.argv.slice(2);
if (process.argv[1] === import.meta.filename && role === "echo") serveStdio(echoServer(root));
if (process.argv[1] === import.meta.filename && role === "skills") {
  const skills = await openSkills(root);
  await serveMcpStdio(skills, { input: process.stdin, output: process.stdout });
  await skills.library.close();
}
