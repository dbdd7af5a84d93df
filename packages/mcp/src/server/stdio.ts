import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { McpConnection } from "./connection.ts";
import { notifyListsChanged, onSettledChange } from "./list-change.ts";
import { instructionsFor, mcpServer } from "./mcp-server.ts";
import type { McpSkills } from "./port.ts";

export interface StdioOptions {
  readonly input: Readable;
  /** Carries only protocol messages. */
  readonly output: Writable;
  /** Stops the server. */
  readonly signal?: AbortSignal;
  readonly onError?: (error: unknown) => void;
}

/** Serves one client over two streams in either protocol revision, until the input ends or the signal is aborted. */
export async function serveMcpStdio(skills: McpSkills, options: StdioOptions): Promise<void> {
  const { input, output, signal, onError = () => {} } = options;
  const connection = await McpConnection.open(skills);
  const servers = new Set<ReturnType<typeof mcpServer>>();
  const stopWatching = onSettledChange(skills.library, (change) => {
    connection.forget(change);
    for (const server of servers) notifyListsChanged(server, onError);
  });
  const stopTools = connection.onToolChange(() => {
    for (const { server } of servers)
      if (server.transport !== undefined) server.sendToolListChanged().catch(onError);
  });
  const handle = serveStdio(
    async () => {
      // A client may try the newer revision first, so one connection can have two servers.
      const server = mcpServer(connection, { instructions: await instructionsFor(connection), onError });
      servers.add(server);
      return server;
    },
    { transport: new StdioServerTransport(input, output), onerror: onError },
  );
  try {
    await untilEnded(input, signal);
  } finally {
    stopWatching();
    stopTools();
    await handle.close();
    await connection.close();
  }
}

async function untilEnded(input: Readable, signal: AbortSignal | undefined): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const end = () => ended.resolve();
  if (input.readableEnded || input.destroyed || signal?.aborted === true) end();
  for (const event of ["end", "close", "error"]) input.once(event, end);
  signal?.addEventListener("abort", end, { once: true });
  try {
    await ended.promise;
  } finally {
    for (const event of ["end", "close", "error"]) input.off(event, end);
    signal?.removeEventListener("abort", end);
  }
}
