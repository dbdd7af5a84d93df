import { readFileSync } from "node:fs";
import { Client, SdkError, SdkErrorCode, type Transport } from "@modelcontextprotocol/client";
import type { SkillError } from "@skillhold/protocol/error";
import type { LimitName, Limits } from "@skillhold/protocol/limits";
import { withDeadline } from "./deadline.ts";
import { explainFailure } from "./failure.ts";
import type { ServerAddress } from "./server-address.ts";
import { ServerProcess } from "./server-process.ts";
import { openTransport } from "./transport.ts";

/** Which server to connect to, and what it is held to. */
export interface ConnectionTarget {
  readonly server: ServerAddress;
  readonly label: string;
  readonly limits: Limits;
  /** Ends everything that is waited for. */
  readonly signal: AbortSignal;
}

export interface Connected {
  readonly client: Client;
  readonly transport: Transport;
}

/** Many changes in a row are told once. */
const CHANGE_MS = 300;

/** Connects in the newer protocol or else in the older one. What it fails with is one of ours. */
export async function connectClient(
  target: ConnectionTarget,
  onChanged: () => void,
  mode: "auto" | "legacy" = "auto",
): Promise<Connected> {
  const { server, label, limits, signal } = target;
  const timeout = limits.mcpConnectMs;
  const transport = openTransport(server, label, limits);
  const client = makeClient(mode, timeout, onChanged);
  try {
    await withDeadline({ limit: "mcpConnectMs", ms: timeout, signal }, (signal) =>
      client.connect(transport, { timeout, signal }),
    );
    return { client, transport };
  } catch (error) {
    await client.close().catch(() => undefined);
    await transport.close().catch(() => undefined);
    // A program that ends when it is asked which protocol it speaks is an old one.
    if (mode === "auto" && !("url" in server) && isEraFailure(error))
      return await connectClient(target, onChanged, "legacy");
    throw explain(error, "mcpConnectMs", transport);
  }
}

/** What a program printed about itself, or was ended for, says more than that it ended. */
export function explain(error: unknown, limit: LimitName, transport: Transport): SkillError {
  if (!(transport instanceof ServerProcess)) return explainFailure(error, limit, "");
  return explainFailure(transport.failure ?? error, limit, transport.stderr);
}

/** It offers a server nothing: no folders, no model, no person to ask. */
function makeClient(mode: "auto" | "legacy", timeout: number, onChanged: () => void): Client {
  return new Client(
    { name: "skillhold", version: readVersion() },
    {
      // Half of the time, so that the other half is left for a server that does not answer the question.
      versionNegotiation: { mode, probe: { timeoutMs: timeout / 2 } },
      inputRequired: { autoFulfill: false },
      listChanged: { resources: { autoRefresh: false, debounceMs: CHANGE_MS, onChanged } },
    },
  );
}

function isEraFailure(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;
}

/** The package file lies two folders up from the sources and from the emitted code alike. */
function readVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const { version }: { readonly version: string } = JSON.parse(text);
  return version;
}
