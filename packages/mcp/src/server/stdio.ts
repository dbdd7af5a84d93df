import type { Readable, Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { pause, systemTimers, type Timers } from "@skillhold/core/port";
import { GENERAL_INSTRUCTIONS, instructionsFor } from "./catalogue.ts";
import { McpConnection } from "./connection.ts";
import { notifyListsChanged, onSettledChange } from "./list-change.ts";
import { mcpServer } from "./mcp-server.ts";
import type { McpSkills } from "./port.ts";

export interface StdioOptions {
  readonly input: Readable;
  /** Carries only protocol messages. */
  readonly output: Writable;
  /** Stops the server. */
  readonly signal?: AbortSignal;
  /** How long `initialize` waits for the catalogue. After that its instructions only name the tools. */
  readonly catalogueMs?: number;
  readonly onError?: (error: unknown) => void;
  /** Default: the timers of the machine. */
  readonly timers?: Timers;
}

const CATALOGUE_MS = 500;

/**
 * Serves one client over two streams in either protocol revision, until the input ends or the signal is aborted. The skills
 * may still be opening: `initialize` is answered meanwhile, and other requests wait. Rejects when they cannot be opened.
 */
export async function serveMcpStdio(
  skills: McpSkills | Promise<McpSkills>,
  options: StdioOptions,
): Promise<void> {
  const {
    input,
    output,
    signal,
    catalogueMs = CATALOGUE_MS,
    onError = () => {},
    timers = systemTimers,
  } = options;
  const connected = Promise.resolve(skills).then((opened) => McpConnection.open(opened));
  const servers = new Set<McpServer>();
  const stops: (() => void)[] = [];
  const isFailed = connected.then(
    (connection) => {
      stops.push(...notifyServers(connection, servers, { onError, timers }));
      return false;
    },
    () => true,
  );
  const handle = serveStdio(
    async () => {
      // A client may try the newer revision first, so one connection can have two servers.
      const instructions = await within(
        catalogueMs,
        connected.then(instructionsFor),
        GENERAL_INSTRUCTIONS,
        timers,
      );
      const server = mcpServer(connected, { instructions, onError, timers });
      servers.add(server);
      return server;
    },
    { transport: new StdioServerTransport(input, output), onerror: onError },
  );
  try {
    const ended = untilEnded(input, signal);
    // The requests that wait are answered with the failure first.
    await Promise.race([ended, isFailed.then((failed) => (failed ? setImmediate() : ended))]);
  } finally {
    for (const stop of stops) stop();
    await handle.close();
    if (!(await isFailed)) await (await connected).close();
  }
  if (await isFailed) await connected;
}

/** Sends list changes to the servers of a connection; returns the functions that stop it. */
function notifyServers(
  connection: McpConnection,
  servers: ReadonlySet<McpServer>,
  { onError, timers }: Required<Pick<StdioOptions, "onError" | "timers">>,
): readonly (() => void)[] {
  return [
    onSettledChange(
      connection.skills.library,
      (change) => {
        connection.forget(change);
        for (const server of servers) notifyListsChanged(server, onError);
      },
      timers,
    ),
    connection.onToolChange(() => {
      for (const { server } of servers)
        if (server.transport !== undefined) server.sendToolListChanged().catch(onError);
    }),
  ];
}

/** The result of the work, or the fallback when it fails or takes longer. */
async function within<T>(ms: number, work: Promise<T>, fallback: T, timers: Timers): Promise<T> {
  const waiting = new AbortController();
  const timeout = pause(ms, timers, { signal: waiting.signal }).then(() => fallback);
  try {
    return await Promise.race([work.catch(() => fallback), timeout]);
  } finally {
    waiting.abort();
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
