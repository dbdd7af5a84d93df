import { readFileSync } from "node:fs";
import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type Transport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import {
  SKILLS_EXTENSION_ID,
  SKILLS_GET_METHOD,
  SKILLS_LIST_METHOD,
} from "@modelcontextprotocol/client/ext/skills";
import type { Timers } from "@skillhold/core/port";
import { SkillError } from "@skillhold/protocol/error";
import type { LimitName } from "@skillhold/protocol/limits";
import { z } from "zod";
import { fetchListing, type ServerListing } from "./listing.ts";
import { type RefusalCode, refusalOf, refuse } from "./refusal.ts";
import { ServerProcess } from "./server-process.ts";
import { openTransport, type TransportTarget } from "./transport.ts";

export interface ConnectionEvents {
  /** Called when the server reports a changed list. */
  readonly onChanged: () => void;
  /** Called when the connection is lost, and not after `close`. */
  readonly onLost: (reason: string) => void;
}

/** The time limit for ending the session at the server. */
const TERMINATE_MS = 500;
const Result = z.looseObject({});

/** A connection to a server of skills. Each request has a time limit, and requests of the server are rejected. */
export class Connection {
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #target: ConnectionTarget;
  #isOpen = true;

  private constructor({ client, transport }: Connected, target: ConnectionTarget) {
    this.#client = client;
    this.#transport = transport;
    this.#target = target;
  }

  static async open(target: ConnectionTarget, events: ConnectionEvents): Promise<Connection> {
    const connected = await connectClient(target, events.onChanged);
    const connection = new Connection(connected, target);
    connected.client.onclose = () => connection.#lose(events);
    return connection;
  }

  /** The server's list, extended by these URIs if they are not listed. */
  async list(uris: readonly string[] = []): Promise<ServerListing> {
    this.#requireSkills();
    return await this.#within("mcpListMs", (options) => {
      const request = (method: string, params: object) =>
        this.#client.request({ method, params: { ...params } }, Result, options);
      return fetchListing(
        (cursor) => request(SKILLS_LIST_METHOD, cursor === undefined ? {} : { cursor }),
        this.#target.limits,
        { uris, fetch: (uri) => request(SKILLS_GET_METHOD, { uri }) },
      );
    });
  }

  /** The unchecked response of the server. */
  async read(uri: string): Promise<unknown> {
    return await this.#within("mcpReadMs", (options) =>
      this.#client.readResource({ uri }, { ...options, cacheMode: "bypass" }),
    );
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    const transport = this.#transport;
    if (transport instanceof StreamableHTTPClientTransport)
      await withDeadline({ limit: "mcpReadMs", ms: TERMINATE_MS }, this.#target.timers, () =>
        transport.terminateSession(),
      ).catch(() => undefined);
    await this.#client.close().catch(() => undefined);
  }

  async #within<T>(
    limit: "mcpListMs" | "mcpReadMs",
    work: (options: {
      readonly timeout: number;
      readonly maxTotalTimeout: number;
      readonly signal: AbortSignal;
    }) => Promise<T>,
  ): Promise<T> {
    const { limits, signal, timers } = this.#target;
    const ms = limits[limit];
    try {
      return await withDeadline({ limit, ms, signal }, timers, (signal) =>
        work({ timeout: ms, maxTotalTimeout: ms, signal }),
      );
    } catch (error) {
      throw connectionProblem(error, limit, this.#transport);
    }
  }

  #requireSkills(): void {
    const { extensions, resources } = this.#client.getServerCapabilities() ?? {};
    const declared: unknown = extensions?.[SKILLS_EXTENSION_ID];
    if (typeof declared === "object" && declared !== null && resources !== undefined) return;
    throw refuse("MCP_NO_SKILLS", "The server does not serve skills.");
  }

  #lose({ onLost }: ConnectionEvents): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    onLost("The server closed the connection.");
  }
}

export interface ConnectionTarget extends TransportTarget {
  /** Aborts all requests. */
  readonly signal: AbortSignal;
}

export interface Connected {
  readonly client: Client;
  readonly transport: Transport;
}

/** Merges list changes within this time. */
const CHANGE_MS = 300;

/** Connects with the newer protocol revision or the older one. Rejects with a SkillError. */
export async function connectClient(
  target: ConnectionTarget,
  onChanged: () => void,
  mode: "auto" | "legacy" = "auto",
): Promise<Connected> {
  const { server, limits, signal, timers } = target;
  const timeout = limits.mcpConnectMs;
  const transport = openTransport(target);
  const client = makeClient(mode, timeout, onChanged);
  try {
    await withDeadline({ limit: "mcpConnectMs", ms: timeout, signal }, timers, (signal) =>
      client.connect(transport, { timeout, signal }),
    );
    return { client, transport };
  } catch (error) {
    await client.close().catch(() => undefined);
    await transport.close().catch(() => undefined);
    // A program that exits on version negotiation speaks the older revision.
    if (mode === "auto" && !("url" in server) && isEraFailure(error))
      return await connectClient(target, onChanged, "legacy");
    throw connectionProblem(error, "mcpConnectMs", transport);
  }
}

/** Prefers the stderr or the failure of a server process over the error that the process exited. */
export function connectionProblem(error: unknown, limit: LimitName, transport: Transport): SkillError {
  if (!(transport instanceof ServerProcess)) return classifyFailure(error, limit, "");
  return classifyFailure(transport.failure ?? error, limit, transport.stderr);
}

/** A client without capabilities: no roots, no sampling and no elicitation. */
function makeClient(mode: "auto" | "legacy", timeout: number, onChanged: () => void): Client {
  return new Client(
    { name: "skillhold", version: readVersion() },
    {
      // The other half of the time is left for a server that does not answer the negotiation.
      versionNegotiation: { mode, probe: { timeoutMs: timeout / 2 } },
      inputRequired: { autoFulfill: false },
      listChanged: { resources: { autoRefresh: false, debounceMs: CHANGE_MS, onChanged } },
    },
  );
}

function isEraFailure(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;
}

/** The package file is two folders up from both the sources and the build. */
function readVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const { version }: { readonly version: string } = JSON.parse(text);
  return version;
}

/** Converts an error of a request to a SkillError. `stderr` is the output of a server process. */
export function classifyFailure(error: unknown, limit: LimitName, stderr: string): SkillError {
  const own = findRefusal(error);
  if (own !== undefined) return own;
  const output = stderr.trim() === "" ? "" : ` Its stderr was: ${shorten(stderr)}`;
  const [code, message] = classify(error, limit);
  return refuse(code, `${message}${output}`, {}, error);
}

/** The SDK may wrap our own errors. */
function findRefusal(error: unknown): SkillError | undefined {
  for (let each = error, depth = 0; each instanceof Error && depth < 8; each = each.cause, depth += 1)
    if (each instanceof SkillError && refusalOf(each) !== undefined) return each;
  return undefined;
}

function classify(error: unknown, limit: LimitName): readonly [RefusalCode, string] {
  if (error instanceof UnauthorizedError || isRefusedByHttp(error))
    return ["MCP_UNAUTHORIZED", "The server rejected the credentials."];
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return ["MCP_TIMED_OUT", `The server did not answer in time (${limit}).`];
  if (error instanceof ProtocolError)
    return ["MCP_ANSWER_INVALID", `The server answered with an error: ${shorten(error.message)}`];
  if (error instanceof SdkError && INVALID.has(error.code))
    return ["MCP_ANSWER_INVALID", "The response of the server does not match the request."];
  return ["MCP_UNREACHABLE", `The server cannot be reached: ${shorten(messageOf(error))}`];
}

const INVALID: ReadonlySet<string> = new Set([
  SdkErrorCode.InvalidResult,
  SdkErrorCode.UnsupportedResultType,
  SdkErrorCode.InputRequiredRoundsExceeded,
]);

function isRefusedByHttp(error: unknown): boolean {
  return error instanceof SdkHttpError && (error.status === 401 || error.status === 403);
}

/** The cause of a fetch error has the message, and the SDK may wrap it again. */
function messageOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== "" && depth < 8
    ? messageOf(cause, depth + 1)
    : error.message;
}

const SHOWN_LENGTH = 300;

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= SHOWN_LENGTH ? line : `${line.slice(0, SHOWN_LENGTH)}…`;
}

export interface Deadline {
  /** The name of the limit. */
  readonly limit: LimitName;
  readonly ms: number;
  /** Cancels the work earlier. */
  readonly signal?: AbortSignal;
}

/** Runs work with a time limit. It rejects at the limit even when the work ignores its signal. */
export async function withDeadline<T>(
  { limit, ms, signal }: Deadline,
  timers: Timers,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const ended = Promise.withResolvers<never>();
  const end = (error: Error) => {
    ended.reject(error);
    controller.abort(error);
  };
  const cancel = () => end(refuse("MCP_UNREACHABLE", "The request to the server was canceled."));
  const stopTimer = timers.after(ms, () => {
    end(refuse("MCP_TIMED_OUT", `The server did not answer within ${ms} ms (${limit}).`));
  });
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    if (signal?.aborted === true) cancel();
    return await Promise.race([ended.promise, work(controller.signal)]);
  } finally {
    stopTimer();
    signal?.removeEventListener("abort", cancel);
  }
}
