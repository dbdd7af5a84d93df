import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { Viewer } from "@skillhold/core/library";
import type { Timers } from "@skillhold/core/port";
import { nodeHost } from "@skillhold/core/source";
import { listen, loopbackHosts } from "@skillhold/gateway";
import type { Role } from "@skillhold/protocol";
import { withLimits } from "@skillhold/protocol/limits";
import {
  openRemoteLibrary,
  type RemoteLibrary,
  type RemotePorts,
  type ViewerQuery,
} from "@skillhold/registry/remote";
import { onTestFinished } from "vitest";
import { type Changed, openTestGateway, type TestGateway } from "./gateway.fixture.ts";

export const anyone: Viewer = { runtime: "test" };
export const host = nodeHost({ env: {}, platform: "linux", cwd: "/" });

export interface ServedGateway {
  readonly gateway: TestGateway;
  readonly url: string;
  readonly port: number;
  readonly tokenOf: (role: Role, user?: string, agent?: string) => Promise<string>;
  /** Closes the port and keeps the gateway. */
  readonly leave: () => Promise<void>;
  /** Opens the port again. */
  readonly comeBack: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** A gateway on a local port. */
export async function serveGateway(change: Changed = {}): Promise<ServedGateway> {
  const hosts: string[] = [];
  const gateway = await openTestGateway({ ...change, options: { ...change.options, hosts } });
  const { app, upgrade } = gateway;
  const open = (port: number) =>
    listen(
      (place) => {
        hosts.splice(0, hosts.length, ...loopbackHosts(place.port));
        return { app, upgrade, close: async () => {} };
      },
      { host: "127.0.0.1", port, timers: gateway.context.timers },
    );
  let listening = await open(0);
  const { port } = listening;
  return {
    gateway,
    port,
    url: `http://127.0.0.1:${port}`,
    tokenOf: async (...who) => (await gateway.asRole(...who)).authorization.replace("Bearer ", ""),
    leave: () => listening.close(0),
    comeBack: async () => {
      listening = await open(port);
    },
    close: async () => {
      await listening.close(0);
      await gateway.close();
    },
  };
}

export interface Opening {
  readonly cache?: string;
  readonly viewAs?: ViewerQuery;
  readonly isOptional?: boolean;
  readonly limits?: Readonly<Record<string, number>>;
  readonly timers?: Timers;
  readonly onError?: RemotePorts["onError"];
}

/** A remote library that is closed after the test. */
export async function openRemote(
  url: string,
  token: string,
  { limits = {}, timers, onError, ...settings }: Opening = {},
): Promise<RemoteLibrary> {
  const library = await openRemoteLibrary(
    { url, token, ...settings },
    {
      host,
      ids: { next: randomUUID },
      limits: withLimits(limits),
      ...(timers === undefined ? {} : { timers }),
      ...(onError === undefined ? {} : { onError }),
    },
  );
  onTestFinished(() => library.close());
  return library;
}

export async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "skillhold-remote-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export interface Between {
  readonly url: string;
  /** `GET /v1/skills 304`, in order. */
  readonly seen: string[];
}

/** A proxy hook: it returns its own response, or undefined to forward the gateway's. */
export type Meddle = (
  request: IncomingMessage,
  response: ServerResponse,
  honest: () => Promise<Response>,
) => Promise<boolean> | boolean;

/** A proxy port in front of a gateway. */
export async function standBetween(
  target: string,
  meddle: Meddle = () => false,
  upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
): Promise<Between> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const { method = "GET", url = "/", headers } = request;
    const passed = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      typeof value === "string" && name !== "connection" && name !== "host" ? [[name, value]] : [],
    );
    // The bytes are passed on, so they must come as they are.
    const asked = { ...Object.fromEntries(passed), "accept-encoding": "identity" };
    const honest = () => fetch(new URL(url, target), { method, headers: asked, redirect: "manual" });
    const work = async () => {
      if (await meddle(request, response, honest)) {
        seen.push(`${method} ${url} meddled`);
        return;
      }
      const answer = await honest();
      seen.push(`${method} ${url} ${answer.status}`);
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(Buffer.from(await answer.arrayBuffer()));
    };
    work().catch(() => response.destroy());
  });
  if (upgrade !== undefined) server.on("upgrade", upgrade);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  // A TCP server has an AddressInfo.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}
