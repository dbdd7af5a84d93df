import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import type { WebSocket as Socket } from "ws";

/** Opens many sockets that follow events, and writes when all are open and when all have an event. */
const { WebSocket } = createRequire(new URL("../packages/gateway/package.json", import.meta.url))("ws");
const [url = "", count = "0"] = process.argv.slice(2);
/** The gateway limits connections that are not authenticated yet. */
const AT_ONCE = 200;
/** It also limits the upgrades of one address in a minute. */
const SOCKETS_AN_ADDRESS = 5000;

const input = await createInterface({ input: process.stdin })[Symbol.asyncIterator]().next();
const tokens: readonly string[] = JSON.parse(input.value ?? "[]");
const told: Promise<void>[] = [];
const started = performance.now();
for (let at = 0; at < Number(count); at += AT_ONCE) {
  const batch = Array.from({ length: Math.min(AT_ONCE, Number(count) - at) }, (_, index) => open(at + index));
  await Promise.all(batch);
}
console.log(JSON.stringify({ openMs: performance.now() - started }));
await Promise.all(told);
console.log(JSON.stringify({ last: Date.now() }));

async function open(at: number): Promise<void> {
  const localAddress = `127.0.0.${1 + Math.floor(at / SOCKETS_AN_ADDRESS)}`;
  const socket: Socket = new WebSocket(`${url.replace("http", "ws")}/ws`, { localAddress });
  const event = Promise.withResolvers<void>();
  const subscribed = Promise.withResolvers<void>();
  socket.on("open", () => {
    socket.send(JSON.stringify({ id: 0, method: "hello", params: { token: tokens[at % tokens.length] } }));
    socket.send(JSON.stringify({ id: 1, method: "events.subscribe", params: {} }));
  });
  socket.on("message", (data) => {
    const message = JSON.parse(String(data));
    if (message.id === 1) subscribed.resolve();
    if (message.event?.type === "skill.published") event.resolve();
  });
  socket.on("error", (error) => fail(error.message));
  socket.on("close", (code, reason) => fail(`closed: ${code} ${reason}`));
  told.push(event.promise);
  await subscribed.promise;
}

function fail(reason: string): never {
  console.error(`sockets: ${reason}`);
  process.exit(1);
}
