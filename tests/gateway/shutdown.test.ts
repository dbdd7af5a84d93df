import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import type { StartupState } from "@skillhold/gateway";
import { routeTable } from "@skillhold/protocol/http";
import { openRegistryStore } from "@skillhold/store";
import { afterEach, expect, test } from "vitest";
import { ask, openTestGateway, problemOf } from "./gateway.fixture.ts";
import { listIds, type RunningGateway, ServeScene, tokenOf, upload, zipOf } from "./serve.fixture.ts";
import { TestSocket } from "./socket.fixture.ts";

let scene = new ServeScene();
afterEach(async () => {
  await scene.close();
  scene = new ServeScene();
});

type Headers = Readonly<Record<string, string>>;

/** An upload that the gateway has partly received. */
async function beginUpload({ url }: RunningGateway, id: string, headers: Headers) {
  const bytes = await zipOf(id);
  const half = bytes.length >> 1;
  const sent = request(`${url}/v1/skills/upload`, {
    method: "POST",
    headers: {
      ...headers,
      "content-type": "application/zip",
      "content-length": bytes.length,
      // The gateway sends 100 Continue when it starts to read.
      expect: "100-continue",
    },
  });
  sent.on("error", () => {});
  sent.flushHeaders();
  await once(sent, "continue");
  sent.write(bytes.subarray(0, half));
  return { sent, finish: () => finish(sent, bytes.subarray(half)) };
}

async function finish(sent: ClientRequest, rest: Uint8Array) {
  sent.end(rest);
  // The one value that the event carries.
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return {
    status: response.statusCode,
    connection: response.headers.connection,
    answer: await json(response),
  };
}

test("SIGTERM finishes running requests, rejects new ones, and exits with 0 [S-53]", async () => {
  const gateway = await scene.serve(["--no-seed"]);
  const headers = await tokenOf(gateway);
  const { finish } = await beginUpload(gateway, "late", headers);
  gateway.command.child.kill("SIGTERM");
  await gateway.command.until(() => gateway.command.err.includes("gateway.closing"));
  await expect(fetch(`${gateway.url}/healthz`)).rejects.toThrow();
  const { status, connection, answer } = await finish();
  expect([status, connection]).toEqual([200, "close"]);
  const { skills } = routeTable.uploadSkills.answer.parse(answer);
  expect(skills).toMatchObject([{ id: "late", status: "published" }]);
  expect(await gateway.command.ended).toEqual({ code: 0, signal: null });
  expect(gateway.command.err).not.toContain("error");

  const { data } = gateway;
  const again = await scene.serve(["--no-seed"], { data });
  expect(await listIds(again.url, headers)).toEqual(["late"]);
});

test("a second signal exits without waiting [S-53]", async () => {
  const gateway = await scene.serve(["--no-seed"]);
  await beginUpload(gateway, "never", await tokenOf(gateway));
  const { command } = gateway;
  command.child.kill("SIGTERM");
  await command.until(() => command.err.includes("gateway.closing"));
  // Signals shortly after the first one are its echoes, so the test signals until the end.
  const { child } = command;
  const signalAgain = () => child.kill("SIGTERM") && child.exitCode === null && child.signalCode === null;
  await expect.poll(signalAgain).toBe(false);
  // A signal after the exit began may end the process first. After a wait for the upload, the code would be 0.
  expect([130, null]).toContain((await command.ended).code);
});

test("shutdown closes sockets with a code and records the end of sessions [S-53] [S-62]", async () => {
  const gateway = await scene.serve(["--no-seed"]);
  const headers = await tokenOf(gateway);
  const opened = await fetch(`${gateway.url}/v1/sessions`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: "{}",
  });
  const { session } = routeTable.openSession.answer.parse(await opened.json());
  const { port, host } = new URL(gateway.url);
  const socket = await TestSocket.connect({ port: Number(port) }, { host });
  await socket.ask("hello", { token: headers.authorization.replace("Bearer ", "") });
  expect((await gateway.command.terminate()).code).toBe(0);
  expect((await socket.closed).code).toBe(1001);
  const store = await openRegistryStore(`sqlite:${join(gateway.data, "registry.db")}`);
  const events = await store.eventsOfSession(session);
  await store.close();
  expect(events.map(({ event }) => event.type)).toEqual(["session.opened", "session.closed"]);
});

test("a killed gateway loses no acknowledged change [S-41] [S-53]", async () => {
  const gateway = await scene.serve(["--no-seed"]);
  const headers = await tokenOf(gateway);
  const ids = ["one", "three", "two"];
  for (const id of ids)
    expect(await upload(gateway.url, id, headers)).toMatchObject([{ status: "published" }]);
  gateway.command.child.kill("SIGKILL");
  expect((await gateway.command.ended).signal).toBe("SIGKILL");
  const again = await scene.serve(["--no-seed"], { data: gateway.data });
  expect(await listIds(again.url, headers)).toEqual(ids);
  expect((await again.command.terminate()).code).toBe(0);
});

test("a gateway is alive and not ready while it starts, and reports a failed start [S-53]", async () => {
  let state: StartupState = { pending: "The gateway is publishing the bundled skills." };
  const gateway = await openTestGateway({ startup: () => state });
  expect(await problemOf(await ask(gateway, "GET", "/readyz"))).toMatchObject({
    status: 503,
    code: "STARTING",
  });
  expect((await ask(gateway, "GET", "/healthz")).status).toBe(200);
  state = { warnings: ["Some bundled skills are not published."] };
  const ready = await ask(gateway, "GET", "/readyz");
  expect({ status: ready.status, body: await ready.json() }).toEqual({
    status: 200,
    body: { status: "ready", ...state },
  });
  state = {};
  expect(await (await ask(gateway, "GET", "/readyz")).json()).toEqual({ status: "ready" });
});

test("a gateway that shuts down or lost its store is alive and not ready [S-53]", async () => {
  const closing = new AbortController();
  const gateway = await openTestGateway({ closing: closing.signal });
  expect((await ask(gateway, "GET", "/readyz")).status).toBe(200);
  closing.abort();
  expect(await problemOf(await ask(gateway, "GET", "/readyz"))).toMatchObject({
    status: 503,
    code: "SHUTTING_DOWN",
  });
  expect((await ask(gateway, "GET", "/healthz")).status).toBe(200);
  await gateway.close();
  const other = await openTestGateway();
  await other.registry.store.close();
  expect(await problemOf(await ask(other, "GET", "/readyz"))).toMatchObject({
    status: 503,
    code: "STORE_FAILED",
  });
  expect((await ask(other, "GET", "/healthz")).status).toBe(200);
});
