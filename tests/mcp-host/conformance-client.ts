import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { nodeHost } from "@skillhold/core/source";
import { openMcpLibrary } from "@skillhold/mcp/host";
import { SkillError } from "@skillhold/protocol/error";

/**
 * The client that the conformance suite starts, with the address of its server as the last argument: a library that
 * lists the server's skills and, where the scenario is about reading, loads each with its files. With `careless`, it
 * reads everything without checks, to show that the suite detects it.
 */
const address = process.argv.at(-1) ?? "";
const isCareless = process.argv.includes("careless");
const isModern = process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"] === "2026-07-28";
const readsSkills = process.env["MCP_CONFORMANCE_SCENARIO"] !== "sep-2640-client-no-prefetch";

const way = isModern ? { url: address, close: () => {} } : await openOldServer(address);
try {
  await (isCareless ? readAll(way.url) : useLibrary(way.url));
} finally {
  way.close();
}

async function useLibrary(url: string): Promise<void> {
  const host = nodeHost({ env: {}, platform: process.platform, cwd: "/" });
  const library = await openMcpLibrary(
    { label: "conformance", server: { url } },
    { host, clock: { now: () => new Date() } },
  );
  const viewer = { runtime: "conformance" };
  try {
    const { problem } = library.state();
    if (problem !== undefined) throw problem;
    await library.search(viewer, "documents");
    for (const { id } of readsSkills ? await library.list(viewer) : []) {
      const { files } = await library.read(viewer, id);
      for (const { path } of files) await library.resource(viewer, id, path);
    }
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    process.stderr.write(`${error.code}: ${error.message}\n`);
    process.exitCode = 1;
  } finally {
    await library.close();
  }
}

async function readAll(url: string): Promise<void> {
  const client = new Client({ name: "careless", version: "0" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const { z } = await import("zod");
  const Listed = z.object({
    skills: z.array(z.object({ resources: z.array(z.object({ uri: z.string() })) })),
  });
  const { skills } = await client.request({ method: "skills/list", params: {} }, Listed);
  for (const { uri } of skills.flatMap(({ resources }) => resources)) await client.readResource({ uri });
  await client.close();
}

/** The same server without the newer protocol, which the suite's own server always supports. */
async function openOldServer(to: string): Promise<{ readonly url: string; readonly close: () => void }> {
  const http = createServer(async (request, response) => {
    const body = await buffer(request);
    const message = body.length === 0 ? undefined : JSON.parse(body.toString("utf8"));
    if (message?.method === "server/discover") {
      const error = { code: -32601, message: "Method not found" };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, error }));
      return;
    }
    // The suite's server keeps an event stream open.
    if (request.method === "GET") {
      response.writeHead(405).end();
      return;
    }
    const { host: _, connection: __, "content-length": ___, ...headers } = request.headers;
    const answer = await fetch(to, {
      method: request.method ?? "POST",
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      ...(body.length === 0 ? {} : { body }),
    });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  // A listening TCP server has a port.
  const { port } = http.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, close: () => void http.close() };
}
