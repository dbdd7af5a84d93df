import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { openTestPort, type TestPort } from "./port.fixture.ts";
import { put } from "./skill.fixture.ts";

const MB = 1024 * 1024;
const opened: TestPort[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const port of opened.splice(0)) await port.close();
});

/** A gateway with a public file that is larger than all system buffers. */
async function openWithFile(answerBounds: { readonly bytes?: number; readonly answers?: number }) {
  const port = await openTestPort({ answerBounds, options: { isDiscoverable: true } });
  opened.push(port);
  await put(port.gateway, "large", { visibility: "public", files: { "a.bin": randomBytes(16 * MB) } });
  return port;
}

/** Sends a request and reads only the first bytes of the response. */
async function askOnly({ port }: TestPort, path: string, authorization?: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  const token = authorization === undefined ? "" : `Authorization: ${authorization}\r\n`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${token}\r\n`);
  await once(socket, "readable");
  expect(String(socket.read(12))).toBe("HTTP/1.1 200");
  return socket;
}

const FILE = "/v1/skills/large/files/a.bin";

test("rejects large responses for a client that does not read, and serves others [S-53]", async () => {
  const port = await openWithFile({ bytes: 40 * MB });
  const [vic, bob] = await Promise.all(
    ["vic", "bob"].map((user) => port.gateway.asRole("viewer", user).then((who) => who.authorization)),
  );
  const get = (path: string, authorization = "") => fetch(port.origin + path, { headers: { authorization } });
  const unread = [await askOnly(port, FILE, vic), await askOnly(port, FILE, vic)];
  const refused = await get(FILE, vic);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
  expect((await get("/v1/me", vic)).status).toBe(200);
  const whole = await get(FILE, bob);
  expect([whole.status, (await whole.arrayBuffer()).byteLength]).toEqual([200, 16 * MB]);
  for (const socket of unread) socket.destroy();
  await expect.poll(async () => (await get(FILE, vic)).status).toBe(200);
});

test("applies the same limit per address to clients without a token [S-48] [S-53]", async () => {
  const port = await openWithFile({ bytes: 40 * MB });
  const path = "/.well-known/skills/large/a.bin";
  await askOnly(port, path);
  await askOnly(port, path);
  expect((await fetch(port.origin + path)).status).toBe(429);
  const viewer = await port.gateway.asRole("viewer");
  const { authorization } = viewer;
  expect((await fetch(port.origin + FILE, { headers: { authorization } })).status).toBe(200);
});

test("limits the open responses of a token [S-53]", async () => {
  const port = await openWithFile({ answers: 2 });
  const { authorization } = await port.gateway.asRole("viewer");
  await askOnly(port, FILE, authorization);
  await askOnly(port, FILE, authorization);
  expect((await fetch(`${port.origin}/v1/me`, { headers: { authorization } })).status).toBe(429);
});
