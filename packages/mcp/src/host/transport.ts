import { type FetchLike, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Timers } from "@skillhold/core/port";
import { SERVER_MARK } from "@skillhold/core/source";
import type { Limits } from "@skillhold/protocol/limits";
import { refuse } from "./refusal.ts";
import type { HttpServer, ServerAddress, StdioServer } from "./server-address.ts";
import { ServerProcess } from "./server-process.ts";

/** The transport to a server. It starts and sends only after it is connected. */
export function openTransport({ server, label, limits, timers }: TransportTarget): Transport {
  const mostBytes = messageBytes(limits);
  return "url" in server ? openHttp(server, mostBytes) : openProcess(server, label, mostBytes, timers);
}

/** The server to connect to, and its limits. */
export interface TransportTarget {
  readonly server: ServerAddress;
  readonly label: string;
  readonly limits: Limits;
  readonly timers: Timers;
}

/** The largest legitimate message: a whole skill in one file, encoded as JSON, or a whole list. */
function messageBytes({ mcpBytes, mcpListBytes }: Limits): number {
  return Math.max(2 * mcpBytes, mcpListBytes) + 1024 * 1024;
}

/** Redirects are rejected, because the headers are meant for the configured URL only. */
function openHttp({ url, headers = {} }: HttpServer, mostBytes: number): Transport {
  return new StreamableHTTPClientTransport(new URL(url), {
    fetch: boundedFetch(mostBytes),
    requestInit: { headers: { ...headers }, redirect: "error" },
  });
}

function openProcess(
  { command, args = [], env = {}, cwd }: StdioServer,
  label: string,
  mostBytes: number,
  timers: Timers,
): Transport {
  const given = { ...inherited(), ...env, [SERVER_MARK]: label };
  const folder = cwd ?? process.cwd();
  // Windows has no process groups, and the SDK's transport can start its script files.
  if (process.platform === "win32")
    return new StdioClientTransport({
      command,
      args: [...args],
      env: given,
      cwd: folder,
      stderr: "ignore",
      maxBufferSize: mostBytes,
    });
  return new ServerProcess({ command, args, env: given, cwd: folder }, mostBytes, timers);
}

function inherited(): Readonly<Record<string, string>> {
  const names = ["PATH", "HOME", "LANG"];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** A fetch whose response body fails above a size limit, whatever content-length says. */
export function boundedFetch(mostBytes: number): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    const { body, status, statusText, headers } = response;
    if (body === null) return response;
    return new Response(body.pipeThrough(counter(mostBytes)), { status, statusText, headers });
  };
}

function counter(mostBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes <= mostBytes) controller.enqueue(chunk);
      else controller.error(refuse("MCP_ANSWER_INVALID", `The server sent more than ${mostBytes} bytes.`));
    },
  });
}
