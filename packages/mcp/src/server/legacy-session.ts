import { type McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { McpConnection } from "./connection.ts";
import type { TableValue } from "./session-table.ts";

/** An HTTP session of an older protocol revision, whose server lives across requests. */
export class LegacySession implements TableValue {
  readonly connection: McpConnection;
  readonly mcp: McpServer;
  readonly #transport: WebStandardStreamableHTTPServerTransport;
  #streams = 0;

  private constructor(
    connection: McpConnection,
    mcp: McpServer,
    transport: WebStandardStreamableHTTPServerTransport,
  ) {
    this.connection = connection;
    this.mcp = mcp;
    this.#transport = transport;
  }

  static async open(
    id: string,
    connection: McpConnection,
    mcp: McpServer,
    onClosed: () => void,
  ): Promise<LegacySession> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: onClosed,
    });
    await mcp.connect(transport);
    return new LegacySession(connection, mcp, transport);
  }

  get isBusy(): boolean {
    return this.connection.isBusy;
  }

  get hasListener(): boolean {
    return this.#streams > 0;
  }

  /** Whether the client completed `initialize`. */
  get isInitialized(): boolean {
    return this.#transport.sessionId !== undefined;
  }

  async handle(request: Request, body: unknown): Promise<Response> {
    const response = await this.#transport.handleRequest(
      request,
      body === undefined ? {} : { parsedBody: body },
    );
    if (request.method === "GET" && response.ok) this.#watch(request.signal);
    return response;
  }

  /** Ends the change stream. */
  endStream(): void {
    this.#transport.closeStandaloneSSEStream();
  }

  async close(): Promise<void> {
    await this.mcp.close();
    await this.connection.close();
  }

  #watch(signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#streams += 1;
    const release = () => {
      this.#streams -= 1;
    };
    signal.addEventListener("abort", release, { once: true });
  }
}
