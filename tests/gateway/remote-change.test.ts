import type { LibraryChange } from "@skillhold/core/library";
import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { deleteSkill } from "@skillhold/registry/release";
import { issueToken, revokeToken } from "@skillhold/registry/token";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { anyone, openRemote, type ServedGateway, serveGateway, standBetween } from "./remote.fixture.ts";
import { ada, put } from "./skill.fixture.ts";

let served: ServedGateway;
beforeEach(async () => {
  served = await serveGateway();
  await put(served.gateway, "pdf", { visibility: "public" });
});
afterEach(() => served.close());

/** The received changes in order. */
class Heard {
  readonly all: LibraryChange[] = [];
  #wake: (() => void) | undefined;

  readonly listener = (change: LibraryChange): void => {
    this.all.push(change);
    this.#wake?.();
  };

  /** Resolves when this many changes arrived. */
  async first(count: number): Promise<readonly LibraryChange[]> {
    while (this.all.length < count)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    return this.all;
  }
}

const nothing = { added: [], changed: [], removed: [], broken: [] };

test("reports a publish, an edit and a removal at the gateway [S-18] [S-54]", async () => {
  const library = await openRemote(served.url, await served.tokenOf("viewer", "bob"));
  const heard = new Heard();
  library.onChange(heard.listener);
  await library.list(anyone);
  await put(served.gateway, "docx", { visibility: "public" });
  await heard.first(1);
  await put(served.gateway, "pdf", { body: "Otherwise." });
  await heard.first(2);
  await deleteSkill("docx", { by: ada }, served.gateway.registry);
  expect(await heard.first(3)).toEqual([
    { ...nothing, added: ["docx"] },
    { ...nothing, changed: ["pdf"] },
    { ...nothing, removed: ["docx"] },
  ]);
});

test("does not report changes of hidden skills [S-43]", async () => {
  const library = await openRemote(served.url, await served.tokenOf("viewer", "bob"));
  const heard = new Heard();
  library.onChange(heard.listener);
  await library.list(anyone);
  await put(served.gateway, "adas-own");
  await put(served.gateway, "xlsx", { visibility: "public" });
  expect(await heard.first(1)).toEqual([{ ...nothing, added: ["xlsx"] }]);
});

test("reports a change that a call finds first once to each listener [S-18]", async () => {
  const library = await openRemote(served.url, await served.tokenOf("viewer", "bob"));
  const [one, two] = [new Heard(), new Heard()];
  library.onChange(one.listener);
  library.onChange(() => {
    throw new Error("a listener that fails");
  });
  library.onChange(two.listener);
  const viewers = [anyone, { runtime: "other" }, { runtime: "third", invoker: "user" }] as const;
  for (const viewer of viewers) await library.list(viewer);
  await put(served.gateway, "docx", { visibility: "public" });
  for (const viewer of viewers) await library.list(viewer);
  await put(served.gateway, "xlsx", { visibility: "public" });
  await Promise.all([one.first(2), two.first(2)]);
  const told = [
    { ...nothing, added: ["docx"] },
    { ...nothing, added: ["xlsx"] },
  ];
  expect([one.all, two.all]).toEqual([told, told]);
});

test("reports missed changes after the gateway was unavailable [S-54]", async () => {
  const errors: unknown[] = [];
  const library = await openRemote(served.url, await served.tokenOf("viewer", "bob"), {
    limits: { remotePollMs: 200 },
    onError: (error) => errors.push(error),
  });
  const heard = new Heard();
  library.onChange(heard.listener);
  await library.list(anyone);
  await served.leave();
  await put(served.gateway, "docx", { visibility: "public" });
  await served.comeBack();
  expect(await heard.first(1)).toEqual([{ ...nothing, added: ["docx"] }]);
  expect(errors.length).toBeLessThan(3);
});

test("polls with conditional requests when WebSockets are unavailable [S-55]", async () => {
  const between = await standBetween(served.url);
  const library = await openRemote(between.url, await served.tokenOf("viewer", "bob"), {
    limits: { remotePollMs: 100 },
  });
  const heard = new Heard();
  library.onChange(heard.listener);
  await library.list(anyone);
  await put(served.gateway, "docx", { visibility: "public" });
  expect(await heard.first(1)).toEqual([{ ...nothing, added: ["docx"] }]);
  const lists = between.seen.filter((line) => line.startsWith("GET /v1/skills?"));
  expect(lists.filter((line) => line.endsWith(" 200")).length).toBeLessThanOrEqual(4);
});

test("replaces a socket that does not answer [S-54]", async () => {
  const sockets = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  const greeted: string[] = [];
  let count = 0;
  sockets.on("connection", (socket) => {
    count += 1;
    socket.on("message", (data) => {
      const { id, method } = JSON.parse(String(data)) as { id: number; method: string };
      greeted.push(method);
      // The first connection is authenticated and then gets no more messages.
      if (count === 1 && method === "hello") socket.send(JSON.stringify({ id, result: {} }));
    });
  });
  const between = await standBetween(served.url, undefined, (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (ws) => sockets.emit("connection", ws, request)),
  );
  const timers = new ManualTimers();
  const limits = { remotePollMs: 5000, remoteMs: 5000 };
  const token = await served.tokenOf("viewer", "bob");
  const library = await openRemote(between.url, token, { limits, timers });
  library.onChange(() => {});
  // An admitted connection is not polled beside: only its pings are left.
  await expect.poll(() => timers.delays).toEqual([5000]);
  timers.advance(5000);
  await expect.poll(() => greeted).toEqual(["hello", "events.unsubscribe"]);
  timers.advance(5000);
  await expect.poll(() => timers.delays).toEqual([1000, 5000]);
  timers.advance(1000);
  await expect.poll(() => greeted).toEqual(["hello", "events.unsubscribe", "hello"]);
  // The second connection never gets an answer to its greeting.
  timers.advance(5000);
  await expect.poll(() => timers.delays).toContain(2000);
  timers.advance(2000);
  await expect.poll(() => count).toBe(3);
  await library.close();
  sockets.close();
});

test("a revoked token ends the watch with the reason [S-53]", async () => {
  const { registry } = served.gateway;
  const by = { user: "root", role: "admin" } as const;
  const { token, secret } = await issueToken({ name: "lost", role: "viewer" }, { by }, registry);
  const failed = Promise.withResolvers<unknown>();
  const library = await openRemote(served.url, secret, {
    limits: { remotePollMs: 100 },
    onError: failed.resolve,
  });
  library.onChange(() => {});
  await library.list(anyone);
  await revokeToken(token.id, { by }, registry);
  expect(await failed.promise).toMatchObject({ code: "UNAUTHENTICATED" });
});

test("a removed listener gets no changes, and the last one closes the connection [S-18]", async () => {
  const library = await openRemote(served.url, await served.tokenOf("viewer", "bob"));
  const heard = new Heard();
  const stop = library.onChange(heard.listener);
  await library.list(anyone);
  stop();
  await put(served.gateway, "docx", { visibility: "public" });
  expect(await library.list(anyone)).toHaveLength(2);
  expect(heard.all).toEqual([]);
});
