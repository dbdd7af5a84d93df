import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A real HTTP server that records notifications and answers with the given statuses, then with 204. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  readonly statuses: number[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const headers = Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        );
        this.received.push({ headers, body: Buffer.concat(chunks).toString() });
        const status = this.statuses.shift() ?? 204;
        response.writeHead(status, status === 302 ? { location: "/elsewhere" } : {}).end();
      });
    });
  }

  static async open(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, "127.0.0.1", resolve));
    return receiver;
  }

  get url(): string {
    // A server that listens on a port has an address object.
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/hook`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
