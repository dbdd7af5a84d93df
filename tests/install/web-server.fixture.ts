import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface WebAnswer {
  readonly status?: number;
  readonly body?: string | Uint8Array | object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server that answers what a test says, by path and query. */
export interface WebServer {
  readonly url: string;
  readonly host: string;
  /** Every address that was asked for. */
  readonly asked: string[];
  readonly requests: IncomingMessage[];
  answer(path: string, answer: WebAnswer | ((request: IncomingMessage) => WebAnswer)): void;
  close(): Promise<void>;
}

export async function openWebServer(): Promise<WebServer> {
  const answers = new Map<string, WebAnswer | ((request: IncomingMessage) => WebAnswer)>();
  const asked: string[] = [];
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const address = request.url ?? "/";
    asked.push(address);
    requests.push(request);
    const found = answers.get(address) ?? answers.get(address.replace(/\?.*$/, ""));
    const {
      status = 200,
      body = "",
      headers = {},
    } = (typeof found === "function" ? found(request) : found) ??
    ({ status: 404, body: "Not found" } satisfies WebAnswer);
    const isData = typeof body === "object" && !(body instanceof Uint8Array);
    const type = isData ? { "content-type": "application/json" } : {};
    response.writeHead(status, { ...type, ...headers });
    response.end(isData ? JSON.stringify(body) : body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens has an address.
  const { port } = server.address() as AddressInfo;
  const host = `127.0.0.1:${port}`;
  return {
    url: `http://${host}`,
    host,
    asked,
    requests,
    answer: (path, answer) => void answers.set(path, answer),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
