import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { openLibrary } from "@skillhold/core/library";
import { openSession, systemPorts } from "@skillhold/core/session";
import { nodeHost } from "@skillhold/core/source";
import { mcpHandler } from "@skillhold/mcp/server";
import { median } from "./measure.ts";

const EDITS = 10;
/** How long a library waits for more edits before it looks. */
const DEBOUNCE_MS = 500;
const AIM_MS = DEBOUNCE_MS + 200;
/** Until a client that has connected listens, and until the last edit is past. */
const REST_MS = 1000;
const launcher = resolve(import.meta.dirname, "../packages/skillhold/bin/skillhold.js");
const info = { name: "bench", version: "1" };

/** Measures how long an edit on disk takes to reach clients of both protocol generations. */
export async function benchMcpChange(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "skillhold-mcp-bench-"));
  try {
    edit(root, "0");
    const env = { PATH: process.env["PATH"] ?? "", HOME: join(root, "home") };
    const command = {
      command: process.execPath,
      args: [launcher, "mcp", "--root", join(root, "skills")],
      env,
    };
    await report(root, "stdio, SDK 1", (hear) => connectOld(new OldStdio(command), hear));
    await report(root, "stdio, SDK 2", (hear) => connectNew(new StdioClientTransport(command), hear));
    const { url, close } = await serve(root);
    await report(root, "HTTP, SDK 1", (hear) => connectOld(new OldHttp(url), hear));
    await report(root, "HTTP, SDK 2", (hear) => connectNew(new StreamableHTTPClientTransport(url), hear));
    await close();
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

type Connect = (hear: () => void) => Promise<{ close(): Promise<void> }>;

async function report(root: string, way: string, connect: Connect): Promise<void> {
  let heard = Promise.withResolvers<void>();
  const client = await connect(() => heard.resolve());
  const times: number[] = [];
  for (let count = 0; count < EDITS; count += 1) {
    await sleep(REST_MS);
    heard = Promise.withResolvers<void>();
    const start = performance.now();
    edit(root, `${way} ${count}`);
    await heard.promise;
    times.push(performance.now() - start);
  }
  await client.close();
  const [middle, worst] = [median(times), Math.max(...times)].map((ms) => ms.toFixed(0));
  console.log(
    `mcp-change: ${way}, heard of an edit after ${middle} ms, at worst ${worst} ms (aim: ${AIM_MS} ms)`,
  );
}

function edit(root: string, description: string): void {
  const folder = join(root, "skills/pdf");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "SKILL.md"), `---\nname: pdf\ndescription: ${description}.\n---\n# Steps\n`);
}

async function connectOld(transport: OldStdio | OldHttp, hear: () => void): Promise<OldClient> {
  const client = new OldClient(info);
  client.setNotificationHandler(ResourceListChangedNotificationSchema, hear);
  // Under `exactOptionalPropertyTypes` its own transports are not quite its own type of transport.
  await client.connect(transport as Parameters<OldClient["connect"]>[0]);
  return client;
}

async function connectNew(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
  onChanged: () => void,
): Promise<Client> {
  const client = new Client(info, {
    versionNegotiation: { mode: { pin: "2026-07-28" } },
    listChanged: { resources: { autoRefresh: false, debounceMs: 0, onChanged } },
  });
  await client.connect(transport);
  return client;
}

async function serve(root: string) {
  const source = { label: "skills", kind: "user", trust: "user", root: join(root, "skills") } as const;
  const library = await openLibrary({ sources: [source], host: nodeHost(process), watch: true });
  const viewer = { runtime: "bench" };
  const skills = { library, viewer, openSession: () => openSession(library, viewer, systemPorts()) };
  const handler = mcpHandler({ open: () => skills, library });
  const answer = toNodeHandler({ fetch: (request) => handler.fetch(request, { key: "bench", viewer }) });
  // Under `exactOptionalPropertyTypes` a request of Node is not quite what the adapter asks for.
  const server = createServer((request, response) => void answer(request as never, response));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  // A server that listens on a port has an address of that kind.
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    await handler.close();
    server.closeAllConnections();
    server.close();
    await library.close();
  };
  return { url: new URL(`http://127.0.0.1:${port}/mcp`), close };
}
