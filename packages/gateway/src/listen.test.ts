import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setImmediate as nextTurn } from "node:timers/promises";
import { systemTimers } from "@skillhold/core/port";
import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { afterEach, expect, test } from "vitest";
import { type Listening, type ListenOptions, listen, type ServedApp } from "./listen.ts";

const opened: Listening[] = [];
afterEach(async () => {
  for (const listening of opened.splice(0)) await listening.close(0);
});

type Answer = (request: Request) => Promise<Response> | Response;

async function open(
  answer: Answer,
  options: Partial<ListenOptions & Pick<ServedApp, "close" | "stop" | "upgrade">> = {},
): Promise<Listening> {
  const { close = async () => {}, stop = async () => {}, upgrade, ...rest } = options;
  const served = { app: { fetch: answer }, close, stop, ...(upgrade === undefined ? {} : { upgrade }) };
  const listening = await listen(() => served, {
    ...{ host: "127.0.0.1", port: 0, timers: systemTimers },
    ...rest,
  });
  opened.push(listening);
  return listening;
}

async function dial({ port }: Pick<Listening, "port">): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

test("creates the application when the port is known and serves it [S-53]", async () => {
  let known = 0;
  const listening = await listen(
    ({ port }) => {
      known = port;
      return { app: { fetch: async () => new Response("here") }, close: async () => {} };
    },
    { host: "127.0.0.1", port: 0, timers: systemTimers },
  );
  opened.push(listening);
  expect(known).toBe(listening.port);
  expect(await (await fetch(`http://127.0.0.1:${known}/`)).text()).toBe("here");
});

test("names a port that is in use and the fix [S-53]", async () => {
  const { port } = await open(() => new Response());
  await expect(open(() => new Response(), { port })).rejects.toMatchObject({
    code: "CONFLICT",
    details: { code: "EADDRINUSE", port },
    hint: expect.stringContaining("--port"),
  });
  await expect(open(() => new Response(), { host: "192.0.2.1" })).rejects.toMatchObject({
    code: "CONFLICT",
    hint: expect.stringContaining("--host"),
  });
});

test("aborts a stalled upload, and keeps one that the gateway reads slowly [S-53]", async () => {
  const timers = new ManualTimers();
  const begun: Record<string, PromiseWithResolvers<void>> = {
    "/stalled": Promise.withResolvers(),
    "/slow": Promise.withResolvers(),
  };
  const go = Promise.withResolvers<void>();
  const listening = await open(
    async (request) => {
      const { pathname } = new URL(request.url);
      begun[pathname]?.resolve();
      if (pathname === "/slow") await go.promise;
      return new Response(String((await request.arrayBuffer()).byteLength));
    },
    { stallMs: 1000, timers },
  );
  const post = (path: string, length: number) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`;
  const stalled = await dial(listening);
  stalled.write(`${post("/stalled", 1000)}a few bytes`);
  const slow = await dial(listening);
  slow.write(Buffer.concat([Buffer.from(post("/slow", 1_000_000)), Buffer.alloc(1_000_000)]));
  await Promise.all(Object.values(begun).map(({ promise }) => promise));
  timers.advance(2500);
  await once(stalled, "close");
  go.resolve();
  expect(await text(slow)).toMatch(/\r\n1000000$/);
});

test("closes a connection that does not read its response, and completes one that does [S-53]", async () => {
  const size = 32 * 1024 * 1024;
  const brokenOff = Promise.withResolvers<void>();
  const zeros = () => {
    let left = size;
    return new ReadableStream({
      pull: (controller) => {
        controller.enqueue(new Uint8Array(65_536));
        left -= 65_536;
        if (left === 0) controller.close();
      },
      cancel: () => brokenOff.resolve(),
    });
  };
  const timers = new ManualTimers();
  const listening = await open(() => new Response(zeros()), { drainMs: 400, timers });
  const stalled = await dial(listening);
  stalled.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const read = await fetch(`http://127.0.0.1:${listening.port}/`);
  expect((await read.arrayBuffer()).byteLength).toBe(size);
  let isOpen = true;
  void brokenOff.promise.then(() => {
    isOpen = false;
  });
  // Time passes only after the other client has read all bytes.
  for (; isOpen; await nextTurn()) timers.advance(100);
  stalled.destroy();
});

test("rejects headers that are too large or malformed before the application runs [S-53]", async () => {
  let calls = 0;
  const listening = await open(() => {
    calls += 1;
    return new Response();
  });
  const refused = async (bytes: string) => {
    const socket = await dial(listening);
    socket.end(bytes);
    return (await text(socket)).split("\r\n", 1)[0];
  };
  const many = "x".repeat(20_000);
  expect(await refused(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${many}\r\n\r\n`)).toContain(" 431 ");
  const both = "Content-Length: 3\r\nTransfer-Encoding: chunked";
  expect(await refused(`POST / HTTP/1.1\r\nHost: x\r\n${both}\r\n\r\nabc`)).toContain(" 400 ");
  expect(await refused("GET / HTTP/1.1\r\n\r\n")).toContain(" 400 ");
  expect(calls).toBe(0);
});

test("closing waits for running requests, rejects new ones, and then closes the application [S-53]", async () => {
  const order: string[] = [];
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const listening = await open(
    async () => {
      begun.resolve();
      await gate.promise;
      order.push("answered");
      return new Response("done");
    },
    { close: async () => void order.push("closed") },
  );
  const idle = await dial(listening);
  const running = fetch(`http://127.0.0.1:${listening.port}/`);
  await begun.promise;
  const closing = listening.close();
  await expect(fetch(`http://127.0.0.1:${listening.port}/`)).rejects.toThrow();
  gate.resolve();
  const response = await running;
  expect([response.headers.get("connection"), await response.text()]).toEqual(["close", "done"]);
  await closing;
  expect(order).toEqual(["answered", "closed"]);
  expect(idle.closed || idle.readableEnded || (await once(idle, "close"))).toBeTruthy();
});

test("aborts requests that exceed the grace time [S-53]", async () => {
  const begun = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const timers = new ManualTimers();
  const answer = async ({ signal }: Request) => {
    begun.resolve();
    signal.addEventListener("abort", () => aborted.resolve());
    await aborted.promise;
    return new Response();
  };
  const listening = await open(answer, { timers });
  const running = fetch(`http://127.0.0.1:${listening.port}/`);
  running.catch(() => {});
  await begun.promise;
  const closing = listening.close(5000);
  await timers.set(5000);
  timers.advance(5000);
  await closing;
  await aborted.promise;
  await expect(running).rejects.toThrow();
});

test("passes a WebSocket to the application and ends it on close [S-54]", async () => {
  const listening = await open(() => new Response("plain"), {
    upgrade: (_request, socket) =>
      void socket.write(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
      ),
  });
  const socket = await dial(listening);
  socket.write("GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  const [answer] = await once(socket, "data");
  expect(String(answer)).toContain(" 101 ");
  await listening.close();
  if (!socket.closed) await once(socket, "close");
});

test("ends streams when closing starts, without waiting for the grace time [S-53]", async () => {
  const ended = Promise.withResolvers<void>();
  const listening = await open(
    () =>
      new Response(
        new ReadableStream({
          start: async (controller) => {
            controller.enqueue(new TextEncoder().encode("first"));
            await ended.promise;
            controller.close();
          },
        }),
      ),
    { stop: async () => ended.resolve() },
  );
  const response = await fetch(`http://127.0.0.1:${listening.port}/`);
  const [text] = await Promise.all([response.text(), listening.close(600_000)]);
  expect(text).toBe("first");
});

test("a client that opens connections and sends no request does not shut others out [S-53]", async () => {
  const connections = { all: 20, upgraded: 5, reserve: 4 };
  const listening = await open(() => new Response("here"), { connections });
  const silent: Socket[] = [];
  for (let count = 0; count < 60; count += 1) silent.push(await dial(listening));
  const answer = await fetch(`http://127.0.0.1:${listening.port}/`, { headers: { connection: "close" } });
  expect(await answer.text()).toBe("here");
  for (const socket of silent) socket.destroy();
});

test("WebSockets leave connections for requests [S-53] [S-54]", async () => {
  const connections = { all: 20, upgraded: 5, reserve: 4 };
  const upgrade: ServedApp["upgrade"] = (_request, socket) =>
    void socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
    );
  const listening = await open(() => new Response("here"), { connections, upgrade });
  const upgraded = async () => {
    const socket = await dial(listening);
    socket.write("GET /ws HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n");
    const [head] = await once(socket, "data");
    return [socket, String(head).split("\r\n", 1)[0]] as const;
  };
  const lines: string[] = [];
  const sockets: Socket[] = [];
  for (let count = 0; count < 7; count += 1) {
    const [socket, line = ""] = await upgraded();
    sockets.push(socket);
    lines.push(line.split(" ")[1] ?? "");
  }
  expect(lines).toEqual(["101", "101", "101", "101", "101", "429", "429"]);
  expect(await (await fetch(`http://127.0.0.1:${listening.port}/healthz`)).text()).toBe("here");
  for (const socket of sockets) socket.destroy();
});
