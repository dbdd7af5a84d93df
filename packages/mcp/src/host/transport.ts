import { StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { SERVER_MARK } from "@skillhold/core/source";
import type { Limits } from "@skillhold/protocol/limits";
import { boundedFetch } from "./bounded-fetch.ts";
import type { HttpServer, ServerAddress, StdioServer } from "./server-address.ts";
import { ServerProcess } from "./server-process.ts";

/** The way to a server. Nothing is started or sent before it is connected. */
export function openTransport(server: ServerAddress, label: string, limits: Limits): Transport {
  const mostBytes = messageBytes(limits);
  return "url" in server ? openHttp(server, mostBytes) : openProcess(server, label, mostBytes);
}

/** No honest message is larger: a whole skill in one file, encoded as JSON, or a whole list. */
function messageBytes({ mcpBytes, mcpListBytes }: Limits): number {
  return Math.max(2 * mcpBytes, mcpListBytes) + 1024 * 1024;
}

/** A redirect is refused: what is sent along is for the address that the user named. */
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
): Transport {
  const given = { ...inherited(), ...env, [SERVER_MARK]: label };
  const place = cwd ?? process.cwd();
  // Windows has no groups of processes; there the client's own way of starting knows about its scripts.
  if (process.platform === "win32")
    return new StdioClientTransport({
      command,
      args: [...args],
      env: given,
      cwd: place,
      stderr: "ignore",
      maxBufferSize: mostBytes,
    });
  return new ServerProcess({ command, args, env: given, cwd: place }, mostBytes);
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
