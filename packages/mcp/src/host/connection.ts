import { type Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import {
  SKILLS_EXTENSION_ID,
  SKILLS_GET_METHOD,
  SKILLS_LIST_METHOD,
} from "@modelcontextprotocol/client/ext/skills";
import { z } from "zod";
import { type Connected, type ConnectionTarget, connectClient, explain } from "./connect-client.ts";
import { withDeadline } from "./deadline.ts";
import { fetchListing, type Listing } from "./listing.ts";
import { refuse } from "./refusal.ts";

export interface ConnectionEvents {
  /** The server says that its list is another one now. */
  readonly onChanged: () => void;
  /** The connection is gone; not after `close`. */
  readonly onLost: (reason: string) => void;
}

/** How long the end of a session is told to a server. */
const FAREWELL_MS = 500;
const Result = z.looseObject({});

/**
 * A connection to a server of skills. The server is asked for its list and for files, each within a time; whatever it
 * asks for itself it does not get.
 */
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

  /** What the server lists, and those of these addresses that it does not. */
  async list(uris: readonly string[] = []): Promise<Listing> {
    this.#requireSkills();
    return await this.#within("mcpListMs", (options) => {
      const ask = (method: string, params: object) =>
        this.#client.request({ method, params: { ...params } }, Result, options);
      return fetchListing(
        (cursor) => ask(SKILLS_LIST_METHOD, cursor === undefined ? {} : { cursor }),
        this.#target.limits,
        { uris, fetch: (uri) => ask(SKILLS_GET_METHOD, { uri }) },
      );
    });
  }

  /** The answer as the server gave it, unchecked. */
  async read(uri: string): Promise<unknown> {
    return await this.#within("mcpReadMs", (options) =>
      this.#client.readResource({ uri }, { ...options, cacheMode: "bypass" }),
    );
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    const transport = this.#transport;
    if (transport instanceof StreamableHTTPClientTransport)
      await withDeadline({ limit: "mcpReadMs", ms: FAREWELL_MS }, () => transport.terminateSession()).catch(
        () => undefined,
      );
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
    const { limits, signal } = this.#target;
    const ms = limits[limit];
    try {
      return await withDeadline({ limit, ms, signal }, (signal) =>
        work({ timeout: ms, maxTotalTimeout: ms, signal }),
      );
    } catch (error) {
      throw explain(error, limit, this.#transport);
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
    onLost("The server ended the connection.");
  }
}
