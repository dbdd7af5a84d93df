import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Authority } from "./host-rule.ts";

/** The proxy through which this machine reaches a host; undefined for a direct connection. */
export type FindParent = (protocol: "http:" | "https:", authority: Authority) => URL | undefined;

type Env = Readonly<Record<string, string | undefined>>;

/** Reads `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, as other programs do. */
export function parentProxies(env: Env): FindParent {
  const read = (name: string) => env[name.toLowerCase()] || env[name] || "";
  const proxies = { "http:": readProxy(read("HTTP_PROXY")), "https:": readProxy(read("HTTPS_PROXY")) };
  const direct = read("NO_PROXY")
    .split(/[\s,]+/)
    .filter((each) => each !== "");
  return (protocol, authority) =>
    direct.some((each) => covers(each, authority)) ? undefined : proxies[protocol];
}

function readProxy(text: string): URL | undefined {
  const url = URL.parse(text.includes("://") ? text : `http://${text}`);
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== "" ? url : undefined;
}

/** `*` covers every host, and `example.com` and `.example.com` also the hosts below; either may have a port. */
function covers(entry: string, { host, port }: Authority): boolean {
  if (entry === "*") return true;
  const [, name = "", digits] = /^\*?\.?(.*?)(?::(\d{1,5}))?$/.exec(entry.toLowerCase()) ?? [];
  if (name === "" || (digits !== undefined && Number(digits) !== port)) return false;
  return host === name || host.endsWith(`.${name}`);
}

/** Connects to a proxy. The caller handles the errors of the socket. */
export function dialProxy(proxy: URL, timeout: number): Socket {
  const isTls = proxy.protocol === "https:";
  const host = proxy.hostname.replace(/^\[|\]$/g, "");
  const port = proxy.port === "" ? (isTls ? 443 : 80) : Number(proxy.port);
  return isTls ? connectTls({ host, port, servername: host, timeout }) : connect({ host, port, timeout });
}

/** The headers that a proxy with a user name and a password needs. */
export function proxyCredentials({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "" && password === "") return {};
  const plain = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(plain).toString("base64")}` };
}

const MOST_HEAD = 16 * 1024;

/** Asks a proxy for a tunnel. Rejects when it refuses. */
export async function openTunnel(socket: Socket, proxy: URL, { host, port }: Authority): Promise<void> {
  const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const headers = Object.entries({ host: target, ...proxyCredentials(proxy) });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.write(`CONNECT ${target} HTTP/1.1\r\n${lines}\r\n`);
  let head = Buffer.alloc(0);
  while (!head.includes("\r\n\r\n")) {
    if (head.length > MOST_HEAD || socket.readableEnded) throw new Error("The proxy sent no answer.");
    const chunk: Buffer | null = socket.read();
    if (chunk === null) await once(socket, "readable");
    else head = Buffer.concat([head, chunk]);
  }
  const end = head.indexOf("\r\n\r\n") + 4;
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head.subarray(0, end).toString("latin1"))?.[1];
  if (status?.startsWith("2") !== true) throw new Error(`The proxy answered with status ${status}.`);
  if (end < head.length) socket.unshift(head.subarray(end));
}
