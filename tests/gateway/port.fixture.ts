import { connect } from "node:net";
import { listen, loopbackHosts } from "@skillhold/gateway";
import { type Changed, openTestGateway, type TestGateway } from "./gateway.fixture.ts";

export interface TestPort {
  readonly gateway: TestGateway;
  readonly port: number;
  readonly origin: string;
  readonly close: () => Promise<void>;
}

/** A gateway on a local port. */
export async function openTestPort({ options, ...change }: Changed = {}): Promise<TestPort> {
  const hosts: string[] = [];
  const gateway = await openTestGateway({ ...change, options: { ...options, hosts } });
  const { app, upgrade } = gateway;
  const listening = await listen(
    ({ port }) => {
      hosts.push(...loopbackHosts(port));
      return { app, upgrade, close: async () => {} };
    },
    { host: "127.0.0.1", port: 0, timers: gateway.context.timers },
  );
  const close = async () => {
    await listening.close(0);
    await gateway.close();
  };
  return { gateway, port: listening.port, origin: `http://127.0.0.1:${listening.port}`, close };
}

/** Sends raw bytes and returns the response until the connection closes or becomes silent. */
export function sendRaw(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    socket.setEncoding("latin1");
    socket.on("data", (part: string) => {
      answer += part;
    });
    socket.on("error", (error: NodeJS.ErrnoException) =>
      error.code === "ECONNRESET" || error.code === "EPIPE" ? resolve(answer) : reject(error),
    );
    socket.on("close", () => resolve(answer));
    socket.write(bytes);
  });
}
